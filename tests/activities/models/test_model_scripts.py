"""The scripted provider in the activity: replies in order, faults as they would come from a service."""

import time

import pytest

from interlock.interpreter.scripted import ScriptError
from interlock_activities import Activities, Settings

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOL = {"name": "track", "parameters": {"type": "object"}}


@pytest.fixture
def scripted(asking):
    return lambda **more: asking(provider="scripted", **more)


def script(*replies):
    return {"models": {"writer": list(replies)}}


def test_replies_answer_in_order_and_are_used_up(scripted, generate, failing):
    settings = script({"reply": "one", "times": 1}, {"reply": "two", "times": 2})
    assert generate(scripted(), **settings).text == "one"
    assert generate(*[scripted()] * 3, **settings).text == "two"
    failure = failing(*[scripted()] * 4, **settings)
    assert failure.message == "model 'writer': the script has no reply"
    assert (failure.type, failure.non_retryable) == ("model_error", True)


def test_what_speaks_for_a_service_is_not_bound_by_its_limits(asking, generate):
    limited = asking(server={"limits": {"requests_per_minute": 1}})
    assert generate(*[limited] * 3, **script({"reply": "one"})).text == "one"


def test_a_role_without_a_script_has_no_reply(scripted, failing):
    assert "no reply" in failing(scripted(role="judge"), **script({"reply": "x"})).message


def test_an_answer_is_complete(scripted, generate):
    answer = generate(scripted(), **script({"reply": "It is in Hamburg."}))
    assert (answer.finish, answer.model, answer.id) == ("stop", "m-1", "scripted-1")
    assert answer.input_tokens > 0
    assert answer.output_tokens == 4


def test_calls_and_objects(scripted, generate):
    answer = generate(scripted(tools=[TOOL]), **script({"call": "track", "with": {"no": 2**64}}))
    assert (answer.finish, answer.calls) == ("calls", [{"id": "call_1", "name": "track", "arguments": {"no": 2**64}}])
    answer = generate(scripted(schema=SCHEMA), **script({"value": {"city": "Kiel"}}))
    assert (answer.value, answer.problem, answer.rung) == ({"city": "Kiel"}, "", "schema")
    assert "not as the schema says" in generate(scripted(schema=SCHEMA), **script({"value": {"town": "Kiel"}})).problem


def test_a_condition_sees_what_was_asked_and_no_words_about_the_schema(scripted, generate):
    settings = script({"when": "'JSON' in prompt", "reply": "no"}, {"when": "'track' in tools", "value": {"city": "a"}})
    assert generate(scripted(schema=SCHEMA, tools=[TOOL]), **settings).value == {"city": "a"}


@pytest.mark.parametrize(
    ("fault", "kind", "final", "status"),
    [
        ("timeout", "model_timeout", False, None),
        ("error", "model_error", False, 500),
        ("overloaded", "model_error", False, 429),
        ("huge", "model_error", True, None),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_faults_that_fail(scripted, failing, fault, kind, final, status, streamed):
    started = time.monotonic()
    failure = failing(scripted(streamed=streamed, max_bytes=500), **script({"fault": fault}))
    assert (failure.type, failure.non_retryable, failure.details[0]["status"]) == (kind, final, status)
    assert (failure.next_retry_delay is not None) is (fault == "overloaded")
    assert time.monotonic() - started < 1.5, "a scripted time-out takes no time"


@pytest.mark.parametrize(
    ("fault", "finish", "problem"),
    [
        ("malformed", "stop", "its JSON is refused: not-json"),
        ("wrong_tool", "calls", "it called a tool that there is not"),
        ("extra_fields", "stop", "it is not as the schema says at additionalProperties"),
        ("length", "length", "the answer was cut off at its greatest length"),
        ("refused", "refused", "the model refused"),
    ],
)
def test_faults_that_answer(scripted, generate, fault, finish, problem):
    answer = generate(scripted(schema=SCHEMA), **script({"fault": fault}))
    assert (answer.finish, answer.value, answer.problem) == (finish, None, problem)


def test_faults_in_the_calls_of_tools(scripted, generate):
    assert generate(scripted(tools=[TOOL]), **script({"fault": "malformed"})).calls[0]["arguments"] is None
    assert generate(scripted(tools=[TOOL]), **script({"fault": "wrong_tool"})).calls[0]["name"] == "no_such_tool"


def test_a_script_that_is_none_is_told_when_a_worker_starts():
    with pytest.raises(ScriptError, match="reply 1: it has one of"):
        Activities(Settings(env={}, secrets={}, models={"writer": [{}]}))


def test_words_come_one_by_one(scripted, generate, watch):
    text = "It is  in Hamburg. "
    assert generate(scripted(streamed=True), during=watch, **script({"reply": text})).text == text
    assert "".join(piece.text for piece in watch.seen) == text
