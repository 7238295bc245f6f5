"""Tools that fail, lie or hang: a defined outcome within the deadline."""

import json
import threading
import time

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract import calls
from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import ToolReturned
from interlock_activities.registry import Activities
from interlock_workflows import calling

TIMEOUT_MS = 400
AT_ONCE = 16
SLACK_S = 2.5
"""What a busy machine may add to a deadline, beside the time in which it does not let this process run."""

BEAT_S = 0.02

OUTCOMES = {"answer", "refuse", "error", "ask"}


class Stalls:
    """Counts, in a thread, the seconds in which this process wanted to run and could not."""

    def __init__(self):
        self.seconds, self._over = 0.0, threading.Event()
        self._beating = threading.Thread(target=self._beat, daemon=True)

    def _beat(self):
        last = time.monotonic()
        while not self._over.wait(BEAT_S):
            now = time.monotonic()
            self.seconds += max(now - last - BEAT_S, 0)
            last = now

    def __enter__(self):
        self._beating.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._beating.join()


def quick(plan):
    """The plan with short deadlines, and without the flows' own words for failures in every other case."""
    tools = {name: tool.model_copy(update={"timeout_ms": TIMEOUT_MS}) for name, tool in plan.tools.items()}
    return plan.model_copy(update={"tools": tools})


async def took(row, plan, callables, conversation, text):
    """One turn with its calls as activities; its reply and its seconds."""
    started = time.monotonic()
    commands = conversation.begin(text)
    while any(isinstance(one, CallTool) for one in commands):
        call = next(one for one in commands if isinstance(one, CallTool))
        conversation.calls.append((call.tool, call.arguments))
        commands = conversation.machine.handle(await end_of(row, plan, callables, conversation, call))
    return conversation.finish(commands), time.monotonic() - started


async def end_of(row, plan, callables, conversation, call):
    """The end of one attempt, as the workflow would tell it to the machine."""
    request = calling.request_of(plan, plan.tools[call.tool], "run", call)
    now = conversation.now_ms
    try:
        answer = await ActivityEnvironment().run(callables[0], request)
    except ApplicationError as failure:
        known = calls.details_of(failure.details, "timeout" if failure.type == calls.TOOL_TIMEOUT else "error")
        row.expect(failure.type in (calls.TOOL_TIMEOUT, calls.TOOL_ERROR), "failure type", failure.type, str(failure))
        row.expect(len(str(failure)) < 1_000, "a long failure", len(str(failure)))
        row.expect(failure.__cause__ is None, "a cause enters the history", repr(failure.__cause__))
        return ToolReturned(call.call_id, known.ending, now, known.status, known.payload, failure.message)
    return ToolReturned(call.call_id, "returned", now, answer.status, answer.payload)


def hang(handler):
    """Say nothing until the client gives up."""
    handler.connection.settimeout(5)
    handler.rfile.read(1)


def drip(handler):
    """A body that comes a byte at a time and never ends within the deadline."""
    handler.send(200, b"", content_length="100000")
    for _ in range(40):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def drip_headers(handler):
    """Headers that never end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(40):
        handler.wfile.write(f"x-{number}: y\r\n".encode())
        handler.wfile.flush()
        time.sleep(0.05)


def endless_headers(handler):
    """Headers as fast as they can be sent."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    handler.wfile.write(b"x-long: " + b"y" * 3_000_000 + b"\r\n\r\n")


def large(handler):
    """50 MB of good JSON."""
    handler.send(200, b'{"no":"1","place":"' + b"x" * 50_000_000 + b'"}')


def large_chunks(handler):
    """50 MB without a length."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    for _ in range(50):
        handler.wfile.write(b"f4240\r\n" + b" " * 1_000_000 + b"\r\n")


def garbage(handler):
    """Not HTTP."""
    handler.wfile.write(handler.server.dice.randbytes(400))
    handler.close_connection = True


def half(handler):
    """Less than was promised, then a reset."""
    handler.send(200, b'{"no": "1"', content_length="400")
    handler.reset()


CONTENTS = [
    b"", b"null", b"[]", b"0", b'"text"', b"{}", b"{", b"NaN", b'{"no": NaN, "place": "x"}', b'{"no":"1","no":"2","place":"x"}',
    b'{"no": 12345, "place": "x"}', b'{"no": "1", "place": null}', b'{"no": ["1"], "place": {}}', b"<html>", b"\xff\xfe\x00",
    b"[" * 99_999, b"1" * 9_999, b'{"no":"\\ud800","place":"x"}', b'{"no":"","place":""}', b'{"no":"7","place":"x","__class__":1}',
    b'{"no":"{{ 9**9 }}","place":"{% for %}"}', b'{"$ref":"http://127.0.0.2/"}', b'{"no":1e999,"place":"x"}', b'  {"no":"1","place":"x"}  ',
    b'\xef\xbb\xbf{"no":"1","place":"x"}', b'{"no":"1","place":"' + b"x" * 250_000 + b'"}', b'{"no":"1","place":"x"} trailing',
]  # fmt: skip
STATUSES = [200, 200, 200, 201, 202, 204, 206, 299, 300, 301, 304, 400, 401, 403, 404, 408, 409, 410, 418, 422, 425, 429, 451, 500, 501, 502, 503, 504, 599]  # fmt: skip
TYPES = ["application/json", "application/json", "application/json; charset=utf-8", "text/html", "application/xml", "", "application/json; charset=latin-1", "x" * 5_000]  # fmt: skip
BROKEN = [hang, drip, drip_headers, endless_headers, large, large_chunks, garbage, half, lambda handler: handler.reset()]  # fmt: skip


def a_fault(dice):
    """A way for a service to misbehave, and its name."""
    if dice.random() < 0.4:
        fault = dice.choice(BROKEN)
        return fault, fault.__name__.strip("<>") if fault.__name__ != "<lambda>" else "reset"
    status, content, kind = dice.choice(STATUSES), dice.choice(CONTENTS), dice.choice(TYPES)
    more = {"retry_after": dice.choice(["1", "-1", "9" * 40, "soon", "Mon, 01 Jan 2001 00:00:00 GMT"])} if dice.random() < 0.2 else {}  # fmt: skip
    if dice.random() < 0.1:
        more["content_encoding"] = dice.choice(["gzip", "br", "identity", "x"])
    if dice.random() < 0.1:
        more["content_length"] = dice.choice(["-1", "9" * 30, "abc", "0"])
    return (lambda handler: handler.send(status, content, content_type=kind, **more)), f"status {status // 100}xx"


@pytest.mark.slow
async def test_tool_faults_end_in_a_defined_outcome_within_the_deadline(row, world, talk, desk):
    plan, count = quick(desk), row.times(500, 50_000)
    with world.service() as items, Stalls() as stalls:
        items.dice = row.dice
        activities = Activities(world.settings([plan], items.url))

        async def one(number):
            fault, name = a_fault(row.dice)
            items.faults[f"6{number:07}"] = fault
            row.injected[name] += 1
            conversation, stalled = talk.Talk(plan), stalls.seconds
            reply, seconds = await took(row, plan, activities.callables, conversation, f"find 6{number:07}")
            row.hit[name] += any(asked["no"] == f"6{number:07}" for _, asked, _ in items.calls)
            stalled = stalls.seconds - stalled
            row.expect(seconds - stalled < TIMEOUT_MS / 1000 + SLACK_S, "late", name, seconds, stalled)
            row.expect(reply["outcome"] in OUTCOMES and reply["text"], "outcome", name, reply)
            row.expect(len(json.dumps(conversation.state.as_json())) < 700_000, "a large state", name)
            conversation.say("hello")

        try:
            await world.gathered((one(number) for number in range(count)), AT_ONCE)
        finally:
            await activities.aclose()
        # Some calls meet a kept connection that the fault before has broken, or a busy machine.
        row.expect(row.hit.total() > count * 0.7, "too few were called", row.hit.total())
