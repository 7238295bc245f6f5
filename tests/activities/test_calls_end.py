import asyncio
import json
import threading
import time
from datetime import timedelta

import pytest
import structlog
from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract.calls import FailureDetails, ToolAnswer, ToolRequest, details_of
from interlock_activities import Activities, Settings

SECRET = "planted-secret-1f9c"
AUTHS = {
    "bearer": {"kind": "bearer", "value": "{{ secrets.DESK_KEY }}"},
    "basic": {"kind": "basic", "value": "desk:{{ secrets.DESK_KEY }}"},
    "header": {"kind": "header", "header": "x-key", "value": "{{ secrets.DESK_KEY }}"},
}


WAYS = ["html", "json", "escaped", "cut", "error", "location", "header", "broken"]


@pytest.mark.parametrize(("auth", "way"), [(auth, way) for auth in AUTHS for way in WAYS])
def test_a_service_that_repeats_a_credential_puts_it_nowhere(serve, request_to, call, said, auth, way):
    async def repeat(request, writer):
        told = (request.header("authorization") or request.header("x-key")).split()[-1]
        answers = {
            "html": {"body": told.encode(), "content_type": "text/html"},
            "json": {"body": {"seen": {f"key {told}": 1}}},
            "escaped": {"body": json.dumps([told]).replace("p", "\\u0070").replace("s", "\\u0073").encode()},
            "cut": {"body": b"x" * 70 + told.encode(), "content_type": "text/plain"},
            "error": {"status": 500, "body": {"seen": [told]}},
            "location": {"status": 302, "location": f"http://{told.rstrip('=')}.evil.test/{told}"},
            "header": {"content_encoding": told},
        }
        writer.write(told.encode() + b"\r\n\r\n" if way == "broken" else wire.raw(**answers[way]))
        await writer.drain()
        writer.close()

    wire = serve(handler=repeat)
    request = request_to(wire, server={"auth": AUTHS[auth]}, arguments=[("number", "query", "planted-argument")])
    with pytest.raises(ApplicationError) as failure:
        call(request, secrets={"DESK_KEY": SECRET})
    everything = asyncio.run(_as_history(failure.value)) + said()
    encoded = (wire.seen[0].header("authorization") or SECRET).split()[-1]
    assert failure.value.__cause__ is None
    assert "tool_called" in everything
    for planted in (SECRET[:10], encoded[:10], "planted-argument"):
        assert planted not in everything


def test_a_short_credential_is_blotted_out_of_messages(serve, request_to, call):
    wire = serve(body=b"sign in as kEy7", content_type="text/plain")
    with pytest.raises(ApplicationError, match=r"sign in as \[secret\]"):
        call(request_to(wire, server={"auth": AUTHS["bearer"]}), secrets={"DESK_KEY": "KeY7"})


async def _as_history(error):
    failure = Failure()
    await DataConverter.default.encode_failure(error, failure)
    return str(failure)


def test_one_line_is_logged_for_each_call_without_arguments_and_bodies(serve, request_to, call):
    wire = serve(body={"name": "planted-answer"})
    with structlog.testing.capture_logs() as logs:
        call(request_to(wire, arguments=[("number", "query", "planted-argument")]))
    assert [(line["event"], line["tool"], line["outcome"], line["attempt"]) for line in logs] == [
        ("tool_called", "lookup", "success", 1)
    ]
    assert "planted" not in json.dumps(logs)
    assert set(logs[0]) == {
        "event", "log_level", "tool", "run", "step", "call", "outcome", "status", "attempt", "elapsed_ms",
    }  # fmt: skip


def test_a_cancelled_call_hangs_up(broken_off, request_to):
    logs = broken_off(0, lambda wire: request_to(wire, timeout_ms=30_000), ActivityEnvironment())
    assert [line["outcome"] for line in logs] == ["cancelled"]


def test_a_call_beats_while_it_runs_where_heartbeats_are_asked_for(serve, request_to, call):
    async def slow(_request, writer):
        await asyncio.sleep(0.25)
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    beats = []
    environment = ActivityEnvironment()
    environment.on_heartbeat = lambda *_: beats.append(time.monotonic())
    call(request_to(serve(handler=slow)), environment=environment)
    assert beats == []
    environment.info = environment.info.__class__(
        **{**environment.info.__dict__, "heartbeat_timeout": timedelta(milliseconds=150)}
    )
    call(request_to(serve(handler=slow)), environment=environment)
    assert len(beats) >= 4


def test_the_number_of_the_attempt_is_in_answers_and_failures(serve, request_to, call):
    environment = ActivityEnvironment()
    environment.info = environment.info.__class__(**{**environment.info.__dict__, "attempt": 3})
    assert call(request_to(serve()), environment=environment).attempts == 3
    with pytest.raises(ApplicationError) as failure:
        call(request_to(serve(status=500)), environment=environment)
    assert details_of(failure.value.details, "error").attempts == 3


def test_a_transport_that_a_worker_lacks_is_named(request_to, call):
    with pytest.raises(ApplicationError, match="this worker has no transport 'pigeon'") as failure:
        call(request_to(transport="pigeon"))
    assert failure.value.non_retryable


def test_a_fault_of_the_engine_is_final_and_says_nothing_of_the_arguments(request_to, call):
    request = request_to(arguments=[("number", "query", "planted-argument")])
    del request.arguments[0]["send_as"]
    with pytest.raises(ApplicationError) as failure:
        call(request)
    assert failure.value.message == "tool 'lookup': the engine's own code raised KeyError"
    assert failure.value.type == "tool_misconfigured"
    assert failure.value.__suppress_context__


def test_requests_and_answers_cross_the_boundary_unchanged(request_to):
    request = request_to(arguments=[("id", "body", 2**128 - 1), ("no", "query", "0012")], outcomes=[{"at": "x"}])
    for value in (request, ToolAnswer(200, {"id": 2**64}, 5, 1)):
        converter = DataConverter.default.payload_converter
        (back,) = converter.from_payloads(converter.to_payloads([value]), [type(value)])
        assert back == value


@pytest.mark.parametrize("details", [(), ("text",), ({"other": 1},), ({},), (None,)])
def test_failures_of_others_have_bare_details(details):
    assert details_of(details, "timeout") == FailureDetails(ending="timeout")


def test_many_calls_run_side_by_side(serve, request_to):
    async def slow(_request, writer):
        await asyncio.sleep(0.2)
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    wire = serve(handler=slow)

    async def work():
        served = Activities(Settings(env={}, secrets={}))
        await asyncio.gather(*(ActivityEnvironment().run(served.callables[0], request_to(wire)) for _ in range(50)))
        await served.aclose()

    started = time.monotonic()
    asyncio.run(work())
    assert time.monotonic() - started < 3
    assert len(wire.seen) == 50
    assert threading.active_count() < 20


def test_a_request_is_plain_data():
    assert ToolRequest("t", "c", "r", "s", "http", 1, 1).arguments == []
