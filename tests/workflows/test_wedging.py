"""Nothing that a client sends fails a workflow task: odd names, arities, encodings, sizes, on every kind of call."""

import asyncio
import random
import zlib
from collections import Counter

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import WorkflowQueryFailedError, WorkflowUpdateFailedError
from temporalio.common import RawValue
from temporalio.service import RPCError

pytestmark = pytest.mark.server

ATTACKS = 320
AT_ONCE = 8
KINDS = ["signal", "update", "query", "start"]

NAMES = [
    "message", "message", "takeover", "release", "agent_message", "upgrade", "status", "outbox", "record", "transcript",
    "plan", "x", "名字", "💥", "a" * 200, "__temporal_foo", "__stack_trace", "__temporal_workflow_metadata", "\x00", "",
]  # fmt: skip

ENCODINGS = [
    b"json/plain", b"json/plain", b"json/plain", b"binary/null", b"binary/plain", b"json/protobuf", b"binary/protobuf",
    b"binary/zlib", b"binary/encrypted", b"json/external-storage-reference", b"\xff\xfe", b"",
]  # fmt: skip

CONTENTS = [
    b"", b"null", b"{}", b"[]", b"0", b'"text"', b"NaN", b"1e999", b"[" * 20_000, b'{"a":' * 2_000, b'"\\ud800"',
    b"\xff\xfe\x00", b"1" * 5_000, b"x" * 20_000, b'{"id":"a","id":"b","text":"c"}', b'{"id":"\\ud800","text":"x"}',
    b'{"id":"n","text":"\\u0000"}', b'{"by":"\\u0000"}', b'{"by":["ann"]}', b'{"digest":"zz"}', b"-1", b"9" * 30,
    b'{"id":"q","text":"%s"}' % (b"a" * 40_000), b'{"id":"w","text":"x","type":"telegram"}', b'{"id":1e400,"text":""}',
    zlib.compress(b"\0" * 3_000_000), zlib.compress(b"junk"), zlib.compress(Payload(data=b"{}").SerializeToString()),
]  # fmt: skip


def odd_payload(dice):
    metadata = {}
    if dice.random() < 0.95:
        metadata["encoding"] = dice.choice(ENCODINGS)
    if dice.random() < 0.2:
        metadata["messageType"] = dice.choice(
            [b"temporal.api.sdk.v1.ExternalStorageReference", b"temporal.api.common.v1.Payload", b"x"]
        )
    if dice.random() < 0.1:
        metadata["__temporal_external_storage_reference"] = b"true"
    return RawValue(Payload(metadata=metadata, data=dice.choice(CONTENTS)))


async def attack(client, handle, queue, dice, kind, number):
    name = dice.choice(NAMES)
    args = [odd_payload(dice) for _ in range(dice.choice([0, 1, 1, 1, 1, 2, 7]))]
    try:
        if kind == "signal":
            await handle.signal(name, args=args)
        elif kind == "update":
            await handle.execute_update(name, args=args)
        elif kind == "query":
            await handle.query(name, args=args)
        else:
            spec = dice.choice(["support", "support", name or "x"])
            await client.start_workflow(spec, args=args, id=f"{queue}-{number}", task_queue=queue)
    except (RPCError, WorkflowQueryFailedError, WorkflowUpdateFailedError):
        return f"{kind} refused"
    return f"{kind} taken"


async def test_no_input_of_a_client_fails_a_workflow_task(stage, support, user, failed_tasks):
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    dice = random.Random(seed)
    async with stage.serving(support()):
        client = await stage.plain()
        handle = await client.start_workflow(
            "support", {"user": user}, id=f"support:{stage.queue}", task_queue=stage.queue
        )
        ends = Counter()
        for first in range(0, ATTACKS, AT_ONCE):
            # A query in the middle of other calls waits a second for the server; of one kind at a time they are quick.
            kind = KINDS[first // AT_ONCE % len(KINDS)]
            batch = [attack(client, handle, stage.queue, dice, kind, first + one) for one in range(AT_ONCE)]
            ends.update(await asyncio.wait_for(asyncio.gather(*batch), 30))
        print(dict(ends))
        assert ends.total() == ATTACKS
        assert ends["update refused"] > 20
        assert ends["signal taken"] > 20
        assert ends["start taken"] > 20
        failures = await failed_tasks(handle)
        async for run in client.list_workflows(f"TaskQueue = '{stage.queue}'"):
            failures += await failed_tasks(client.get_workflow_handle(run.id))
        assert failures == []
        body = {"id": "last", "role": "other", "text": "are you still there?"}
        assert (await handle.execute_update("message", body))["outcome"] == "empty"


async def test_a_payload_that_claims_to_be_stored_elsewhere_is_data_like_any_other(stage, support, user, failed_tasks):
    claims = [
        Payload(metadata={"encoding": b"json/external-storage-reference"}, data=b"{}"),
        Payload(
            metadata={
                "encoding": b"json/protobuf",
                "messageType": b"temporal.api.sdk.v1.ExternalStorageReference",
                "__temporal_external_storage_reference": b"true",
            },
            data=b"{}",
        ),
    ]
    async with stage.serving(support()):
        client = await stage.plain()
        handle = await client.start_workflow(
            "support", {"user": user}, id=f"support:{stage.queue}", task_queue=stage.queue
        )
        for claim in claims:
            await handle.signal("takeover", RawValue(claim))
            with pytest.raises(WorkflowUpdateFailedError) as refused:
                await handle.execute_update("message", RawValue(claim))
            assert refused.value.cause.type == "malformed"
        assert await failed_tasks(handle) == []


async def test_a_turn_that_fails_in_the_engine_fails_for_its_caller_alone(stage, support, user, failed_tasks):
    from interlock.plan.rules import Route

    broken = Route(at="agent.yaml:1:1", id="broken", when="message.text == 'boom'", flow="no-such-flow")
    plan = support()
    plan = plan.model_copy(update={"routes": (broken, *plan.routes)})
    async with stage.serving(plan):
        client = await stage.plain()
        handle = await client.start_workflow(
            "support", {"user": user}, id=f"support:{stage.queue}", task_queue=stage.queue
        )
        with pytest.raises(WorkflowUpdateFailedError) as failed:
            await handle.execute_update("message", {"id": "m1", "text": "boom"})
        assert failed.value.cause.type == "internal_error"
        assert (await handle.execute_update("message", {"id": "m2", "text": "hello"}))["text"] == "echo hello"
        assert await failed_tasks(handle) == []
