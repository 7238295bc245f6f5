"""Payloads: what callers see stays plain, what passes to activities is compressed, what is forged does no harm."""

import asyncio
import dataclasses
import json
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue
from temporalio.converter import (
    ActivitySerializationContext,
    DefaultPayloadConverter,
    PayloadCodec,
    WithSerializationContext,
    WorkflowSerializationContext,
)

from interlock.client.converter import CLIENT_CONVERTER, INFLATED_LIMIT, WORKER_CONVERTER, Compression
from interlock.contract.calls import ToolAnswer, ToolRequest
from interlock.interpreter.state import State
from interlock_workflows.carried import CARRIED_LIMIT, packed, unpacked

IN_ACTIVITY = ActivitySerializationContext(
    namespace="n",
    activity_id=None,
    activity_type=None,
    activity_task_queue=None,
    workflow_id="w",
    workflow_type="t",
    is_local=False,
)
IN_WORKFLOW = WorkflowSerializationContext(namespace="n", workflow_id="w")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(json_values)
def test_every_json_value_arrives_as_it_was_at_us_and_at_a_plain_client(value):
    [payload] = asyncio.run(CLIENT_CONVERTER.encode([value]))
    assert DefaultPayloadConverter().from_payload(payload) == value
    compressed = asyncio.run(CLIENT_CONVERTER.with_context(IN_ACTIVITY).encode([[value] * 50]))
    assert asyncio.run(CLIENT_CONVERTER.decode(compressed)) == [[value] * 50]


def test_keys_keep_their_order():
    value = {"z": 1, "a": {"y": 1, "b": 2}}
    [payload] = asyncio.run(CLIENT_CONVERTER.encode([value]))
    assert payload.data == b'{"z":1,"a":{"y":1,"b":2}}'


@pytest.mark.parametrize("text", ["你好", "\ud800", "a\u0000b"])
def test_text_of_any_kind_can_be_written(text):
    [payload] = asyncio.run(CLIENT_CONVERTER.encode([text]))
    assert json.loads(payload.data) == text


def test_only_what_passes_to_activities_is_compressed():
    value = ["x" * 100] * 100
    [seen_by_callers] = asyncio.run(CLIENT_CONVERTER.with_context(IN_WORKFLOW).encode([value]))
    [between] = asyncio.run(CLIENT_CONVERTER.with_context(IN_ACTIVITY).encode([value]))
    [small] = asyncio.run(CLIENT_CONVERTER.with_context(IN_ACTIVITY).encode(["x"]))
    assert seen_by_callers.metadata["encoding"] == small.metadata["encoding"] == b"json/plain"
    assert between.metadata["encoding"] == b"binary/zlib"
    assert len(between.data) < len(seen_by_callers.data) / 10


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.binary(max_size=100).map(zlib.compress))
def test_a_forged_compressed_payload_is_left_as_it_is_or_read_and_never_fails(data):
    forged = Payload(metadata={"encoding": b"binary/zlib"}, data=data)
    assert len(asyncio.run(Compression().decode([forged]))) == 1


def test_a_payload_made_to_swell_is_left_as_it_is():
    inside = Payload(metadata={"encoding": b"json/plain"}, data=b" " * INFLATED_LIMIT + b"1")
    bomb = Payload(metadata={"encoding": b"binary/zlib"}, data=zlib.compress(inside.SerializeToString()))
    assert asyncio.run(Compression().decode([bomb])) == [bomb]


def test_a_worker_gets_untyped_arguments_raw_in_any_encoding():
    odd = Payload(metadata={"encoding": b"binary/unheard-of"}, data=b"?")
    assert WORKER_CONVERTER.payload_converter.from_payloads([odd, odd], None) == [RawValue(odd), RawValue(odd)]
    assert (
        WORKER_CONVERTER.payload_converter.from_payload(Payload(metadata={"encoding": b"json/plain"}, data=b"5"), int)
        == 5
    )


def test_what_a_run_carries_fits_and_gives_up_the_oldest_records_first():
    dice = random.Random(5)

    def noise():
        return "".join(map(chr, dice.choices(range(0x4E00, 0x9000), k=4_000)))

    state = State("s", "r", "d", {"id": "u1"})
    state.records = [{"turn": turn, "text": noise()} for turn in range(300)]
    state.seen = {f"m{number}": {"reply": noise()} for number in range(20)}
    [payload] = asyncio.run(CLIENT_CONVERTER.encode([packed(state, pinned=True, refused=[])]))
    assert len(payload.data) <= CARRIED_LIMIT
    [inside] = asyncio.run(Compression().decode([payload]))
    carried = unpacked(RawValue(inside))
    assert list(carried["state"]["seen"]) == [f"m{number}" for number in range(20)]
    assert carried["state"]["records"][-1]["turn"] == 299
    assert carried["pinned"] is True
    assert len(state.records) == 300


def test_a_state_with_nothing_left_to_shed_is_carried_all_the_same():
    dice = random.Random(6)
    state = State("s", "r", "d", {"id": "".join(map(chr, dice.choices(range(0x4E00, 0x9000), k=1_000_000)))})
    state.seen = {"m1": {"reply": "x"}}
    [inside] = asyncio.run(Compression().decode([packed(state, pinned=False, refused=[]).payload]))
    carried = unpacked(RawValue(inside))
    assert carried["state"]["seen"] == {}
    assert carried["state"]["user"] == state.user


def test_what_workflows_and_activities_say_to_each_other_arrives_as_it_was():
    request = ToolRequest("t", "c", "r", "s", "http", 1_000, 10, server={"http": "h"}, arguments=[{"name": "单"}])
    answer = ToolAnswer(200, {"id": 2**64}, 5, 1)
    for said in (request, answer):
        payloads = asyncio.run(WORKER_CONVERTER.with_context(IN_ACTIVITY).encode([said]))
        assert asyncio.run(WORKER_CONVERTER.decode(payloads, [type(said)])) == [said]


def test_a_key_of_another_version_is_passed_over_and_one_that_is_missing_gets_its_default():
    content = (
        b'{"tool":"t","call_id":"c","run_id":"r","step":"s","transport":"http","timeout_ms":1,"max_bytes":2,"new":3}'
    )
    sent = Payload(metadata={"encoding": b"json/plain"}, data=content)
    read = WORKER_CONVERTER.payload_converter.from_payload(sent, ToolRequest)
    assert read == ToolRequest("t", "c", "r", "s", "http", 1, 2)
    bare = Payload(metadata={"encoding": b"json/plain"}, data=b'{"tool":"t"}')
    with pytest.raises(TypeError, match="call_id"):
        WORKER_CONVERTER.payload_converter.from_payload(bare, ToolRequest)


def test_a_codec_that_is_not_ours_sees_every_context():
    class Seeing(PayloadCodec, WithSerializationContext):
        def __init__(self, workflow=None):
            self.workflow = workflow

        def with_context(self, context):
            return Seeing(context.workflow_id)

        async def encode(self, payloads):
            return [Payload(metadata={"by": self.workflow.encode()}, data=one.data) for one in payloads]

        async def decode(self, payloads):
            return list(payloads)

    converter = dataclasses.replace(WORKER_CONVERTER, payload_codec=Seeing())
    for workflow in ("one", "two"):
        context = WorkflowSerializationContext(namespace="n", workflow_id=workflow)
        [payload] = asyncio.run(converter.with_context(context).encode(["x"]))
        assert payload.metadata["by"] == workflow.encode()


def test_our_own_codec_is_made_once_for_each_kind_of_context():
    assert WORKER_CONVERTER.with_context(IN_ACTIVITY) is WORKER_CONVERTER.with_context(IN_ACTIVITY)
    assert WORKER_CONVERTER.with_context(IN_ACTIVITY) is not WORKER_CONVERTER.with_context(IN_WORKFLOW)
