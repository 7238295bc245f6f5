"""Stored histories replay on today's code: those of this run, and those committed by versions before.

`INTERLOCK_UPDATE_HISTORIES=1 pytest tests/faults/test_faults_histories.py` writes the committed ones anew, which is right only
before a first release, or to add some.
"""

import asyncio
import contextlib
import faulthandler
import gzip
import json
import os
import sys
from pathlib import Path

import pytest
from temporalio.client import (
    WorkflowExecutionStatus,
    WorkflowHistory,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.service import RPCError
from temporalio.worker import Replayer

from interlock.compiler import compile_folder
from interlock.contract.calls import RULES
from interlock_workflows.plugin import interlock_plugin

pytestmark = pytest.mark.server

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "histories"
KEPT = 16
LARGEST = 300_000
PATIENCE = 60.0
STALLED = "TMPRL1101"
"""What Temporal says of a workflow that did not yield for two seconds, be it only that the machine let nothing run."""
TRIES = 3
DONE = "workflow_task_completed_event_attributes"

LINES = [
    "请帮我查一下进度", "ABCU1234567", "555E898665 帮查一下", "那个呢", "你好，谢谢", "ABCU1234567 or FBA15D9XK2QT, where are they?",
    "FBA15D9XK2QT", "飞 协 博 的价格？", "#get_tracking", "#get_tracking9 ＡＢＣＵ１２３４５６７", "Track Shipment", "4012345678",
    "S55ES9999999 帮查一下", "我要投诉 PO-00731945", "货物坏了", "有人吗？", "where is my shipment PO-00731945", "转人工", "物流记录",
    "#raw_tracking S55ES0000134", "tracking history PO-00731945", "", "锂电池能不能空运？", "Is there a strike in Hamburg?",
    "PO-00731945 为什么还没到？", "那个怎么还没到？", "卡在哪里了？",
]  # fmt: skip

MODELS = {
    "general": [{"when": "'有人' in message", "fault": "malformed"}, {"reply": "可以，请走海运。"}],
    "tool_call": [
        {"when": "'Hamburg' in message", "call": "port_notices", "with": {"port": "Hamburg"}},
        {"call": "query_tracking9", "with": {"selectNo": "PO-00731945"}},
    ],
}
"""What models say to some of these lines."""


async def converse(row, desk, session):
    """A conversation of lines at random, with what else happens to sessions."""
    user = {"id": session, **({"tier": "vip"} if row.dice.random() < 0.3 else {})}
    for number in range(row.dice.randint(2, 9)):
        text, kind = row.dice.choice(LINES), row.dice.choice(["user_chat"] * 8 + ["form", "rule", "other"])
        await desk.send("logistics-support", session, text, user=user, type=kind, id=f"m{number}", timeout=60)
        if row.dice.random() < 0.15:
            await desk.send("logistics-support", session, text, user=user, type=kind, id=f"m{number}", timeout=60)
        if row.dice.random() < 0.1:
            await desk.takeover("logistics-support", session, by="ann")
            await desk.agent_message("logistics-support", session, "您好", by="ann")
            await desk.release("logistics-support", session)
        if row.dice.random() < 0.1:
            handle = desk.client.get_workflow_handle(f"logistics-support:{session}")
            await handle.signal(row.dice.choice(["nonsense", "takeover", "upgrade"]), args=[1, 2])
    if row.dice.random() < 0.3:
        await desk.close("logistics-support", session)


async def test_histories_of_this_run_replay(row, world, folder):
    pytest.importorskip("mcp", reason="needs the extra `mcp`")
    from demo.processes import TRACKING

    bundle = ROOT / "specs" / "logistics-support"
    plan = compile_folder(bundle).plans["logistics-support"]
    given = {"mcp_commands": (TRACKING,), "models": MODELS, "bundles": (bundle,), "index": str(folder / "index")}
    async with world.recorded(folder, [plan], given=given) as desk:
        names = [f"h{number}" for number in range(row.times(50, 2_000))]
        await world.gathered((converse(row, desk, name) for name in names), 8)
        found = await fetched(desk.client)
    row.expect(len(found) > len(names), "no run continued as new", len(found))
    await replay(row, found, "run")
    if os.environ.get("INTERLOCK_UPDATE_HISTORIES"):
        store(found, f"{plan.name}-{plan.digest[:8]}")


async def fetched(client):
    """The history of every run that a worker has had: one that has only begun would be replayed for ever."""
    runs = [run async for run in client.list_workflows("")]
    found = [await client.get_workflow_handle(run.id, run_id=run.run_id).fetch_history() for run in runs]
    return [one for one in found if any(event.HasField(DONE) for event in one.events)]


class Tools:
    """What the procedures call: some calls fail, and fail no more when they are repeated later."""

    def __init__(self, dice):
        self.dice, self.looks = dice, {}

    async def look(self, name):
        self.looks[name] = self.looks.get(name, 0) + 1
        return {"name": name, "state": "shut" if self.looks[name] > 2 else "open"}

    async def act(self, name, reference):
        if self.dice.random() < 0.1:
            raise RuntimeError(f"{reference} does not work")
        return {"name": name}

    async def pay(self, name):
        if self.dice.random() < 0.15:
            raise RuntimeError("perhaps paid")
        return {"name": name}

    @property
    def functions(self):
        return {"look": self.look, "act": self.act, "pay": self.pay}


async def worked(row, desk, number):
    """A procedure with what else happens to it, to its end."""
    spec = row.dice.choice(["each", "each", "branches"])
    given = {
        "name": "undone" if row.dice.random() < 0.3 else f"n{number}",
        "names": [f"{number}-{item}" for item in range(row.dice.choice([0, 1, 3, 12]))],
    }
    handle = await desk.client.start_workflow(spec, given, id=f"p{number}", task_queue=desk._task_queue)
    if row.dice.random() < 0.6:
        await sent(handle, "event", {"id": "1", "name": "go", "data": {"n": 1}})
    if row.dice.random() < 0.2:
        await sent(handle, row.dice.choice(["nonsense", "takeover", "event"]), {"x": 1})
    if row.dice.random() < 0.25:
        await asyncio.sleep(row.dice.random() * 0.5)
        await (handle.cancel() if row.dice.random() < 0.4 else sent(handle, "cancel", {"by": "ann"}))
    for _ in range(600):
        if (await handle.describe()).status != WorkflowExecutionStatus.RUNNING:
            return
        status = await handle.query("status")
        await looked_after(row, handle, status)
        for one in status["waiting"] or ():  # a child that stands still keeps its parent waiting
            if one["for"] == "procedure":
                child = desk.client.get_workflow_handle(f"{handle.id}/{one['step']}")
                with contextlib.suppress(RPCError, WorkflowQueryFailedError):
                    await looked_after(row, child, await child.query("status"))
        await asyncio.sleep(0.05)
    row.violation("no end", number, status)


async def looked_after(row, handle, status):
    """A run that stands still is not left alone."""
    if status["status"] == "failed":
        await retried(row, handle, status)


async def sent(handle, name, body):
    """A signal to a run that may have ended."""
    with contextlib.suppress(RPCError):
        await handle.signal(name, body)


async def retried(row, handle, status):
    """A person lets a run go on, or gives it up."""
    said = {step: row.dice.choice(["happened", "did_not_happen"]) for step in status["unresolved"]}
    with contextlib.suppress(RPCError, WorkflowUpdateFailedError):
        if row.dice.random() < 0.2:
            await handle.execute_update("cancel", {"by": "ann"})
        else:
            await handle.execute_update("retry", {"by": "ann", "resolved": said})


async def test_histories_of_procedures_replay(row, world, folder):
    plans = compile_folder(Path(__file__).parent / "specs" / "shapes").plans
    async with world.recorded(folder, plans.values(), functions=Tools(row.dice).functions) as desk:
        numbers = range(row.times(30, 1_000))
        await world.gathered((worked(row, desk, number) for number in numbers), 8)
        found = await fetched(desk.client)
    row.expect(len(found) > len(numbers), "hardly a child or a run that continues as new", len(found))
    await replay(row, found, "run")
    if os.environ.get("INTERLOCK_UPDATE_HISTORIES"):
        store(found, f"shapes-{plans['each'].digest[:8]}")


def store(found, name):
    """Keep some of every length, compressed together."""
    found = sorted(found, key=lambda history: len(history.events))
    chosen = [found[len(found) * number // KEPT] for number in range(KEPT)]
    content = json.dumps([{"id": one.workflow_id, "history": json.loads(one.to_json())} for one in chosen]).encode()
    STORED.mkdir(exist_ok=True)
    (STORED / f"{name}-rules{RULES}.json.gz").write_bytes(gzip.compress(content, 9, mtime=0))


async def test_stored_histories_replay(row):
    files = sorted(STORED.glob("*.json.gz"))
    assert files
    for file in files:
        stored = json.loads(gzip.decompress(file.read_bytes()))
        await replay(row, [WorkflowHistory.from_json(one["id"], one["history"]) for one in stored], file.name)
    row.expect(sum(file.stat().st_size for file in files) <= LARGEST, "they take too much room")


async def replay(row, found, where):
    """Replay each; a difference is a violation."""
    replayer = Replayer(workflows=[], plugins=[interlock_plugin()])
    for history in found:
        row.injected[where] += 1
        failure = await replayed(replayer, history)
        for _ in range(TRIES - 1):
            if STALLED in str(failure):
                failure = await replayed(replayer, history)
        row.hit[where] += failure is None
        row.expect(failure is None, where, history.workflow_id, repr(failure)[:300])


async def replayed(replayer, history):
    """Why a history does not replay, if so; one that does not end shows where every thread stands."""
    replaying = replayer.replay_workflow(history, raise_on_replay_failure=False)
    try:
        return (await asyncio.wait_for(replaying, PATIENCE)).replay_failure
    except TimeoutError:
        faulthandler.dump_traceback(file=sys.__stderr__)
        return f"no end within {PATIENCE} s"
