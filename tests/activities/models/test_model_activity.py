"""The activity itself: deadlines, cancelling, heartbeats, the log, faults of code, and providers of others."""

import asyncio
import json
import time
from datetime import timedelta

import pytest
import structlog
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError

from interlock.contract.models import ModelAnswer
from interlock_activities import Activities, Settings
from interlock_activities.models.chat import Completion
from tests.activities.models.conftest import KEY
from tests.activities.models.services import BOTH, STREAMED, answers


@BOTH
@STREAMED
def test_a_hanging_service_ends_at_the_deadline(serve, asking, failing, provider, streamed):
    async def hang(_request, _writer):
        await asyncio.sleep(60)

    wire = serve(handler=hang)
    failure = failing(asking(wire, provider, streamed=streamed, timeout_ms=200))
    assert (failure.type, failure.message) == ("model_timeout", "model 'writer': no whole answer within 200 ms")
    assert failure.details[0]["ending"] == "timeout"
    assert wire.hung_up.wait(2)


def test_a_provider_of_another_ends_at_the_deadline_too(asking, failing):
    class Slow:
        rungs = ("text",)

        async def chat(self, _chat, _tokens):
            await asyncio.sleep(60)

    failure = failing(asking(provider="slow", timeout_ms=100), providers={"slow": Slow()})
    assert failure.type == "model_timeout"


def test_a_provider_of_another_is_given_address_and_headers(asking, generate):
    class Own:
        rungs = ("text",)

        async def chat(self, chat, tokens):
            tokens("al")
            tokens("so")
            return Completion(f"{chat.endpoint.address} {chat.endpoint.headers['x-key'][:7]} {chat.role}")

    server = {"url": "http://{{ env.HOST }}/", "auth": {"kind": "header", "header": "x-key", "value": KEY}}
    request = asking(provider="own", server=server)
    answer = generate(request, providers={"own": Own()}, env={"HOST": "h"})
    assert answer.text == "http://h/ planted writer"
    assert answer.model == "m-1"


@pytest.mark.parametrize(
    "error", [KeyError("planted"), TimeoutError("planted"), TypeError("planted"), OSError("planted")]
)
def test_a_fault_of_the_code_surfaces_as_one_and_tells_nothing(asking, failing, error):
    class Wrong:
        rungs = ("text",)

        async def chat(self, _chat, _tokens):
            raise error

    failure = failing(asking(provider="wrong"), providers={"wrong": Wrong()})
    assert failure.message == f"model 'writer': the engine's own code raised {type(error).__name__}"
    assert (failure.type, failure.non_retryable) == ("model_misconfigured", True)


def test_a_cancelled_call_hangs_up(broken_off, asking, environment):
    logs = broken_off(2, lambda wire: asking(wire, timeout_ms=30_000), environment())
    assert [line["outcome"] for line in logs] == ["cancelled"]


def test_one_line_is_logged_without_what_was_asked_and_said(serve, asking, generate):
    wire = serve(answers("openai", text="planted-answer"))
    with structlog.testing.capture_logs() as logs:
        generate(asking(wire, messages=[{"role": "user", "content": "planted-question"}]))
    assert [(line["event"], line["role"], line["outcome"], line["attempt"]) for line in logs] == [
        ("model_called", "writer", "stop", 1)
    ]
    assert "planted" not in json.dumps(logs)
    assert set(logs[0]) == {
        "event", "log_level", "role", "provider", "model", "run", "step", "call", "outcome", "status", "attempt",
        "rung", "input_tokens", "output_tokens", "elapsed_ms",
    }  # fmt: skip


def test_a_call_beats_while_it_runs_where_heartbeats_are_asked_for(serve, asking, generate, environment):
    async def slow(_request, writer):
        await asyncio.sleep(0.3)
        writer.write(answers("openai"))

    silent, beating = environment(), environment(heartbeat_timeout=timedelta(milliseconds=150), attempt=3)
    generate(asking(serve(handler=slow)), environment=silent)
    assert silent.beats == []
    assert generate(asking(serve(handler=slow)), environment=beating).attempts == 3
    assert len(beating.beats) >= 4


def test_many_questions_are_asked_side_by_side(serve, asking, environment):
    async def slow(_request, writer):
        await asyncio.sleep(0.3)
        writer.write(answers("openai"))

    wire = serve(handler=slow)

    async def work():
        served = Activities(Settings(env={}, secrets={}))
        await asyncio.gather(
            *(environment().run(served.callables[2], asking(wire, timeout_ms=9_000)) for _ in range(30))
        )
        await served.aclose()

    started = time.monotonic()
    asyncio.run(work())
    assert time.monotonic() - started < 4
    assert len(wire.seen) == 30


def test_requests_and_answers_cross_the_boundary_unchanged(asking):
    request = asking(schema={"type": "object"}, tools=[{"name": "t"}], streamed=True, temperature=0.5)
    answer = ModelAnswer("x", "stop", "m", "i", 5, 1, calls=[{"id": "a", "name": "t", "arguments": {"n": 2**64}}])
    converter = DataConverter.default.payload_converter
    for value in (request, answer):
        (back,) = converter.from_payloads(converter.to_payloads([value]), [type(value)])
        assert back == value


def test_an_installed_package_brings_a_provider(asking, generate, failing, installed):
    entries = "own = own_provider:Own\nmade = own_provider:MADE\nbad = own_provider:BAD\ngone = no_such_module:X\n"
    program = (
        "from interlock_activities.models.chat import Completion\n"
        "class Own:\n    rungs = ('text',)\n    async def chat(self, chat, tokens):\n        return Completion('own')\n"
        "MADE = Own()\nBAD = object()\n"
    )
    installed("own-provider", program, entries, "interlock.providers")
    assert generate(asking(provider="own")).text == "own"
    assert generate(asking(provider="made")).text == "own"
    for name in ("bad", "gone"):
        assert failing(asking(provider=name)).type == "model_misconfigured"


def test_failures_are_application_errors_with_the_attempt(serve, asking, generate, environment):
    with pytest.raises(ApplicationError) as caught:
        generate(asking(serve(status=500)), environment=environment(attempt=4))
    assert caught.value.details[0]["attempts"] == 4
