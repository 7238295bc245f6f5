"""The activity over real HTTP: what is sent, what is answered, how it fails."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import structlog
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError

from interlock.contract.models import ModelAnswer
from interlock_activities import Activities, Settings
from interlock_activities.models.chat import Completion
from tests.activities.models import services
from tests.activities.models.conftest import KEY, SECRET

BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])
STREAMED = pytest.mark.parametrize("streamed", [False, True])


def answers(provider, streamed=False, **words):
    if streamed:
        return services.streamed(provider, **words)
    return services.raw(body=services.ANSWERS[provider](**words))


@BOTH
@STREAMED
def test_a_question_is_answered(serve, asking, generate, provider, streamed):
    wire = serve(answers(provider, streamed))
    answer = generate(asking(wire, provider, streamed=streamed))
    assert (answer.text, answer.finish, answer.calls) == ("It is in Hamburg.", "stop", [])
    assert (answer.input_tokens, answer.output_tokens, answer.attempts) == (11, 7, 1)
    assert answer.model.endswith("-2026")
    assert answer.id
    assert 0 <= answer.elapsed_ms < 3_000
    assert (answer.value, answer.problem, answer.rung) == (None, "", "")
    (seen,) = wire.seen
    body = json.loads(seen.body)
    assert body["model"] == "m-1"
    assert body.get("stream", False) is streamed
    assert seen.header("content-type") == "application/json"
    assert seen.header("accept-encoding") == "identity"
    assert ("text/event-stream" in seen.header("accept")) is streamed


@BOTH
@STREAMED
def test_calls_come_with_exact_arguments(serve, asking, generate, provider, streamed):
    calls = [("track", {"no": 2**128 - 1, "id": "0012"}), ("close", {})]
    answer = generate(asking(serve(answers(provider, streamed, calls=calls)), provider, streamed=streamed))
    assert answer.finish == "calls"
    assert [(call["name"], call["arguments"]) for call in answer.calls] == calls


@pytest.mark.parametrize(
    ("provider", "path", "target"),
    [
        ("openai", "/v1", "/v1/chat/completions"),
        ("openai", "/v1/", "/v1/chat/completions"),
        ("openai", "", "/chat/completions"),
        ("openai", "/v1/chat/completions", "/v1/chat/completions"),
        ("openai", "/openai/deployments/x", "/openai/deployments/x/chat/completions"),
        ("anthropic", "", "/v1/messages"),
        ("anthropic", "/", "/v1/messages"),
        ("anthropic", "/v1", "/v1/messages"),
        ("anthropic", "/v1/", "/v1/messages"),
        ("anthropic", "/v1/messages", "/v1/messages"),
        ("anthropic", "/gateway/anthropic", "/gateway/anthropic/v1/messages"),
    ],
)
def test_a_base_address_may_be_written_as_people_write_it(serve, asking, generate, provider, path, target):
    wire = serve(answers(provider))
    generate(asking(wire, provider, path=path))
    assert wire.seen[0].line == f"POST {target} HTTP/1.1"


@pytest.mark.parametrize(
    ("provider", "auth", "headers"),
    [
        ("openai", {"kind": "bearer", "value": KEY}, {"authorization": f"Bearer {SECRET}"}),
        ("openai", {"kind": "header", "header": "api-key", "value": KEY}, {"api-key": SECRET, "authorization": None}),
        ("anthropic", {"kind": "bearer", "value": KEY}, {"x-api-key": SECRET, "authorization": None}),
        (
            "anthropic",
            {"kind": "header", "header": "authorization", "value": f"Bearer {KEY}"},
            {"authorization": f"Bearer {SECRET}", "x-api-key": None},
        ),
        ("openai", None, {"authorization": None}),
    ],
)
def test_a_credential_goes_where_the_service_looks_for_it(serve, asking, generate, provider, auth, headers):
    wire = serve(answers(provider))
    generate(asking(wire, provider, server={"auth": auth}))
    assert {name: wire.seen[0].header(name) for name in headers} == headers
    assert wire.seen[0].header("anthropic-version") == ("2023-06-01" if provider == "anthropic" else None)


def test_an_address_may_hold_variables_and_a_missing_one_is_named(serve, asking, generate, failing):
    wire = serve(answers("openai"))
    request = asking(server={"openai": "{{ env.MODELS }}/v1"})
    generate(request, env={"MODELS": f"http://127.0.0.1:{wire.port}"})
    assert len(wire.seen) == 1
    failure = failing(request)
    assert failure.message == "model 'writer': environment variable 'MODELS' is not set"
    assert (failure.type, failure.non_retryable) == ("model_misconfigured", True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"provider": "pigeon"}, "no installed package declares 'pigeon'"),
        ({"server": {"openai": ""}}, "no address under 'openai'"),
        ({"server": {"openai": "ftp://x"}}, "not of the form http"),
        ({"server": {"openai": "http://u:p@host/v1"}}, "not of the form http"),
        ({"messages": [{"role": "king", "content": "x"}]}, "message 1 cannot be sent"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "message 1 cannot be sent"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "message 1 cannot be sent"),
        ({"messages": [{"role": "assistant", "content": "x", "tool_calls": [{"id": 7}]}]}, "message 1 cannot be sent"),
        ({"tools": [{"description": "x"}]}, "tool 1 cannot be sent"),
        ({"choose": "required"}, "a tool that is not offered"),
        ({"choose": "look", "tools": [{"name": "track"}]}, "a tool that is not offered"),
        ({"schema": {}, "choose": "t", "tools": [{"name": "t"}]}, "the call of a tool is forced"),
    ],
)
def test_what_cannot_be_asked_is_never_sent_nor_retried(asking, failing, change, says):
    failure = failing(asking(**change))
    assert says in failure.message
    assert (failure.type, failure.non_retryable) == ("model_misconfigured", True)
    assert failure.details[0]["sent"] is False


def test_a_request_without_messages_is_not_sent(asking, failing):
    request = asking()
    request.messages.clear()
    assert "without messages" in failing(request).message


@BOTH
@STREAMED
@pytest.mark.parametrize(
    ("status", "kind", "final"),
    [
        (400, "model_error", True),
        (401, "model_error", True),
        (403, "model_error", True),
        (404, "model_error", True),
        (413, "model_error", True),
        (408, "model_timeout", False),
        (409, "model_error", False),
        (425, "model_error", False),
        (429, "model_error", False),
        (500, "model_error", False),
        (503, "model_error", False),
        (504, "model_timeout", False),
        (529, "model_error", False),
    ],
)
def test_a_status_says_whether_to_ask_again(serve, asking, failing, provider, streamed, status, kind, final):
    wire = serve(status=status, body={"error": {"type": "some_error", "message": "planted-words of the service"}})
    failure = failing(asking(wire, provider, streamed=streamed))
    assert (failure.type, failure.non_retryable) == (kind, final)
    assert failure.message == f"model 'writer': status {status} (some_error)"
    assert failure.details[0]["status"] == status
    assert "planted" not in str(failure.details)
    assert len(wire.seen) == 1


def test_a_refusal_names_the_key_that_it_is_about(serve, asking, failing):
    told = {"code": "unsupported_value", "type": "invalid_request_error", "param": "temperature", "message": "planted"}
    assert failing(asking(serve(status=400, body={"error": told}))).message == (
        "model 'writer': status 400 (unsupported_value, temperature)"
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "86400"}, 60),
        ({"retry_after": "soon"}, None),
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after_ms": "250.5", "retry_after": "9"}, 0.251),
        ({"retry_after_ms": "-1", "retry_after": "9"}, 9),
        ({"retry_after_ms": "9" * 40}, 60),
        ({}, None),
    ],
)
def test_a_pause_that_is_asked_for_is_temporals_next(serve, asking, failing, headers, seconds):
    failure = failing(asking(serve(status=429, **headers)))
    assert failure.next_retry_delay == (None if seconds is None else timedelta(seconds=seconds))


def test_a_pause_may_be_a_date(serve, asking, failing):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    failure = failing(asking(serve(status=529, retry_after=date)))
    assert timedelta(seconds=20) < failure.next_retry_delay <= timedelta(seconds=30)


@pytest.mark.parametrize(
    "body", [{"error": {"code": "upstream", "message": "x"}}, {"type": "error", "error": {"type": "upstream"}}]
)
def test_a_fault_that_comes_as_a_success_is_a_failure(serve, asking, failing, body):
    failure = failing(asking(serve(body=body)))
    assert failure.message == "model 'writer': the service broke off (upstream)"
    assert not failure.non_retryable


@STREAMED
def test_a_service_that_wants_the_key_of_today_is_asked_with_it_and_remembered(serve, asking, generate, streamed):
    told = {
        "error": {
            "message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "type": "invalid_request_error",
        }
    }
    wire = serve([services.raw(400, told), answers("openai", streamed)])
    request = asking(wire, max_tokens=9, streamed=streamed)
    generate(request, request)
    keys = [set(json.loads(seen.body)) & {"max_tokens", "max_completion_tokens"} for seen in wire.seen]
    assert keys == [{"max_tokens"}, {"max_completion_tokens"}, {"max_completion_tokens"}]


def test_a_service_that_tells_no_usage_is_not_asked_for_it(serve, asking, generate):
    wire = serve([services.raw(422, {"detail": "extra field stream_options"}), answers("openai", True, usage=None)])
    assert generate(asking(wire, streamed=True)).input_tokens is None
    assert [("stream_options" in json.loads(seen.body)) for seen in wire.seen] == [True, False]


def test_a_service_that_refuses_for_ever_is_not_asked_for_ever(serve, asking, failing):
    told = "max_tokens max_completion_tokens stream_options"
    wire = serve(status=400, body={"error": {"message": told}})
    assert failing(asking(wire, max_tokens=9, streamed=True)).non_retryable
    assert len(wire.seen) == 3


@BOTH
def test_a_service_that_does_not_stream_may_answer_whole(serve, asking, generate, provider):
    assert generate(asking(serve(answers(provider)), provider, streamed=True)).text == "It is in Hamburg."


def test_a_stream_ends_with_its_last_word_though_the_connection_goes_on(serve, asking, generate):
    async def go_on(_request, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n")
        writer.write(services.event_bytes("openai", services.openai_chunks()))
        await asyncio.sleep(60)

    wire = serve(handler=go_on)
    assert generate(asking(wire, streamed=True)).text == "It is in Hamburg."
    assert wire.hung_up.wait(2)


@BOTH
@STREAMED
@pytest.mark.parametrize("chunked", [False, True])
def test_one_connection_serves_many_questions(serve, asking, generate, provider, streamed, chunked):
    whole = answers(provider, streamed)
    head, _, body = whole.partition(b"\r\n\r\n")
    if chunked:
        head = head.replace(b"content-length: %d" % len(body), b"transfer-encoding: chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    wire = serve(head + b"\r\n\r\n" + body)
    generate(*[asking(wire, provider, streamed=streamed)] * 5)
    assert (len(wire.seen), wire.connections) == (5, 1)


def test_a_stream_without_its_last_word_is_whole_once_the_model_stopped(serve, asking, generate):
    body = services.event_bytes("openai", services.openai_chunks()).removesuffix(b"data: [DONE]\n\n")
    assert generate(asking(serve(services.stream_of(body)), streamed=True)).output_tokens == 7


def test_no_redirect_is_followed(serve, asking, failing):
    wire = serve(status=307, location="http://127.0.0.1:1/")
    failure = failing(asking(wire, server={"redirects": ["127.0.0.1:1"]}))
    assert "redirect" in failure.message
    assert failure.non_retryable


def test_the_address_rules_hold(asking, failing):
    failure = failing(asking(server={"openai": "http://169.254.169.254/v1"}))
    assert "not allowed" in failure.message
    assert failure.non_retryable


def test_nobody_there_may_pass(asking, failing):
    failure = failing(asking())
    assert (failure.type, failure.non_retryable) == ("model_error", False)
    assert failure.details[0]["sent"] is False


def test_tls_is_verified(serve, asking, failing):
    wire = serve(answers("openai"), tls=True)
    request = asking(server={"openai": f"https://127.0.0.1:{wire.port}/v1"})
    assert "its certificate is refused" in failing(request).message
    assert wire.seen == []


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

    server = {"http": "http://{{ env.HOST }}/", "auth": {"kind": "header", "header": "x-key", "value": KEY}}
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


def test_a_cancelled_call_hangs_up(serve, asking, environment):
    async def hang(_request, _writer):
        await asyncio.sleep(60)

    wire = serve(handler=hang)

    async def work():
        served, made = Activities(Settings(env={}, secrets={})), environment()
        running = asyncio.ensure_future(made.run(served.callables[2], asking(wire, timeout_ms=30_000)))
        assert await asyncio.to_thread(wire.arrived.wait, 5)
        made.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await served.aclose()

    with structlog.testing.capture_logs() as logs:
        asyncio.run(work())
    assert wire.hung_up.wait(2)
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


def test_an_installed_package_brings_a_provider(asking, generate, failing, tmp_path, monkeypatch):
    info = tmp_path / "own-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1\n", encoding="utf-8")
    entries = "own = own_provider:Own\nmade = own_provider:MADE\nbad = own_provider:BAD\ngone = no_such_module:X\n"
    (info / "entry_points.txt").write_text(f"[interlock.providers]\n{entries}", encoding="utf-8")
    program = (
        "from interlock_activities.models.chat import Completion\n"
        "class Own:\n    rungs = ('text',)\n    async def chat(self, chat, tokens):\n        return Completion('own')\n"
        "MADE = Own()\nBAD = object()\n"
    )
    (tmp_path / "own_provider.py").write_text(program, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert generate(asking(provider="own")).text == "own"
    assert generate(asking(provider="made")).text == "own"
    for name in ("bad", "gone"):
        assert failing(asking(provider=name)).type == "model_misconfigured"


def test_failures_are_application_errors_with_the_attempt(serve, asking, generate, environment):
    with pytest.raises(ApplicationError) as caught:
        generate(asking(serve(status=500)), environment=environment(attempt=4))
    assert caught.value.details[0]["attempts"] == 4
