"""Events out of bytes, and answers out of events."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock_activities.failures import Failure
from interlock_activities.models import anthropic_wire, openai_wire
from interlock_activities.models.anthropic_stream import AnthropicAssembly
from interlock_activities.models.openai_stream import OpenAIAssembly
from interlock_activities.models.sse import Event, Events
from tests.activities.models import services

CALLS = [("track", {"no": "0012", "名": "深圳"}), ("close", {})]


def read(body, *, at_once=None, limit=10_000):
    events = Events(limit)
    size = at_once or len(body)
    return [event for start in range(0, len(body), size) for event in events.feed(body[start : start + size])]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_events_have_names_and_data_whatever_ends_their_lines(newline):
    lines = [b": a comment", b"event: note", b"data: one", b"data:two", b"id: 7", b"retry: 9", b"", b"data", b"", b"x"]
    assert read(newline.join(lines)) == [Event("note", "one\ntwo"), Event("", "")]


def test_an_event_without_its_end_is_none():
    assert read(b"data: a\n\ndata: b\n") == [Event("", "a")]


def test_a_mark_at_the_beginning_is_passed_over_and_one_space_after_the_colon():
    assert read("\ufeffdata:  a\n\n".encode()) == [Event("", " a")]


def test_a_named_event_without_data_is_none_and_leaves_no_name():
    assert read(b"event: x\n\ndata: a\n\n") == [Event("", "a")]


@pytest.mark.parametrize("body", [b"data: " + b"x" * 20_000, b"data: x\n" * 20_000])
@pytest.mark.parametrize("at_once", [None, 100])
def test_an_endless_event_is_refused(body, at_once):
    with pytest.raises(Failure, match="an event of more than 10,000 bytes"):
        read(body, at_once=at_once)


def test_an_event_that_is_not_utf_8_is_refused():
    with pytest.raises(Failure, match="not UTF-8"):
        read(b"data: \xff\n\n")


@settings(deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=8), min_size=1, max_size=5),
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(1, 9),
)
def test_it_does_not_matter_how_the_bytes_come(texts, newline, at_once):
    body = b"".join(b"data: " + text.encode() + newline * 2 for text in texts)
    assert read(body, at_once=at_once) == read(body) == [Event("", text) for text in texts]


def assembled(assembly, events):
    pieces = [assembly.add(event) for event in events]
    return assembly.completion(), pieces


PAIRS = [
    (OpenAIAssembly, services.openai_chunks, openai_wire, services.openai),
    (AnthropicAssembly, services.anthropic_events, anthropic_wire, services.anthropic),
]


@pytest.mark.parametrize(("assembly", "events", "wire", "answer"), PAIRS)
@pytest.mark.parametrize("calls", [[], CALLS])
def test_a_streamed_answer_is_the_same_as_a_whole_one(assembly, events, wire, answer, calls):
    completion, pieces = assembled(assembly(), events(calls=calls))
    assert completion == wire.from_wire(answer(calls=calls))
    assert [piece for piece in pieces if piece] == ["It is ", "in Hamburg", "."]


@pytest.mark.parametrize(("assembly", "events"), [pair[:2] for pair in PAIRS])
def test_an_answer_is_whole_when_the_model_said_why_it_stopped(assembly, events):
    made = assembly()
    told = list(events())
    for event in told[:-2]:
        assert not made.whole
        made.add(event)
    made.add(told[-2])
    assert made.whole


def test_openai_usage_may_be_missing_and_pieces_of_other_choices_are_passed_over():
    chunks = list(services.openai_chunks(usage=None))
    chunks.insert(2, {"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}]})
    completion, _ = assembled(OpenAIAssembly(), chunks)
    assert (completion.text, completion.finish, completion.output_tokens) == ("It is in Hamburg.", "stop", None)


@pytest.mark.parametrize("choices", [None, [], "x", [None]])
def test_openai_chunks_without_choices_tell_usage(choices):
    chunks = [*services.openai_chunks(usage=None), {"choices": choices, "usage": {"prompt_tokens": 3}}]
    assert assembled(OpenAIAssembly(), chunks)[0].input_tokens == 3


def test_openai_calls_without_an_index_are_told_apart_by_id_or_go_on():
    def piece(**one):
        return {"choices": [{"delta": {"tool_calls": [one]}}]}

    chunks = [
        piece(id="a", function={"name": "x", "arguments": '{"n"'}),
        piece(function={"arguments": ": 1}"}),
        piece(id="b", function={"name": "y", "arguments": "{}"}),
        {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
    ]
    completion, _ = assembled(OpenAIAssembly(), chunks)
    assert completion.calls == (
        {"id": "a", "name": "x", "arguments": {"n": 1}},
        {"id": "b", "name": "y", "arguments": {}},
    )


def test_openai_calls_with_odd_indexes_are_calls_all_the_same():
    chunks = list(services.openai_chunks(calls=CALLS))
    for chunk in chunks:
        for choice in chunk["choices"]:
            for one in choice["delta"].get("tool_calls", ()):
                one["index"] = 7 - one["index"] * 9
    assert [call["name"] for call in assembled(OpenAIAssembly(), chunks)[0].calls] == ["track", "close"]


def test_anthropic_thinking_is_passed_over():
    events = list(services.anthropic_events())
    events[2:2] = [
        {"type": "content_block_start", "index": 9, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "signature_delta", "signature": "x"}},
        {"type": "something_new"},
    ]
    assert assembled(AnthropicAssembly(), events)[0].text == "It is in Hamburg."


@pytest.mark.parametrize("index", [None, 5, "0", {}, [], True])
def test_anthropic_a_piece_of_nothing_cannot_be_read(index):
    assembly = AnthropicAssembly()
    assembly.add({"type": "content_block_start", "index": 0, "content_block": {"type": "text"}})
    with pytest.raises(Failure, match="not begun"):
        assembly.add({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": "x"}})


@pytest.mark.parametrize("index", [None, 0, {}])
def test_anthropic_a_block_has_a_number_of_its_own(index):
    assembly = AnthropicAssembly()
    assembly.add({"type": "content_block_start", "index": 0, "content_block": {"type": "text"}})
    with pytest.raises(Failure, match="no number of its own"):
        assembly.add({"type": "content_block_start", "index": index, "content_block": {"type": "text"}})


def test_anthropic_a_call_without_arguments_has_those_it_began_with():
    events = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "name": "t", "input": {}}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ]
    assert assembled(AnthropicAssembly(), events)[0].calls == ({"id": "call_1", "name": "t", "arguments": {}},)


@pytest.mark.parametrize(
    ("error", "retryable", "word"),
    [
        ({"type": "overloaded_error", "message": "secret words"}, True, "overloaded_error"),
        ({"type": "server_error", "code": "rate_limit_exceeded"}, True, "rate_limit_exceeded"),
        ({"type": "invalid_request_error", "code": None}, False, "invalid_request_error"),
        ({"type": "two words", "code": 7}, True, ""),
        ({}, True, ""),
    ],
)
def test_a_fault_in_the_middle_is_a_failure_without_their_words(error, retryable, word):
    with pytest.raises(Failure) as failure:
        AnthropicAssembly().add({"type": "error", "error": error})
    assert failure.value.retryable is retryable
    assert failure.value.message == "the service broke off" + (f" ({word})" if word else "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def broken(events, draw):
    """Events with a value here and there that nobody would expect."""
    for event in json.loads(json.dumps(list(events))):
        place = event
        while isinstance(place, dict | list) and place:
            key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
            if draw(st.integers(0, 5)) == 0:
                place[key] = draw(json_values)
                break
            place = place[key]
        yield event


@pytest.mark.parametrize(("assembly", "events"), [pair[:2] for pair in PAIRS])
@settings(deadline=None)
@given(data=st.data())
def test_events_of_any_shape_are_read_or_refused(assembly, events, data):
    made = assembly()
    try:
        for event in broken(events(pieces=["a"], calls=[("t", {})]), data.draw):
            piece = made.add(event)
            assert isinstance(piece, str)
        completion = made.completion()
    except Failure:
        return
    assert isinstance(completion.text, str)
    assert all(isinstance(call["arguments"], dict | None) for call in completion.calls)


@pytest.mark.parametrize(("wire", "answer"), [pair[2:] for pair in PAIRS])
@settings(deadline=None)
@given(data=st.data())
def test_answers_of_any_shape_are_read_or_refused(wire, answer, data):
    try:
        (payload,) = broken([answer(calls=[("t", {"a": 1})])], data.draw)
        completion = wire.from_wire(payload)
    except Failure:
        return
    assert isinstance(completion.text, str)
