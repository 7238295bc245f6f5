"""What goes over the wire, and what comes back, in both formats: pure functions."""

import pytest

from interlock_activities.failures import Failure
from interlock_activities.models import anthropic_wire, openai_wire
from interlock_activities.models.chat import Chat
from tests.activities.models import services

TOOL = {"name": "track", "description": "Tracks.", "parameters": {"type": "object", "properties": {}}}
CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
CONVERSATION = (
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Track 0012."},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "track", "arguments": {"no": 2**64}}]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"place": "Hamburg"}'},
    {"role": "user", "content": "And then?"},
)


def chat(*messages, **more):
    return Chat(role="writer", model="m", messages=messages or ({"role": "user", "content": "Hi"},), **more)


def test_openai_a_plain_question_has_nothing_that_was_not_asked_for():
    assert openai_wire.to_wire(chat()) == {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def test_openai_a_conversation_with_calls():
    assert openai_wire.to_wire(chat(*CONVERSATION))["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Track 0012."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "track", "arguments": '{"no":18446744073709551616}'},
                }
            ],
        },
        {"role": "tool", "content": '{"place": "Hamburg"}', "tool_call_id": "c1"},
        {"role": "user", "content": "And then?"},
    ]


@pytest.mark.parametrize(
    ("choose", "sent"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("track", {"type": "function", "function": {"name": "track"}}),
    ],
)
def test_openai_tools_and_the_choice_among_them(choose, sent):
    body = openai_wire.to_wire(chat(tools=(TOOL,), choose=choose))
    assert body["tools"] == [{"type": "function", "function": TOOL}]
    assert body["tool_choice"] == sent


def test_openai_settings_are_sent_where_they_are_given():
    body = openai_wire.to_wire(chat(temperature=0.0, max_tokens=9, streamed=True))
    assert (body["temperature"], body["max_tokens"]) == (0.0, 9)
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


def test_openai_a_schema_is_sent_in_their_format_and_told_in_words():
    body = openai_wire.to_wire(chat(*CONVERSATION[:2], schema=CLOSED, rung="schema"))
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": CLOSED},
    }
    assert body["messages"][0]["content"].startswith("Be brief.\n\nAnswer with one JSON object and nothing else.")
    assert len(body["messages"]) == 2
    assert openai_wire.to_wire(chat(schema=CLOSED, rung="json"))["response_format"] == {"type": "json_object"}
    assert "response_format" not in openai_wire.to_wire(chat(schema=CLOSED, rung="text"))


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        ({**CLOSED, "required": []}, False),
        ({**CLOSED, "additionalProperties": True}, False),
        ({"type": "object"}, False),
        ({**CLOSED, "properties": {"a": {"type": "array", "items": {"type": "object"}}}}, False),
        ({**CLOSED, "properties": {"a": {"anyOf": [CLOSED, {"type": "null"}]}}}, True),
    ],
)
def test_openai_only_a_closed_schema_is_enforced(schema, strict):
    assert openai_wire.is_strict(schema) is strict


def test_anthropic_a_plain_question_has_the_most_tokens_that_it_may_cost():
    assert anthropic_wire.to_wire(chat()) == {
        "model": "m",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
    }


def test_anthropic_the_system_stands_on_top_and_neighbours_are_one_message():
    body = anthropic_wire.to_wire(chat({"role": "system", "content": "Say."}, *CONVERSATION, max_tokens=5))
    assert body["system"] == "Say.\n\nBe brief."
    assert body["max_tokens"] == 5
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Track 0012."}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "track", "input": {"no": 2**64}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": '{"place": "Hamburg"}'},
                {"type": "text", "text": "And then?"},
            ],
        },
    ]


def test_anthropic_empty_texts_are_left_out_for_they_are_refused():
    messages = (
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": " "},
        {"role": "user", "content": ""},
    )
    assert len(anthropic_wire.to_wire(chat(*messages))["messages"]) == 1


def test_anthropic_system_messages_alone_cannot_be_asked():
    with pytest.raises(Failure) as failure:
        anthropic_wire.to_wire(chat({"role": "system", "content": "Hi"}))
    assert failure.value.kind == "misconfigured"


@pytest.mark.parametrize(
    ("choose", "sent"),
    [
        ("auto", {"type": "auto"}),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        ("track", {"type": "tool", "name": "track"}),
    ],
)
def test_anthropic_tools_and_the_choice_among_them(choose, sent):
    body = anthropic_wire.to_wire(chat(tools=(TOOL,), choose=choose))
    assert body["tools"] == [{"name": "track", "description": "Tracks.", "input_schema": TOOL["parameters"]}]
    assert body["tool_choice"] == sent


def test_anthropic_a_schema_and_a_stream_are_asked_for():
    body = anthropic_wire.to_wire(chat(schema=CLOSED, rung="schema", streamed=True, temperature=0.5))
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": CLOSED}}
    assert (body["stream"], body["temperature"]) == (True, 0.5)
    assert "system" not in body


@pytest.mark.parametrize(("wire", "answer"), [(openai_wire, services.openai), (anthropic_wire, services.anthropic)])
def test_an_answer_is_its_text_calls_usage_and_names(wire, answer):
    completion = wire.from_wire(answer("Well.", calls=[("track", {"no": 2**64}), ("track", {})]))
    assert completion.text == "Well."
    assert completion.finish == "calls"
    assert [call["arguments"] for call in completion.calls] == [{"no": 2**64}, {}]
    assert len({call["id"] for call in completion.calls}) == 2
    assert (completion.input_tokens, completion.output_tokens) == (11, 7)
    assert completion.model.endswith("-2026")
    assert completion.id


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        ("eos_token", "stop"),
        (None, "stop"),
        ("tool_calls", "stop"),
        ("length", "length"),
        ("content_filter", "refused"),
    ],
)
def test_openai_reasons_for_an_end(reason, finish):
    payload = services.openai()
    payload["choices"][0]["finish_reason"] = reason
    assert openai_wire.from_wire(payload).finish == finish


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refused"),
        (None, "stop"),
    ],
)
def test_anthropic_reasons_for_an_end(reason, finish):
    assert anthropic_wire.from_wire({**services.anthropic(), "stop_reason": reason}).finish == finish


@pytest.mark.parametrize("reason", ["error", "pause_turn", 7, {"a": 1}, "x" * 500])
def test_an_end_for_an_unknown_reason_is_no_whole_answer(reason):
    with pytest.raises(Failure, match="not known") as failure:
        anthropic_wire.from_wire({**services.anthropic(), "stop_reason": reason})
    assert failure.value.retryable
    assert len(str(failure.value)) < 150


def test_a_stop_with_calls_means_calls_and_a_cut_with_calls_a_cut():
    assert openai_wire.from_wire(services.openai(calls=[("t", {})], finish="stop")).finish == "calls"
    assert openai_wire.from_wire(services.openai(calls=[("t", {})], finish="length")).finish == "length"


def test_openai_a_refusal_is_one_whatever_the_reason():
    payload = services.openai(None)
    payload["choices"][0]["message"]["refusal"] = "I cannot."
    completion = openai_wire.from_wire(payload)
    assert (completion.finish, completion.text) == ("refused", "")


def test_of_several_choices_the_first_counts():
    payload = services.openai("one")
    payload["choices"].append({"index": 1, "message": {"content": "two"}, "finish_reason": "length"})
    completion = openai_wire.from_wire(payload)
    assert (completion.text, completion.finish) == ("one", "stop")


def test_content_in_parts_is_put_together():
    parts = [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "?"}, {"type": "text", "text": "b"}]
    assert openai_wire.from_wire(services.openai(parts)).text == "ab"
    assert anthropic_wire.from_wire(services.anthropic(content=parts)).text == "ab"


@pytest.mark.parametrize("payload", [{}, {"choices": []}, {"choices": None}, {"choices": [7]}, [], "x", None, 7])
def test_openai_no_choices_are_no_answer(payload):
    with pytest.raises(Failure, match="no choices"):
        openai_wire.from_wire(payload)


@pytest.mark.parametrize("payload", [{}, {"content": None}, {"content": "text"}, [], "x", None, 7])
def test_anthropic_no_content_is_no_answer(payload):
    with pytest.raises(Failure, match="no content"):
        anthropic_wire.from_wire(payload)


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ('{"no": 340282366920938463463374607431768211455}', {"no": 2**128 - 1}),
        ('{"a": 1', None),
        ('{"a": 1, "a": 2}', None),
        ('{"a": NaN}', None),
        ("[1]", None),
        ('"a"', None),
        ("", None),
        ("7", None),
        (None, None),
        (7, None),
        ("[" * 9_999, None),
    ],
)
def test_arguments_that_are_no_object_are_none(written, arguments):
    payload = services.openai(calls=[("track", {})])
    payload["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = written
    assert openai_wire.from_wire(payload).calls[0]["arguments"] == arguments


@pytest.mark.parametrize("given", [None, "", 7, "call_2"])
def test_every_call_has_an_id_of_its_own(given):
    payload = services.openai(calls=[("a", {}), ("b", {}), ("c", {})])
    for one in payload["choices"][0]["message"]["tool_calls"]:
        one["id"] = given
    ids = [call["id"] for call in openai_wire.from_wire(payload).calls]
    assert len(set(ids)) == 3
    assert all(isinstance(one, str) and one for one in ids)


@pytest.mark.parametrize("told", [None, -1, 1.5, True, "7", 2**60, {}])
def test_usage_that_is_no_number_of_tokens_is_not_known(told):
    assert (
        openai_wire.from_wire(services.openai(usage=(0, 0)) | {"usage": {"prompt_tokens": told}}).input_tokens is None
    )


def test_anthropic_counts_what_its_cache_held():
    usage = {"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 5}
    assert anthropic_wire.from_wire(services.anthropic() | {"usage": usage}).input_tokens == 123


def test_null_content_without_calls_is_an_empty_answer():
    assert openai_wire.from_wire(services.openai(None)).text == ""
    assert anthropic_wire.from_wire(services.anthropic("")).text == ""
