"""Models and their services that fail, lie or hang: each time a defined outcome within the deadline."""

import asyncio
import json

import pytest
from temporalio.testing import ActivityEnvironment

from interlock.contract.models import MODEL_ERROR, MODEL_TIMEOUT
from interlock_activities import Activities, Settings
from tests.activities.models import services
from tests.activities.models.services import BOTH

TOOL = {"name": "track", "description": "", "parameters": {"type": "object"}}


async def drip(writer, body, pause=0.02):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
    for byte in body:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(pause)


@BOTH
def test_a_body_that_drips_ends_at_the_deadline(serve, asking, failing, provider):
    async def dripping(_request, writer):
        await drip(writer, b": \n" * 10_000)

    assert failing(asking(serve(handler=dripping), provider, streamed=True, timeout_ms=300)).type == MODEL_TIMEOUT


@BOTH
def test_a_stream_that_stops_in_the_middle_ends_at_the_deadline(serve, asking, failing, provider):
    async def stopping(_request, writer):
        writer.write(services.streamed(provider).replace(b"content-length", b"x-length")[:500])
        await asyncio.sleep(60)

    assert failing(asking(serve(handler=stopping), provider, streamed=True, timeout_ms=300)).type == MODEL_TIMEOUT


@BOTH
def test_a_slow_stream_within_the_deadline_is_whole(serve, asking, generate, provider):
    async def slow(_request, writer):
        await drip(writer, services.event_bytes(provider, services.EVENTS[provider]()), pause=0)

    answer = generate(asking(serve(handler=slow), provider, streamed=True, timeout_ms=10_000))
    assert answer.text == "It is in Hamburg."


@BOTH
@pytest.mark.parametrize("events", [0, 1, 3, 4])
def test_a_stream_that_breaks_off_is_no_answer(serve, asking, failing, provider, events):
    told = list(services.EVENTS[provider]())[:events]
    body = b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in told)
    failure = failing(asking(serve(services.stream_of(body)), provider, streamed=True))
    assert (failure.type, failure.non_retryable) == (MODEL_ERROR, False)
    assert ("broke off" in failure.message) is bool(events)


@BOTH
def test_a_stream_cut_by_the_connection_is_no_answer(serve, asking, failing, provider):
    async def cut(_request, writer):
        writer.write(services.streamed(provider)[:700])
        writer.close()

    failure = failing(asking(serve(handler=cut), provider, streamed=True))
    assert (failure.type, failure.non_retryable) == (MODEL_ERROR, False)


@BOTH
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not JSON in UTF-8|refused|broke off"),
        (b'{"choices": [', "refused: not-json"),
        (b'{"id": "a", "id": "b"}', "refused: duplicate-key"),
        (b'{"usage": {"prompt_tokens": NaN}}', "refused: not-a-number"),
        (b'{"x": 1e999}', "refused: number-not-exact"),
        (b"[" * 90_000, "refused: too-deep"),
        (b'"\\ud800"', "refused: lone-surrogate"),
        (b"null", "no choices|no content|no object"),
        (b"[]", "no choices|no content|no object"),
        (b"{}", "no choices|no content|broke off"),
        (b"\xff\xfe", "UTF-8|not-utf-8"),
    ],
)
def test_what_cannot_be_read_is_no_answer(serve, asking, failing, provider, streamed, content, says):
    wire = serve(services.stream_of(b"data: " + content + b"\n\n") if streamed else services.raw(body=content))
    failure = failing(asking(wire, provider, streamed=streamed))
    assert (failure.type, failure.non_retryable) == (MODEL_ERROR, False)
    assert any(part in failure.message for part in says.split("|"))


@BOTH
@pytest.mark.parametrize(
    "kind", ["text/html", "application/json; charset=gbk", "application/octet-stream", "text/plain"]
)
def test_another_content_type_is_no_answer_and_is_not_told(serve, asking, failing, provider, kind):
    failure = failing(asking(serve(body=b"<html>planted words", content_type=kind), provider))
    assert "not JSON in UTF-8" in failure.message
    assert "planted" not in failure.message


@BOTH
def test_events_that_nobody_asked_for_are_no_answer(serve, asking, failing, provider):
    assert "not JSON in UTF-8" in failing(asking(serve(services.streamed(provider)), provider)).message


@BOTH
@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_over_the_cap_is_refused_whole(serve, asking, failing, provider, streamed):
    text = "x" * 2_000_000
    wire = serve(
        services.streamed(provider, pieces=[text[:9_000]] * 222)
        if streamed
        else services.raw(body=services.ANSWERS[provider](text))
    )
    failure = failing(asking(wire, provider, streamed=streamed, timeout_ms=9_000))
    assert failure.non_retryable
    assert "larger than it may be" in failure.message or "more than 262,144 bytes" in failure.message


@BOTH
def test_endless_arguments_are_refused_whole(serve, asking, failing, provider):
    calls = [("track", {"x": "y" * 3_000})]
    failure = failing(asking(serve(services.streamed(provider, calls=calls)), provider, streamed=True, max_bytes=2_000))
    assert failure.message == "model 'writer': the answer is refused: too-large"


def test_a_stream_of_envelopes_without_end_is_refused(serve, asking, failing):
    body = b'data: {"choices":[]}\n\n' * 20_000
    failure = failing(asking(serve(services.stream_of(body)), streamed=True, max_bytes=200))
    assert "more than 102,400 bytes" in failure.message


@BOTH
def test_a_fault_told_in_the_middle_of_a_stream_is_a_failure(serve, asking, failing, provider):
    told = list(services.EVENTS[provider]())[:4]
    fault = {"type": "error", "error": {"type": "overloaded_error", "message": "planted words"}}
    body = b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in [*told, fault])
    failure = failing(asking(serve(services.stream_of(body)), provider, streamed=True))
    assert failure.message == "model 'writer': the service broke off (overloaded_error)"
    assert not failure.non_retryable


def test_a_fault_told_by_the_name_of_the_event_is_a_failure(serve, asking, failing):
    body = b'event: error\ndata: {"code": "boom", "message": "planted"}\n\n'
    assert "(boom)" in failing(asking(serve(services.stream_of(body)), streamed=True)).message


def test_a_tool_that_there_is_not_is_told_as_it_was_called(serve, asking, generate):
    wire = serve(body=services.openai(None, calls=[("rm_rf", {"all": True})]))
    answer = generate(asking(wire, tools=[TOOL]))
    assert answer.calls == [{"id": "call_1", "name": "rm_rf", "arguments": {"all": True}}]


def test_a_stream_that_is_left_at_its_time_out_is_hung_up_on_at_once(serve, asking):
    left = []

    async def dripping(_request, writer):
        try:
            await drip(writer, b": \n" * 10_000, pause=0.01)
        finally:
            left.append(1)

    wire = serve(handler=dripping)

    async def busy():
        while True:  # a worker with other things to do: what is due together is not done together
            sum(range(30_000))
            await asyncio.sleep(0)

    async def work():
        served = Activities(Settings(env={}, secrets={}))
        beside = asyncio.ensure_future(busy())
        asked = [
            ActivityEnvironment().run(served.callables[2], asking(wire, streamed=True, timeout_ms=700))
            for _ in range(60)
        ]
        ends = await asyncio.gather(*asked, return_exceptions=True)
        beside.cancel()
        for _ in range(100):  # the server has to see it
            if len(left) < len(wire.seen):
                await asyncio.sleep(0.05)
        hung_up = len(left)
        await served.aclose()
        return ends, hung_up

    ends, hung_up = asyncio.run(work())
    assert {one.type for one in ends} == {MODEL_TIMEOUT}
    assert hung_up == len(wire.seen) > 0
