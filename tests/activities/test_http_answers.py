import asyncio
import gzip
import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from temporalio.exceptions import ApplicationError

from interlock.contract.calls import details_of

LIMIT = 256 * 1024


def failing(call, request, **settings):
    started = time.monotonic()
    with pytest.raises(ApplicationError) as failure:
        call(request, **settings)
    assert time.monotonic() - started < 2.5
    return failure.value


def test_an_answer_is_its_status_and_its_exact_payload(serve, request_to, call):
    body = '{"id": 340282366920938463463374607431768211455, "no": "0012", "rate": 0.1, "名": "深圳"}'.encode()
    answer = call(request_to(serve(body=body)))
    assert answer.status == 200
    assert answer.payload == {"id": 2**128 - 1, "no": "0012", "rate": 0.1, "名": "深圳"}
    assert answer.attempts == 1
    assert 0 <= answer.elapsed_ms < 3_000


@pytest.mark.parametrize("raw", [b"HTTP/1.1 204 No Content\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
def test_an_empty_answer_has_no_payload(serve, request_to, call, raw):
    assert call(request_to(serve(raw))).payload is None


@pytest.mark.parametrize("kind", ["application/json; charset=UTF-8", "application/problem+json", "text/json", None])
def test_content_types_of_json_are_read(serve, request_to, call, kind):
    assert call(request_to(serve(body=b"[1]", content_type=kind))).payload == [1]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_4xx_that_would_come_again_is_an_answer(serve, request_to, call, status):
    wire = serve(status=status, body={"missing": "number"})
    answer = call(request_to(wire))
    assert (answer.status, answer.payload) == (status, {"missing": "number"})


def test_a_final_4xx_without_json_is_an_answer_without_payload(serve, request_to, call):
    answer = call(request_to(serve(status=404, body=b"not here", content_type="text/plain")))
    assert (answer.status, answer.payload) == (404, None)


@pytest.mark.parametrize(
    ("status", "kind"),
    [*((status, "tool_error") for status in (409, 425, 429, 500, 503)), (408, "tool_timeout"), (504, "tool_timeout")],
)
def test_a_status_that_may_pass_is_retried_and_keeps_its_payload(serve, request_to, call, status, kind):
    failure = failing(call, request_to(serve(status=status, body={"code": 7})))
    assert (failure.type, failure.non_retryable) == (kind, False)
    details = details_of(json.loads(json.dumps(failure.details)), "error")
    assert (details.status, details.payload, details.attempts) == (status, {"code": 7}, 1)
    assert details.ending == ("timeout" if kind == "tool_timeout" else "error")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("7", 7), ("0", 0), ("86400", 60), ("9" * 40, 60), ("soon", None), ("-1", None), ("1e3", None)],
)
def test_a_pause_asked_for_is_kept_within_bounds(serve, request_to, call, text, seconds):
    failure = failing(call, request_to(serve(status=429, retry_after=text)))
    assert failure.next_retry_delay == (None if seconds is None else timedelta(seconds=seconds))


def test_a_pause_may_be_a_date(serve, request_to, call):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    failure = failing(call, request_to(serve(status=503, retry_after=date)))
    assert timedelta(seconds=25) < failure.next_retry_delay <= timedelta(seconds=30)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"a": {"b": 1, "b": 2}}', "a: key 'b' stands twice in one object"),
        (b'{"rows": [{"rate": NaN}]}', "rows.0.rate: NaN is not JSON"),
        (b'{"rate": 0.12345678901234567890123}', "rate: number 0.12345678901234567890123 cannot be kept exactly"),
        (b"[" * 100_000 + b"]" * 100_000, "more than 64 lists and objects inside one another"),
        (b'{"a": 1', "not JSON at line 1 column 8"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (b'{"a": "\\ud800"}', "a: character 1 is half of a pair"),
        (b"9" * 5_000, "an integer of 5,000 digits cannot be kept exactly"),
    ],
)
def test_json_that_cannot_be_kept_exactly_is_refused(serve, request_to, call, body, says):
    failure = failing(call, request_to(serve(body=body)))
    assert says in failure.message
    assert (failure.type, failure.non_retryable) == ("tool_error", False)


@pytest.mark.parametrize("kind", ["text/html", "application/octet-stream", "application/json; charset=gbk", "json"])
def test_what_is_not_json_is_an_error_with_a_short_clean_excerpt(serve, request_to, call, kind):
    body = b"<html>\x1b[31m\r\nSign in" + b"x" * 5_000
    failure = failing(call, request_to(serve(body=body, content_type=kind)))
    assert "<html> [31m  Sign in" in failure.message
    assert len(failure.message) < 300
    assert failure.message.isprintable()


def test_a_hanging_service_ends_at_the_deadline(serve, request_to, call):
    async def hang(_request, _writer):
        await asyncio.sleep(60)

    wire = serve(handler=hang)
    failure = failing(call, request_to(wire, timeout_ms=200))
    assert (failure.type, failure.non_retryable) == ("tool_timeout", False)
    assert failure.message == "tool 'lookup': no whole answer within 200 ms"
    assert details_of(failure.details, "error").ending == "timeout"
    assert wire.hung_up.wait(2)


def test_a_dripping_body_ends_at_the_deadline(serve, request_to, call):
    async def drip(_request, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    wire = serve(handler=drip)
    failure = failing(call, request_to(wire, timeout_ms=300))
    assert failure.type == "tool_timeout"
    assert wire.hung_up.wait(2)


def test_50_megabytes_announced_are_not_read(serve, request_to, call):
    sent = 0

    async def flood(_request, writer):
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 52428800\r\n\r\n")
        while sent < 52_428_800:
            writer.write(b" " * 65_536)
            sent += 65_536
            await writer.drain()

    failure = failing(call, request_to(serve(handler=flood)))
    assert failure.message == "tool 'lookup': an answer of more than 262,144 bytes"
    assert failure.non_retryable
    assert sent < 30_000_000


def test_an_answer_announced_as_too_large_is_not_waited_for(serve, request_to, call):
    async def announce(_request, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 52428800\r\n\r\n")
        await asyncio.sleep(60)

    assert "more than 262,144 bytes" in failing(call, request_to(serve(handler=announce))).message


def test_an_endless_body_is_cut_at_the_cap(serve, request_to, call):
    sent = 0

    async def flood(_request, writer):
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"[" * 65_536 + b"\r\n")
            sent += 65_536
            await writer.drain()

    wire = serve(handler=flood)
    assert "more than 262,144 bytes" in failing(call, request_to(wire)).message
    assert wire.hung_up.wait(2)
    assert sent < 30_000_000


def test_an_answer_of_exactly_the_cap_is_read(serve, request_to, call, answer_bytes):
    body = b'"' + b"x" * 998 + b'"'
    wire = serve([answer_bytes(body=body), answer_bytes(body=body + b" ")])
    request = request_to(wire, max_bytes=1_000)
    assert call(request).payload == "x" * 998
    assert "more than 1,000 bytes" in failing(call, request).message


def test_a_compressed_answer_is_refused_unread(serve, request_to, call):
    bomb = gzip.compress(b" " * 20_000_000)
    failure = failing(call, request_to(serve(body=bomb, content_encoding="gzip")))
    assert failure.message == "tool 'lookup': content encoding 'gzip', unasked for"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Fill: " + b"x" * 200_000 + b"\r\n\r\n{}",
    ],
)
def test_a_service_that_breaks_off_or_talks_otherwise_is_retried(serve, request_to, call, raw):
    async def broken(_request, writer):
        writer.write(raw)
        await writer.drain()
        writer.close()

    failure = failing(call, request_to(serve(handler=broken)))
    assert (failure.type, failure.non_retryable) == ("tool_error", False)
    assert "broke off or does not speak HTTP" in failure.message


def test_a_connection_reset_is_retried(serve, request_to, call):
    async def reset(_request, writer):
        writer.transport.abort()

    failure = failing(call, request_to(serve(handler=reset)))
    assert (failure.type, failure.non_retryable) == ("tool_error", False)


def test_a_service_that_is_not_there_is_retried(request_to, call):
    failure = failing(call, request_to())
    assert (failure.type, failure.non_retryable) == ("tool_error", False)
    assert failure.message == "tool 'lookup': no connection to 127.0.0.1:1"


@pytest.mark.parametrize("status", [301, 302, 304, 307, 399])
def test_a_3xx_is_no_answer(serve, request_to, call, status):
    failure = failing(call, request_to(serve(status=status)))
    assert failure.non_retryable
    assert f"status {status}" in failure.message


OUTCOMES = [
    {"at": "x:1:1", "when": "payload.code == 'BUSY'", "outcome": "error"},
    {"at": "x:2:1", "when": "payload.code == 'SLOW'", "outcome": "timeout"},
    {"at": "x:3:1", "when": "payload.code == 'LACK'", "outcome": "blocked", "missing": "number"},
    {"at": "x:4:1", "when": "status == 409", "outcome": "success"},
]


@pytest.mark.parametrize(
    "answer",
    [(200, "BUSY", "error"), (200, "SLOW", "timeout"), (500, "SLOW", "timeout")],
)
def test_a_declared_failure_in_an_answer_is_retried(serve, request_to, call, answer):
    status, code, ending = answer
    wire = serve(status=status, body={"code": code})
    failure = failing(call, request_to(wire, outcomes=OUTCOMES))
    assert (failure.type, failure.non_retryable) == (f"tool_{ending}", False)
    assert details_of(failure.details, "error").ending == ending
    assert details_of(failure.details, "error").payload == {"code": code}


@pytest.mark.parametrize(("status", "code"), [(200, "OK"), (200, "LACK"), (500, "LACK"), (409, "X"), (404, "BUSY")])
def test_a_declared_success_or_block_and_a_final_status_are_answers(serve, request_to, call, status, code):
    wire = serve(status=status, body={"code": code})
    answer = call(request_to(wire, outcomes=OUTCOMES))
    assert (answer.status, answer.payload) == (status, {"code": code})


def test_a_failures_payload_is_left_out_where_it_is_large(serve, request_to, call, answer_bytes):
    wire = serve([answer_bytes(500, ["x" * 60_000]), answer_bytes(500, ["x" * 70_000])])
    kept, left_out = failing(call, request_to(wire)), failing(call, request_to(wire))
    assert details_of(kept.details, "error").payload == ["x" * 60_000]
    assert details_of(left_out.details, "error").payload is None
