"""Model services that fail, lie or hang: a defined outcome within the deadline."""

import asyncio
import json
import time

from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.models import MODEL_ERROR, MODEL_TIMEOUT, ModelRequest
from interlock_activities import Activities, Settings
from tests.activities.models import services
from tests.activities.wire import Wire

AT_ONCE = 15
CONTENTS = [
    b"", b"null", b"[]", b"0", b'"text"', b"{}", b"{", b"NaN", b'{"choices": NaN}', b'{"id":"1","id":"2"}', b"<html>",
    b"\xff\xfe\x00", b"[" * 9_999, b"1" * 9_999, b'{"choices":[{}]}', b'{"choices":[{"message":null}]}', b'{"content":[{}]}',
    b'{"choices":[{"message":{"content":7}}]}', b'{"choices":[{"message":{"tool_calls":[{"function":7}]}}]}',
    b'{"content":[{"type":"text","text":7}]}', b'{"content":[{"type":"tool_use","input":"x"}],"stop_reason":"tool_use"}',
    b'{"error":{"type":"x"}}', b'{"error":"text"}', b'{"choices":[{"message":{"content":"x"},"finish_reason":"odd"}]}',
    b'{"choices":"x","usage":[]}', b'{"model":7,"content":[]}', b'{"x":"' + b"x" * 300_000 + b'"}',
]  # fmt: skip
STATUSES = [200, 200, 200, 200, 201, 204, 301, 304, 400, 401, 403, 404, 408, 409, 418, 422, 425, 429, 500, 502, 503, 504, 529]  # fmt: skip
TYPES = ["application/json", "application/json", "text/event-stream", "text/event-stream", "text/html", "", "x" * 3_000]
DEADLINE_MS = 300
SLACK_S = 2.5


def a_fault(dice, provider):
    """The bytes of an answer that is wrong in some way, and how it goes on: at once, by drops, or never to its end."""
    kind = dice.randrange(5)
    if kind == 0:
        content = dice.choice(CONTENTS)
        body = b"data: " + content + b"\n\n" if dice.random() < 0.3 else content
        more = {"retry_after": dice.choice(["1", "-1", "9" * 40, "soon"])} if dice.random() < 0.2 else {}
        return services.raw(dice.choice(STATUSES), body, content_type=dice.choice(TYPES), **more), "odd answer"
    whole = (
        services.streamed(provider, calls=[("track", {"no": "0012"})])
        if kind < 4
        else services.raw(body=services.ANSWERS[provider]())
    )
    if kind == 1:
        return whole[: dice.randrange(len(whole))], "cut"
    if kind == 2:
        at = dice.randrange(len(whole))
        return whole[:at] + dice.randbytes(dice.randrange(1, 9)) + whole[at:], "noise"
    if kind == 3:
        events = [json.loads(json.dumps(one)) for one in services.EVENTS[provider](calls=[("track", {"no": 1})])]
        dice.shuffle(events)
        return services.stream_of(services.event_bytes(provider, events[: dice.randrange(len(events))])), "shuffled"
    return (whole.replace(b"null", b"NaN") if dice.random() < 0.5 else dice.randbytes(300)), "garbage"


class Service:
    """Answers each question, told apart by the model's name, with the fault that was laid ready for it."""

    def __init__(self):
        self.faults = {}
        self.wire = Wire(self.answer)

    async def answer(self, request, writer):
        body, way = self.faults[json.loads(request.body)["model"]]
        half = len(body) if way == "at once" else len(body) // 2
        writer.write(body[:half])
        await writer.drain()
        for byte in body[half:] if way == "drip" else b"":
            writer.write(bytes([byte]))
            await asyncio.sleep(0.05)
        if way == "hang":
            await asyncio.sleep(5)
        writer.close()


def a_request(dice, number, provider, port):
    return ModelRequest(
        role="writer",
        call_id=f"c{number}",
        run_id="r",
        step="s",
        provider=provider,
        model=f"m{number}",
        timeout_ms=DEADLINE_MS,
        max_bytes=INLINE_LIMIT,
        server={provider: f"http://127.0.0.1:{port}/v1"},
        messages=[{"role": "user", "content": "Where is it?"}],
        streamed=dice.random() < 0.6,
        schema={"type": "object"} if dice.random() < 0.3 else None,
    )


async def outcome_of(row, served, request, name):
    """The end of one call, as the workflow would be told it."""
    started = time.monotonic()
    try:
        answer = await ActivityEnvironment().run(served.callables[2], request)
    except ApplicationError as failure:
        row.expect(failure.type in (MODEL_ERROR, MODEL_TIMEOUT), "failure type", name, failure.message)
        row.expect(len(failure.message) < 300, "a long failure", name)
        row.expect(failure.__cause__ is None, "a cause enters the history", name)
        outcome = failure.type
    else:
        outcome = answer.finish
        row.expect(outcome in ("stop", "calls"), "finish", name, outcome)
    seconds = time.monotonic() - started
    row.expect(seconds < DEADLINE_MS / 1000 + SLACK_S, "late", name, seconds)
    return outcome


async def test_model_faults_end_in_a_defined_outcome_within_the_deadline(row, world):
    service, served = Service(), Activities(Settings(env={}, secrets={}))
    service.wire.start()

    async def one(number):
        provider = row.dice.choice(["openai", "anthropic"])
        body, name = a_fault(row.dice, provider)
        service.faults[f"m{number}"] = body, row.dice.choices(["at once", "half", "drip", "hang"], [16, 3, 1, 1])[0]
        request = a_request(row.dice, number, provider, service.wire.port)
        row.injected[name] += 1
        row.hit[f"{name}: {await outcome_of(row, served, request, name)}"] += 1

    try:
        await world.gathered((one(number) for number in range(row.times(500, 10_000))), AT_ONCE)
    finally:
        await served.aclose()
        service.wire.stop()
    ends = {kind.rpartition(": ")[2] for kind in row.hit}
    row.expect(ends >= {MODEL_ERROR, MODEL_TIMEOUT, "stop", "calls"}, "some outcome never came", ends)
