"""Stored histories replay on today's code: those of this run, and those committed by versions before.

`INTERLOCK_UPDATE_HISTORIES=1 pytest tests/faults/test_faults_histories.py` writes the committed ones anew, which is right only
before a first release, or to add some.
"""

import asyncio
import faulthandler
import gzip
import json
import os
import sys
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer

from interlock.compiler import compile_folder
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

LINES = [
    "请帮我查一下进度", "ABCU1234567", "555E898665 帮查一下", "那个呢", "你好，谢谢", "ABCU1234567 or FBA15D9XK2QT, where are they?",
    "FBA15D9XK2QT", "飞 协 博 的价格？", "#get_tracking", "#get_tracking9 ＡＢＣＵ１２３４５６７", "Track Shipment", "4012345678",
    "S55ES9999999 帮查一下", "我要投诉 PO-00731945", "货物坏了", "有人吗？", "where is my shipment PO-00731945", "转人工", "物流记录",
    "#raw_tracking S55ES0000134", "tracking history PO-00731945", "",
]  # fmt: skip


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
    from demo.tracking_service import serve

    plan = compile_folder(ROOT / "specs" / "logistics-support").plans["logistics-support"]
    tracking = serve()
    serving = asyncio.create_task(asyncio.to_thread(tracking.serve_forever, 0.05))
    tracking.RequestHandlerClass.shipments = {  # nothing here needs the slow one to be slow
        number: {key: value for key, value in shipment.items() if key != "delay_s"}
        for number, shipment in tracking.RequestHandlerClass.shipments.items()
    }
    try:
        async with world.recorded(folder, plan, f"http://127.0.0.1:{tracking.server_port}") as desk:
            names = [f"h{number}" for number in range(row.times(50, 2_000))]
            await world.gathered((converse(row, desk, name) for name in names), 8)
            found = []
            async for run in desk.client.list_workflows(""):
                handle = desk.client.get_workflow_handle(run.id, run_id=run.run_id)
                found.append(await handle.fetch_history())
    finally:
        tracking.shutdown()
        await serving
        tracking.server_close()
    row.expect(len(found) > len(names), "no run continued as new", len(found))
    await replay(row, found, "run")
    if os.environ.get("INTERLOCK_UPDATE_HISTORIES"):
        store(found, plan)


def store(found, plan):
    """Keep some of every length, compressed together."""
    found = sorted(found, key=lambda history: len(history.events))
    chosen = [found[len(found) * number // KEPT] for number in range(KEPT)]
    content = json.dumps([{"id": one.workflow_id, "history": json.loads(one.to_json())} for one in chosen]).encode()
    STORED.mkdir(exist_ok=True)
    (STORED / f"{plan.name}-{plan.digest[:8]}.json.gz").write_bytes(gzip.compress(content, 9, mtime=0))


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
