"""Scripts of models: which reply answers, and what it stands for."""

import json

import pytest

from interlock.interpreter.scripted import FAULTS, Asked, Said, Script, ScriptError, said
from interlock.plan.schemas import schema_misfits

TOOLS = (
    {"name": "track", "parameters": {"type": "object", "properties": {"no": {"type": "string"}}, "required": ["no"]}},
)
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"enum": ["Hamburg", "Kiel"]},
        "size": {"type": "integer", "minimum": 7},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        "sure": {"type": ["boolean", "null"]},
        "kind": {"const": "a"},
    },
    "required": ["city", "size", "tags", "place", "sure", "kind"],
    "additionalProperties": False,
}


def asked(text="Where is 0012?", **more):
    messages = (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "user", "content": text},
    )
    return Asked(**{"role": "writer", "messages": messages, **more})


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        ("'0012' in message", True),
        ("'Hello' in message", False),
        ("'Hello' in prompt and 'brief' in prompt", True),
        ("'track' in tools", True),
        ("'other' in tools", False),
        ("role == 'writer'", True),
        ("role == 'judge'", False),
        ("message.nothing == 1", False),
    ],
)
def test_a_condition_reads_the_last_message_the_prompt_the_tools_and_the_role(when, holds):
    script = Script([{"when": when, "reply": "yes"}])
    assert script.pick(asked(tools=TOOLS), {}) == (0 if holds else None)


def test_without_messages_of_a_user_the_message_is_empty():
    script = Script([{"when": "message == ''", "reply": "yes"}])
    assert script.pick(Asked("writer", ({"role": "system", "content": "x"},)), {}) == 0


def test_the_first_that_matches_and_is_not_used_up_answers():
    script = Script([{"reply": "a", "times": 2}, {"when": "role == 'judge'", "reply": "b"}, {"reply": "c"}])
    assert [script.pick(asked(), {0: used}) for used in (0, 1, 2, 3)] == [0, 0, 2, 2]
    assert script.pick(asked(role="judge"), {0: 2}) == 1
    assert Script([{"reply": "a", "times": 1}]).pick(asked(), {0: 1}) is None
    assert Script([]).pick(asked(), {}) is None


def test_what_replies_stand_for():
    assert said({"reply": "Hello"}, asked()) == Said("Hello")
    calling = ({"id": "call_1", "name": "track", "arguments": {"no": "0012"}},)
    assert said({"call": "track", "with": {"no": "0012"}}, asked()) == Said("", calling, "calls")
    assert said({"call": "track"}, asked()).calls[0]["arguments"] == {}
    assert json.loads(said({"value": {"id": 2**64}}, asked()).text) == {"id": 2**64}


def test_what_faults_stand_for():
    for fault in ("timeout", "error", "overloaded"):
        assert said({"fault": fault}, asked()) == Said(fault=fault)
    with pytest.raises(ValueError):
        json.loads(said({"fault": "malformed"}, asked(schema=SCHEMA, tools=TOOLS)).text)
    assert said({"fault": "malformed"}, asked(tools=TOOLS)).calls[0]["arguments"] is None
    assert said({"fault": "wrong_tool"}, asked(tools=TOOLS)).calls[0]["name"] == "no_such_tool"
    assert said({"fault": "length"}, asked()).finish == "length"
    assert said({"fault": "refused"}, asked()).finish == "refused"
    assert len(said({"fault": "huge"}, asked(max_bytes=100)).text) == 101


def test_extra_fields_are_all_that_is_wrong_with_such_an_answer():
    value = json.loads(said({"fault": "extra_fields"}, asked(schema=SCHEMA)).text)
    assert [reason for _, reason in schema_misfits(SCHEMA, value)] == ["'unasked_for' is not a declared member"]
    arguments = said({"fault": "extra_fields"}, asked(tools=TOOLS)).calls[0]["arguments"]
    assert arguments == {"no": "x", "unasked_for": "nobody asked for this"}
    assert json.loads(said({"fault": "extra_fields"}, asked()).text) == {"unasked_for": "nobody asked for this"}


def test_every_fault_says_something_whatever_was_asked():
    for fault in FAULTS:
        for question in (asked(), asked(tools=TOOLS), asked(schema=SCHEMA), asked(tools=TOOLS, schema={})):
            assert said({"fault": fault}, question)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("text", "it is a mapping"),
        ({}, "it has one of reply, call, value, fault"),
        ({"reply": "a", "fault": "error"}, "it has one of"),
        ({"reply": 7}, "are texts"),
        ({"reply": "a", "when": 7}, "are texts"),
        ({"reply": "a", "with": {}}, "`with` are the arguments"),
        ({"call": "a", "with": []}, "`with` are the arguments"),
        ({"value": []}, "`value` is an object"),
        ({"fault": "odd"}, "`fault` is one of error,"),
        ({"reply": "a", "times": 0}, "`times` is a whole number"),
        ({"reply": "a", "times": True}, "`times` is a whole number"),
        ({"reply": "a", "unknown": 1}, "it is a mapping"),
    ],
)
def test_a_reply_that_is_none_is_told_with_its_number(reply, problem):
    with pytest.raises(ScriptError, match=r"^reply 2: ") as error:
        Script([{"reply": "a"}, reply])
    assert problem in str(error.value)


def test_a_condition_that_cannot_be_read_is_told():
    with pytest.raises(ScriptError, match="a `when` cannot be read"):
        Script([{"when": "a ==", "reply": "x"}])
