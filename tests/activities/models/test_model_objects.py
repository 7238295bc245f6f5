"""One object as a schema says: asked for in the best way that a service knows, remembered, checked."""

import asyncio
import json
import subprocess
import sys

import pytest

from interlock_activities.models.chat import Completion
from tests.activities.models import services
from tests.activities.models.services import BOTH

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "no": {"type": "integer"}},
    "required": ["city"],
    "additionalProperties": False,
}
RUNGS = {"openai": ["schema", "tool", "json", "text"], "anthropic": ["schema", "tool", "text"]}
REFUSALS = {
    "openai": {
        "schema": "response_format json_schema is unavailable",
        "tool": "does not support tools",
        "json": "json_object?",
    },
    "anthropic": {"schema": "output_config.format: Extra inputs are not permitted", "tool": "tool_choice is odd"},
}


def way_of(provider, body):
    """The rung by which a request asks."""
    if "output_config" in body:
        return "schema"
    told = body.get("response_format", {}).get("type")
    if told:
        return {"json_schema": "schema", "json_object": "json"}[told]
    return "tool" if "tools" in body else "text"


def service(provider, knows, text='{"city": "Hamburg"}', status=400):
    """A service that knows some of the rungs."""

    async def answer(request, writer):
        way = way_of(provider, json.loads(request.body))
        if way not in knows:
            told = {
                "error": {"message": REFUSALS[provider].get(way, "this schema is odd"), "type": "invalid_request_error"}
            }
            writer.write(services.raw(status, told))
        elif way == "tool":
            writer.write(services.raw(body=services.ANSWERS[provider](None, calls=[("answer", services.OBJECT)])))
        else:
            writer.write(services.raw(body=services.ANSWERS[provider](text)))

    return answer


@pytest.mark.parametrize(
    ("provider", "known"), [(provider, known) for provider, rungs in RUNGS.items() for known in rungs]
)
def test_a_service_is_asked_in_the_next_way_where_it_refuses_one_and_this_is_remembered(
    serve, asking, generate, provider, known
):
    wire = serve(handler=service(provider, {known}))
    request = asking(wire, provider, schema=SCHEMA)
    answer = generate(request, request)
    assert (answer.value, answer.problem, answer.rung) == ({"city": "Hamburg"}, "", known)
    assert (answer.finish, answer.calls) == ("stop", [])
    tried = RUNGS[provider][: RUNGS[provider].index(known) + 1]
    assert [way_of(provider, json.loads(seen.body)) for seen in wire.seen] == [*tried, known]


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refusal_may_have_any_of_their_statuses(serve, asking, generate, status):
    wire = serve(handler=service("openai", {"json"}, status=status))
    assert generate(asking(wire, schema=SCHEMA)).rung == "json"


@BOTH
def test_what_is_learnt_is_of_one_model(serve, asking, generate, provider):
    wire = serve(handler=service(provider, {"text"}))
    generate(asking(wire, provider, schema=SCHEMA), asking(wire, provider, schema=SCHEMA, model="m-2"))
    assert len(wire.seen) == 2 * len(RUNGS[provider])


@BOTH
def test_a_service_that_refuses_every_way_has_failed_for_good(serve, asking, failing, provider):
    wire = serve(handler=service(provider, set()))
    failure = failing(asking(wire, provider, schema=SCHEMA))
    assert failure.message == "model 'writer': status 400 (invalid_request_error)"
    assert failure.non_retryable
    assert len(wire.seen) == len(RUNGS[provider])


@pytest.mark.parametrize(
    ("status", "told", "final"),
    [
        (400, "maximum context length is 8192 tokens", True),
        (404, "The model `m-1` does not exist", True),
        (401, "response_format json_schema", True),
        (500, "response_format json_schema", False),
        (429, "response_format json_schema", False),
    ],
)
def test_other_refusals_are_not_about_the_way(serve, asking, failing, status, told, final):
    wire = serve(status=status, body={"error": {"message": told}})
    assert failing(asking(wire, schema=SCHEMA)).non_retryable is final
    assert len(wire.seen) == 1


def test_all_ways_together_have_one_deadline(serve, asking, failing):
    async def slow(_request, writer):
        await asyncio.sleep(0.2)
        writer.write(services.raw(400, {"error": {"message": "response_format grammar"}}))

    wire = serve(handler=slow)
    assert failing(asking(wire, schema=SCHEMA, timeout_ms=500)).type == "model_timeout"
    assert 2 <= len(wire.seen) <= 3


@pytest.mark.parametrize(
    ("text", "value", "problem"),
    [
        ('{"city": "Hamburg"}', {"city": "Hamburg"}, ""),
        ('Here it is:\n```json\n{"city": "{Ham}\\"burg"}\n```\nDone.', {"city": '{Ham}"burg'}, ""),
        ('Of {course}: {"city": "a"} or {"city": "b"}', {"city": "a"}, ""),
        ('{"city": "a", "no": 340282366920938463463374607431768211455}', {"city": "a", "no": 2**128 - 1}, ""),
        ("", None, "no whole JSON object"),
        ("planted words", None, "no whole JSON object"),
        ('{"city": "Hambu', None, "refused: not-json"),
        ('{"city": "a",}', None, "refused: not-json"),
        ("{'city': 'a'}", None, "no whole JSON object"),
        ('{"city": "planted", "city": "b"}', None, "refused: duplicate-key"),
        ('{"city": NaN}', None, "refused: not-a-number"),
        ('{"city": 7}', None, "not as the schema says at properties.city.type"),
        ('{"planted": 1}', None, "not as the schema says at "),
        ('{"city": "a", "planted": 1}', None, "not as the schema says at additionalProperties"),
        ('["planted"]', None, "no whole JSON object"),
        ('{"x": [{"city": "a"}', None, "refused: not-json"),
    ],
)
def test_an_object_is_found_whole_or_not_at_all(serve, asking, generate, text, value, problem):
    answer = generate(asking(serve(body=services.openai(text)), schema=SCHEMA))
    assert answer.value == value
    assert problem in answer.problem
    assert bool(answer.problem) is (value is None)
    assert "planted" not in answer.problem
    assert answer.text == text


@BOTH
@pytest.mark.parametrize(("finish", "told"), [("length", "cut off"), ("refused", "refused")])
def test_a_cut_or_refused_answer_has_no_object_even_if_there_is_one(serve, asking, generate, provider, finish, told):
    theirs = {
        "openai": {"length": "length", "refused": "content_filter"},
        "anthropic": {"length": "max_tokens", "refused": "refusal"},
    }
    body = services.ANSWERS[provider]('{"city": "a"}', finish=theirs[provider][finish])
    answer = generate(asking(serve(body=body), provider, schema=SCHEMA))
    assert (answer.value, answer.finish) == (None, finish)
    assert told in answer.problem


class Telling:
    """A provider of one rung that says what it is told to say."""

    def __init__(self, rung, completion):
        self.rungs = (rung,)
        self.completion = completion
        self.asked = []

    async def chat(self, chat, _tokens):
        self.asked.append(chat)
        return self.completion


def call(name, arguments):
    return {"id": "c", "name": name, "arguments": arguments}


TRACK = {"name": "track", "parameters": {"type": "object"}}


@pytest.mark.parametrize(
    ("calls", "value", "problem", "left"),
    [
        ([call("answer", {"city": "a"})], {"city": "a"}, "", 0),
        ([call("answer", None)], None, "its arguments are no JSON object", 0),
        ([call("answer", {"city": 7})], None, "it is not as the schema says at properties.city.type", 0),
        ([call("track", {})], None, "it called tools instead", 1),
        ([call("other", {})], None, "it called a tool that there is not", 1),
        ([call("track", {}), call("answer", {"city": "a"})], {"city": "a"}, "", 1),
    ],
)
def test_an_object_as_a_tools_arguments(asking, generate, calls, value, problem, left):
    provider = Telling("tool", Completion(calls=tuple(calls), finish="calls"))
    answer = generate(asking(provider="told", schema=SCHEMA, tools=[TRACK]), providers={"told": provider})
    assert (answer.value, answer.problem, len(answer.calls)) == (value, problem, left)
    assert answer.finish == ("calls" if left else "stop")
    assert [tool["name"] for tool in provider.asked[0].tools] == ["track", "answer"]
    assert provider.asked[0].choose == "required"


def test_the_tool_of_the_answer_is_forced_alone_and_named_unlike_the_others(asking, generate):
    provider = Telling("tool", Completion('{"city": "a"}'))
    taken = {"name": "answer", "parameters": {}}
    request = asking(provider="told", schema=SCHEMA, tools=[taken], choose="none")
    assert generate(request, providers={"told": provider}).value == {"city": "a"}, (
        "a service that calls nothing may write"
    )
    assert [tool["name"] for tool in provider.asked[0].tools] == ["answer_0"]
    assert provider.asked[0].choose == "answer_0"


def test_calls_in_place_of_an_object_are_told(asking, generate):
    provider = Telling("schema", Completion(calls=(call("track", {}),), finish="calls"))
    answer = generate(asking(provider="told", schema=SCHEMA, tools=[TRACK]), providers={"told": provider})
    assert (answer.problem, answer.finish, len(answer.calls)) == ("it called tools instead", "calls", 1)


@pytest.mark.parametrize("rung", ["json", "text"])
def test_where_there_is_no_other_way_the_words_ask(asking, generate, rung):
    provider = Telling(rung, Completion('{"city": "a"}'))
    generate(asking(provider="told", schema=SCHEMA), providers={"told": provider})
    system, user = provider.asked[0].messages
    assert (system["role"], user["role"]) == ("system", "user")
    assert json.dumps(SCHEMA, separators=(",", ":")) in system["content"]


@BOTH
def test_an_object_may_be_streamed(serve, asking, generate, provider):
    wire = serve(services.streamed(provider, pieces=['{"ci', 'ty": "a"}']))
    answer = generate(asking(wire, provider, schema=SCHEMA, streamed=True))
    assert (answer.value, answer.rung) == ({"city": "a"}, "schema")


def test_a_schema_that_refers_outside_fetches_nothing(serve, asking, generate):
    outside = serve()
    schema = {"type": "object", "$ref": f"http://127.0.0.1:{outside.port}/s.json"}
    answer = generate(asking(serve(body=services.openai('{"city": "a"}')), schema=schema))
    assert "which is not in the spec" in answer.problem
    assert outside.seen == []


def test_jsonschema_is_loaded_when_it_is_needed():
    program = "import sys, interlock.interpreter.structured; print('jsonschema' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
