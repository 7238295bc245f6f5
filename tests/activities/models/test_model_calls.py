"""Questions over real HTTP: what is sent, where to, and what is answered."""

import asyncio
import json

import pytest

from tests.activities.models import services
from tests.activities.models.conftest import KEY, SECRET
from tests.activities.models.services import BOTH, STREAMED, answers


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
