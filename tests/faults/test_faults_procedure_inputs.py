"""No client input wedges a procedure: whatever is sent to one, it goes on, stands still with a reason, or ends."""

import asyncio
import json
import random
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import RawValue

from interlock.compiler import compile_folder

pytestmark = [pytest.mark.server, pytest.mark.slow]

RUNS = 4
AT_ONCE = 16
KINDS = ("signal", "update", "query", "start")

NAMES = [
    "event", "event", "event", "event", "event", "event", "event", "retry", "retry", "retry", "cancel", "status", "steps", "record", "records",
    "outbox", "plan", "transcript", "message", "takeover", "agent_message", "upgrade", "Event", "event ", "名字", "💥",
    "a" * 900, "__temporal_x", "__stack_trace", "__enhanced_stack_trace", "__temporal_workflow_metadata", "\x00", "",
]  # fmt: skip

EVENTS = ["go", "go", "note", "note", "end", "stop", "", "go ", "__class__", 5, None, ["go"], "x" * 300, "{{ x }}"]
VALUES = [
    0, 1, -1, 2**70, 1.5, True, None, "", "x", "5", "单" * 300, "x" * 70_000, [], ["x"], [[[]]], {}, {"a": {"b": []}}, "\x00",
    "{{ 9**9 }}", "\u202e\u0301" * 50, [None] * 5_000, {f"k{number}": number for number in range(3_000)},
]  # fmt: skip
STEPS = ["pay", "heard", "for_each[a]/go", "receive", "", "../..", "pay/pay", "💥", "x" * 300]


@pytest.fixture(scope="session")
def odd(load):
    """The odd payloads that sessions are attacked with."""
    return load(Path(__file__).with_name("test_faults_inputs.py"))


def almost_an_event(dice):
    """The body of an event, mostly with something odd in it."""
    if dice.random() < 0.3:
        return {"id": f"e{dice.randrange(10**9)}", "name": "go", "data": {"n": dice.randrange(9)}}
    data = {
        dice.choice(["n", "text", "by", "tags", "more", "x"]): dice.choice(VALUES) for _ in range(dice.randrange(4))
    }
    if dice.random() < 0.3:
        data = dice.choice([{"n": dice.randrange(9)}, {"text": "hello"}])
    body = {"id": dice.choice([f"e{dice.randrange(10**9)}", "same", "", 5, None]), "name": dice.choice(EVENTS), "data": dice.choice([data, data, data, *VALUES])}  # fmt: skip
    if dice.random() < 0.1:
        body[dice.choice(["x", "id ", "by"])] = dice.choice(VALUES)
    if dice.random() < 0.1:
        del body[dice.choice(list(body))]
    return body


def almost_a_retry(dice):
    """The body of a retry with something odd in it."""
    said = {dice.choice(STEPS): dice.choice(["did_not_happen", "perhaps", None, 1]) for _ in range(dice.randrange(3))}
    body = {"by": dice.choice(["ann", "", 5, None, "x" * 300]), "resolved": dice.choice([said, said, *VALUES])}
    if dice.random() < 0.3:
        body["plan"] = dice.choice(["latest", "zz", "0" * 64, "", None, 5, "x" * 300])
    return body


def almost_a_start(dice):
    """The input of a procedure with something odd in it."""
    body = {"names": dice.choice([["a", "b"], [], *VALUES])}
    for name in ("n", "when", "x"):
        if dice.random() < 0.3:
            body[name] = dice.choice([*VALUES, "2026-06-01T00:00:00Z", "2026-13-01"])
    return body


MADE = {"event": almost_an_event, "retry": almost_a_retry}


def payload(dice, odd, kind, name):
    """An argument that is nearly right, or nothing like it."""
    if dice.random() < 0.7:
        made = almost_a_start if kind == "start" else MADE.get(name, almost_an_event)
        return RawValue(Payload(metadata={"encoding": b"json/plain"}, data=json.dumps(made(dice)).encode()))
    return odd.odd_payload(dice, kind)


async def attack(client, handle, queue, dice, odd, kind, number):
    """One odd call; what became of it."""
    name = dice.choice(NAMES)
    args = [payload(dice, odd, kind, name) for _ in range(dice.choice([0, 1, 1, 1, 1, 1, 1, 2, 7]))]
    return await odd.called(client, handle, kind, name, args, "heard", id=f"{queue}-{number}", task_queue=queue)


async def alive(client, queue, handles, number):
    """The run of that number, begun anew where somebody has cancelled it."""
    handle = handles.get(number)
    if handle is None or (await handle.describe()).status != WorkflowExecutionStatus.RUNNING:
        names = [[], ["a", "b", "c"]][number % 2]
        begun = f"{queue}-run{number}-{random.random()}"
        handles[number] = await client.start_workflow("heard", {"names": names}, id=begun, task_queue=queue)
    return handles[number]


async def pay(name):
    """Nobody knows whether that is paid."""
    raise RuntimeError(name)


async def test_no_client_input_wedges_a_procedure(row, world, odd, folder):
    wanted = row.times(1_600, 60_000)
    plans = compile_folder(Path(__file__).parent / "specs" / "heard").plans
    async with world.recorded(folder, plans.values(), functions={"pay": pay}) as ours:
        client, queue, handles = await Client.connect(ours.client.config()["service_client"].config.target_host), ours._task_queue, {}  # fmt: skip
        for first in range(0, wanted, AT_ONCE):
            kind = KINDS[first // AT_ONCE % len(KINDS)]
            batch = []
            for one in range(AT_ONCE):
                handle = await alive(client, queue, handles, (first + one) % RUNS)
                dice = random.Random(row.dice.random())
                batch.append(attack(client, handle, queue, dice, odd, kind, first + one))
            row.injected[kind] += AT_ONCE
            try:
                row.hit.update(await asyncio.wait_for(asyncio.gather(*batch), 60))
            except TimeoutError:
                row.violation("no answer within 60 s", kind, first)
        await judge(row, world, client)
        for number in range(RUNS):
            handle = await alive(client, queue, handles, number)
            row.expect((await handle.query("status"))["run"], "no answer", number)
            await handle.signal("cancel", {"by": "ann"})
            row.expect(await ended(handle), "does not end", handle.id)
        for kind in ("update refused", "signal taken", "start taken", "query refused", "query taken"):
            row.expect(row.hit[kind] > wanted / 400, "hardly any", kind, dict(row.hit))
        row.expect(row.hit["update taken"] > 0, "none", "update taken", dict(row.hit))


async def ended(handle):
    """Whether a run that was cancelled ends."""
    for _ in range(200):
        if (await handle.describe()).status != WorkflowExecutionStatus.RUNNING:
            return True
        await asyncio.sleep(0.1)
    return False


async def judge(row, world, client):
    """No failed workflow task in any run."""
    runs = await world.histories(client)
    for run, events in runs:
        failures = world.failed_tasks(events)
        row.expect(not failures, "failed workflow task", run.id, failures[:2])
    row.notes.append(f"{len(runs):,} runs")
