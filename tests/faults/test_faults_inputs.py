"""No client input wedges a run, and nothing over a cap reaches Temporal: a typed error is the answer."""

import asyncio
import json
import random
import zlib

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import Client, WorkflowQueryFailedError, WorkflowUpdateFailedError
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError
from temporalio.testing import ActivityEnvironment

from interlock.client.errors import RejectedError
from interlock.contract.calls import PLAN_UNREADABLE, PlanRequest
from interlock.contract.limits import (
    HISTORY_ENTRIES,
    INLINE_LIMIT,
    MAX_DEPTH,
    MESSAGE_TEXT_LIMIT,
    METADATA_LIMIT,
    NAME_LIMIT,
    USER_LIMIT,
)
from interlock_activities.plans import Plans

pytestmark = pytest.mark.server

SESSIONS = 4
AT_ONCE = 16
KINDS = ("signal", "update", "query", "start")
USER = {"id": "u"}

NAMES = [
    "message", "message", "message", "takeover", "release", "agent_message", "agent_message", "upgrade", "close ", "Message",
    "status", "outbox", "record", "transcript", "plan", "名字", "💥", "a" * 900, "__temporal_x", "__stack_trace",
    "__enhanced_stack_trace", "__temporal_workflow_metadata", "\x00", "", " ", "../..", "{{ x }}", "message\n", "desk",
]  # fmt: skip

ENCODINGS = [
    b"json/plain", b"json/plain", b"json/plain", b"json/plain", b"binary/null", b"binary/plain", b"json/protobuf",
    b"binary/protobuf", b"binary/zlib", b"binary/encrypted", b"binary/gzip", b"json/external-storage-reference",
    b"JSON/PLAIN", b"json/plain; charset=utf-16", b"\xff\xfe", b"", b"refused",
]  # fmt: skip

METADATA = [
    ("messageType", b"temporal.api.sdk.v1.ExternalStorageReference"), ("messageType", b"temporal.api.common.v1.Payload"),
    ("messageType", b"x"), ("__temporal_external_storage_reference", b"true"), ("encoding-encoding", b"binary/zlib"),
    ("type", b"Keyword"), ("", b""), ("encryption-key-id", b"\x00" * 99), ("ключ", b"\xff"),
]  # fmt: skip

TEXTS = ["hello", "find 0012345678", "paint 0012345", "红色", "人工", "x" * 40_000, "", "\x00", "{{ 9**9 }}", "飞 协 博", "\u202e\u0301" * 50]  # fmt: skip


def bomb(size, levels=1):
    """Zeros, compressed again and again."""
    content = b"\0" * size
    for _ in range(levels):
        content = zlib.compress(content)
    return content


def _nested(opening, closing, depth):
    return opening * depth + b"1" + closing * depth


CONTENTS = [
    b"", b"null", b"{}", b"[]", b"0", b'"text"', b"NaN", b"1e999", b"-0", b"[" * 20_000, b'{"a":' * 2_000, b'"\\ud800"',
    b"\xff\xfe\x00", b"1" * 5_000, b"x" * 20_000, b'{"id":"a","id":"b","text":"c"}', b'{"id":"\\ud800","text":"x"}',
    b'{"id":"n","text":"\\u0000"}', b'{"by":"\\u0000"}', b'{"by":["ann"]}', b'{"digest":"zz"}', b"-1", b"9" * 30,
    b'{"id":1e400,"text":""}', _nested(b"[", b"]", 63), _nested(b'{"a":', b"}", 63), b'\xef\xbb\xbf{"id":"b","text":"x"}',
    bomb(30_000_000), bomb(3_000_000, 2), bomb(40_000_000), zlib.compress(b"junk"), zlib.compress(Payload(data=b"{}").SerializeToString()),
    zlib.compress(Payload(metadata={"encoding": b"json/plain"}, data=b'{"id":"z","text":"inside"}').SerializeToString()),
    zlib.compress(Payload(metadata={"encoding": b"binary/zlib"}, data=bomb(9_000)).SerializeToString()),
]  # fmt: skip

ODD = [None, True, 0, -1, 2**70, 1.5, "", " ", "x" * 300, "\u0000", [], {}, ["x"], {"a": {"b": []}}, "human", "telegram"]  # fmt: skip


def almost_a_message(dice):
    """A body of the contract with something odd in it."""
    body = {"id": f"m{dice.randrange(10**9)}", "role": "user", "type": "user_chat", "text": dice.choice(TEXTS), "metadata": {}}  # fmt: skip
    for _ in range(dice.choice([0, 0, 1, 1, 2])):
        key = dice.choice([*body, "history", "metadata", "by", "user", "Text", "id "])
        body[key] = dice.choice(ODD)
    if dice.random() < 0.1:
        del body[dice.choice(list(body))]
    return json.dumps(body).encode()


def almost_a_start(dice):
    """A start input with something odd in it."""
    user = {"id": dice.choice(["u", "", 5, None, "\u0000"]), dice.choice(["tier", "locale", "groups"]): dice.choice(ODD)}  # fmt: skip
    start = {"user": dice.choice([user, {"id": "u"}, *ODD])}
    if dice.random() < 0.4:
        start["message"] = json.loads(almost_a_message(dice))
    if dice.random() < 0.2:
        start[dice.choice(["state", "pinned", "refused", "x"])] = dice.choice(ODD)
    return json.dumps(start).encode()


def odd_payload(dice, kind):
    """Something that no client of ours sends."""
    if dice.random() < 0.35:
        made = almost_a_start if kind == "start" else almost_a_message
        return RawValue(Payload(metadata={"encoding": b"json/plain"}, data=made(dice)))
    metadata = {"encoding": dice.choice(ENCODINGS)} if dice.random() < 0.95 else {}
    if dice.random() < 0.25:
        metadata.update([dice.choice(METADATA)])
    return RawValue(Payload(metadata=metadata, data=dice.choice(CONTENTS)))


async def attack(client, handle, queue, dice, kind, number):
    """One odd call; what became of it."""
    name = dice.choice(NAMES)
    args = [odd_payload(dice, kind) for _ in range(dice.choice([0, 1, 1, 1, 1, 1, 2, 7]))]
    spec = dice.choice(["desk", "desk", "desk", "batch", name or "x"]) if kind == "start" else ""
    return await called(client, handle, kind, name, args, spec, id=f"{queue}-{number}", task_queue=queue)


async def called(client, handle, kind, name, args, spec, **where):
    """Whether a call of that kind was taken or refused."""
    try:
        if kind == "signal":
            await handle.signal(name, args=args)
        elif kind == "update":
            await handle.execute_update(name, args=args)
        elif kind == "query":
            await handle.query(name, args=args)
        else:
            await client.start_workflow(spec, args=args, **where)
    except (RPCError, WorkflowQueryFailedError, WorkflowUpdateFailedError):
        return f"{kind} refused"
    return f"{kind} taken"


@pytest.mark.slow
async def test_no_client_input_wedges_a_run(row, world, plans, folder):
    wanted = row.times(3_000, 100_000)
    async with world.served(folder, plans.values()) as (ours, _, server):
        client, queue = await Client.connect(server.address), ours._task_queue
        for number in range(SESSIONS):
            await ours.open("desk", f"s{number}", user=USER)
        handles = [client.get_workflow_handle(f"desk:s{number}") for number in range(SESSIONS)]
        for first in range(0, wanted, AT_ONCE):
            # A query in the middle of other calls waits a second for the server; of one kind at a time they are quick.
            kind = KINDS[first // AT_ONCE % len(KINDS)]
            batch = []
            for one in range(AT_ONCE):
                handle = handles[(first + one) % SESSIONS]
                dice = random.Random(row.dice.random())
                batch.append(attack(client, handle, queue, dice, kind, first + one))
            row.injected[kind] += AT_ONCE
            try:
                row.hit.update(await asyncio.wait_for(asyncio.gather(*batch), 60))
            except TimeoutError:
                row.violation("no answer within 60 s", kind, first)
        await judge_runs(row, world, client)
        for number in range(SESSIONS):
            await ours.release("desk", f"s{number}")
            reply = await ours.send("desk", f"s{number}", "are you there?", user=USER)
            row.expect(reply["outcome"] in ("answer", "ask", "decline"), "a session answers no more", reply)
        for kind in ("update refused", "signal taken", "start taken", "query refused"):
            row.expect(row.hit[kind] > wanted / 300, "hardly any", kind, dict(row.hit))
        # Chance rarely makes an odd update that is right all the same: about one in three hundred.
        row.expect(row.hit["update taken"] > 0, "none", "update taken", dict(row.hit))


async def judge_runs(row, world, client):
    """No failed workflow task in any run."""
    runs = await world.histories(client)
    for run, events in runs:
        failures = world.failed_tasks(events)
        row.expect(not failures, "failed workflow task", run.id, failures[:2])
    row.notes.append(f"{len(runs):,} runs")


# -- caps -----------------------------------------------------------------------------------------------------------------


def deep(levels):
    """An object with so many levels."""
    value = "x"
    for _ in range(levels):
        value = {"a": value}
    return value


def bodies():
    """What is over a cap in a message, by name."""
    return {
        "text": {"text": "x" * (MESSAGE_TEXT_LIMIT + 1)},
        "Chinese text": {"text": "单" * (MESSAGE_TEXT_LIMIT + 1)},
        "id": {"id": "x" * (NAME_LIMIT + 1)},
        "type": {"type": "x" * (NAME_LIMIT + 1)},
        "role": {"role": "x" * (NAME_LIMIT + 1)},
        "metadata": {"metadata": {"a": "x" * METADATA_LIMIT}},
        "deep metadata": {"metadata": deep(MAX_DEPTH + 1)},
        "many keys": {"metadata": {f"k{n}": n for n in range(20_000)}},
        "history": {"history": [{"role": "user", "text": "x"}] * (HISTORY_ENTRIES + 1)},
        "long history": {"history": [{"role": "user", "text": "x" * MESSAGE_TEXT_LIMIT}] * 20},
        "whole body": {"history": [{"role": "user", "text": "单" * 30_000}] * 9},
    }


def answers():
    """What a service answers that is over a cap, and its status."""
    return {
        "large answer": (200, b'{"no":"1","place":"' + b"x" * INLINE_LIMIT + b'"}'),
        "50 MB": (200, b'{"no":"1","place":"' + b"x" * 50_000_000 + b'"}'),
        "deep answer": (200, b'{"no":"1","place":"x","z":' + b"[" * 100 + b"]" * 100 + b"}"),
        "very deep answer": (200, b"[" * 100_000 + b"]" * 100_000),
        "large integer": (200, b'{"no":"1","place":"x","n":' + b"9" * 5_000 + b"}"),
        "large error": (500, b'{"e":"' + b"x" * (INLINE_LIMIT - 100) + b'"}'),
        "larger error": (400, b'{"e":"' + b"x" * INLINE_LIMIT * 2 + b'"}'),
        "many keys": (200, json.dumps({f"k{n}": n for n in range(40_000)}).encode()),
    }


async def test_nothing_over_a_cap_reaches_temporal(row, world, desk, folder):
    async with world.served(folder, [desk], every_events=50) as (client, items, _):
        handle_id = "desk:caps"
        await client.open("desk", "caps", user=USER)
        handle = client.client.get_workflow_handle(handle_id)
        before = len((await handle.fetch_history()).events)
        for name, parts in bodies().items():
            row.injected[name] += 1
            kind = await refusal(handle.execute_update("message", {"id": "m", "text": "x", "metadata": {}} | parts))
            row.hit["message refused"] += kind == "malformed"
            row.expect(kind == "malformed", "message", name, kind)
        row.injected["digits"] += 1
        digits = Payload(
            metadata={"encoding": b"json/plain"}, data=b'{"id":"m","text":"x","metadata":{"n":%s}}' % (b"9" * 5_000)
        )
        row.hit["message refused"] += await refusal(handle.execute_update("message", RawValue(digits))) == "malformed"
        row.expect(len((await handle.fetch_history()).events) == before, "refused messages reached the history")
        row.injected["user"] += 1
        try:
            await client.open("desk", "large-user", user={"id": "u", "x": "x" * USER_LIMIT})
            row.violation("a user over the cap")
        except RejectedError as error:
            row.hit["start refused"] += error.kind == "malformed"
        for number, (name, (status, content)) in enumerate(answers().items()):
            row.injected[name] += 1
            items.faults[f"900{number}"] = lambda handler, s=status, c=content: handler.send(s, c)
            reply = await client.send("desk", "caps", f"find 900{number}", user=USER, timeout=60)
            row.hit["answer refused"] += reply["outcome"] == "refuse"
            row.expect(reply["outcome"] == "refuse", "answer", name, reply)
        await largest_that_is_allowed(row, client, items)
        await judge_runs(row, world, client.client)
        await judge_sizes(row, world, client.client)


async def refusal(update):
    """The type of the error that an update ends in."""
    try:
        await update
    except WorkflowUpdateFailedError as error:
        return error.cause.type
    except RPCError as error:
        return str(error)
    return "taken"


async def largest_that_is_allowed(row, client, items):
    """What is just within the caps is taken, turn after turn, and a session full of it continues as new."""
    place = row.dice.randbytes(INLINE_LIMIT // 2 - 40).hex().encode()  # hardly compressible
    items.faults["8000"] = lambda handler: handler.send(200, b'{"no":"8000","place":"' + place + b'"}')
    for number in range(12):
        text = ("find 8000 " if number % 2 else "") + "单" * (MESSAGE_TEXT_LIMIT - 20)
        row.injected["largest"] += 1
        reply = await client.send("desk", "full", text, user=USER, timeout=60)
        row.hit["largest taken"] += reply["outcome"] == "answer"
        row.expect(reply["outcome"] == "answer", "largest refused", number, reply["outcome"], reply["reason"])


async def judge_sizes(row, world, client):
    """No payload in any history is near the 2 MB that the server refuses."""
    largest = 0
    for _, events in await world.histories(client):
        largest = max(largest, *(event.ByteSize() for event in events))
    row.notes.append(f"largest event {largest:,} bytes")
    row.expect(largest < 1_600_000, "an event is too large", largest)


async def test_a_plan_over_the_cap_without_a_store_is_a_typed_failure(row, desk):
    words = row.dice.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=700_000)
    large = desk.model_copy(update={"name": "large", "config": {"text": "".join(words)}})
    row.injected["plan"] += 1
    with pytest.raises(ApplicationError, match="needs a plan store") as refused:
        await ActivityEnvironment().run(Plans([large], None).resolve_plan, PlanRequest("large"))
    row.hit["plan refused"] += refused.value.type == PLAN_UNREADABLE
