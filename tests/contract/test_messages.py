import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.contract.messages import (
    AgentMessage,
    Malformed,
    Message,
    PersonEvent,
    SessionStart,
    agent_message,
    body_of,
    message,
    person_event,
    session_start,
)

KEYS = st.sampled_from(
    ["id", "text", "role", "type", "metadata", "history", "user", "message", "by", "groups", "tenant"]
)
ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary(max_size=3)
    | st.sampled_from(["\ud800", "m1"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(KEYS | st.text(max_size=5) | st.integers(), inner, max_size=6)
        | st.tuples(inner)
    ),
    max_leaves=25,
)
VALIDATORS = [session_start, message, agent_message, person_event]


def refused(validate, value):
    with pytest.raises(Malformed) as problem:
        validate(value)
    return problem.value


@given(st.sampled_from(VALIDATORS), ANY)
def test_anything_at_all_is_valid_or_malformed(validate, value):
    try:
        validate(value)
    except Malformed as problem:
        assert problem.code  # noqa: PT017 - one of two endings
        assert len(str(problem)) < 2_000  # noqa: PT017 - likewise
        json.dumps(problem.as_json()).encode()


@given(
    st.lists(
        st.tuples(st.sampled_from(["json/plain", "binary/null", "json/protobuf", ""]), st.binary(max_size=30)),
        max_size=3,
    )
)
def test_any_payloads_give_one_body_or_are_malformed(payloads):
    try:
        value = body_of(payloads)
    except Malformed as problem:
        json.dumps(problem.as_json())
        return
    assert len(payloads) <= 1
    assert value is None or payloads[0][0] == "json/plain"


def test_a_message_has_defaults():
    assert message({"id": "m1", "text": ""}) == Message("m1", "", "user", "user_chat", {}, ())
    assert message({"id": "m1", "text": "x", "role": None, "metadata": None, "history": None}) == Message("m1", "x")


def test_a_message_is_taken_as_it_is():
    body = {
        "id": "消息-1",
        "text": "555E898665 帮查一下\n\u200b",
        "role": "agent",
        "type": "form",
        "metadata": {"order": 2**64, "tags": ["a"]},
        "history": [{"role": "assistant", "text": "hello"}],
    }
    taken = message(body)
    assert (taken.id, taken.text, taken.role, taken.type) == ("消息-1", "555E898665 帮查一下\n\u200b", "agent", "form")
    assert taken.metadata == {"order": 2**64, "tags": ["a"]}
    assert taken.history == ({"role": "assistant", "text": "hello"},)


def test_a_session_starts_with_a_user_and_maybe_a_message():
    user = {"id": "u1", "groups": ["desk"], "tenant": "t", "locale": "zh-CN", "level": 3}
    assert session_start({"user": user}) == SessionStart(user)
    assert session_start({"user": {"id": "u1"}, "message": {"id": "m", "text": "x"}}).message == Message("m", "x")


def test_events_name_a_person_or_nobody():
    assert person_event(None) == person_event({}) == PersonEvent("")
    assert person_event({"by": "Ann"}) == PersonEvent("Ann")
    assert agent_message({"id": "a1", "text": "hi", "by": "Ann"}) == AgentMessage("a1", "hi", "Ann")


@pytest.mark.parametrize(
    ("body", "code", "says", "path"),
    [
        (None, "wrong-type", "an object is expected, not nothing", []),
        ([], "wrong-type", "an object is expected, not a list", []),
        ({"text": "x"}, "missing-key", "key 'id' is missing", []),
        ({"id": "a", "txet": "x"}, "unknown-key", "unknown key 'txet'; did you mean 'text'?", []),
        ({"id": "a", "text": "x", "zzz": 1}, "unknown-key", "unknown key 'zzz'; known are id, text, role, type, metadata, history, model", []),
        ({"id": 1, "text": "x"}, "wrong-type", "id: a string is expected, not a number", ["id"]),
        ({"id": True, "text": "x"}, "wrong-type", "id: a string is expected, not a boolean", ["id"]),
        ({"id": " ", "text": "x"}, "empty", "id: an empty string", ["id"]),
        ({"id": "a\nb", "text": "x"}, "bad-text", "id: a name may not hold control characters", ["id"]),
        ({"id": "x" * 201, "text": "x"}, "too-long", "id: 201 characters, more than 200", ["id"]),
        ({"id": "a", "text": None}, "wrong-type", "text: a string is expected, not nothing", ["text"]),
        ({"id": "a", "text": "x" * 32_769}, "too-long", "text: 32,769 characters, more than 32,768", ["text"]),
        ({"id": "a", "text": "x\ud800"}, "lone-surrogate", "text: character 2 is half of a pair", ["text"]),
        ({"id": "a", "text": "x", "metadata": []}, "wrong-type", "metadata: an object is expected, not a list", ["metadata"]),
        ({"id": "a", "text": "x", "metadata": {"a": [float("inf")]}}, "not-a-number", "metadata.a.0: inf is not JSON", ["metadata", "a", 0]),
        ({"id": "a", "text": "x", "metadata": {"a": "x" * 70_000}}, "too-large", "metadata: 70,008 bytes as JSON, more than 65,536", ["metadata"]),
        ({"id": "a", "text": "x", "history": {}}, "wrong-type", "history: a list is expected, not an object", ["history"]),
        ({"id": "a", "text": "x", "history": [{}] * 201}, "too-long", "history: 201 entries, more than 200", ["history"]),
        ({"id": "a", "text": "x", "history": [{"role": "user"}]}, "missing-key", "history.0: key 'text' is missing", ["history", 0]),
    ],
)  # fmt: skip
def test_a_message_that_is_not_in_the_contract_says_where_and_why(body, code, says, path):
    problem = refused(message, body)
    assert problem.as_json() == {"code": code, "message": says, "path": path}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "key 'user' is missing"),
        ({"user": {}}, "user: key 'id' is missing"),
        ({"user": {"id": "u", "groups": "desk"}}, "user.groups: a list is expected, not a string"),
        ({"user": {"id": "u", "groups": [1]}}, "user.groups: a string is expected, not a number"),
        ({"user": {"id": "u", "locale": 1}}, "user.locale: a string is expected, not a number"),
        ({"user": {"id": "u", "note": "x" * 40_000}}, "user: 40,020 bytes as JSON, more than 32,768"),
        ({"user": {"id": "u"}, "message": {"id": "m"}}, "message: key 'text' is missing"),
        ({"user": {"id": "u"}, "mesage": {}}, "unknown key 'mesage'; did you mean 'message'?"),
    ],
)
def test_a_start_that_is_not_in_the_contract_says_where_and_why(body, says):
    assert str(refused(session_start, body)) == says


@pytest.mark.parametrize(
    ("payloads", "code"),
    [
        ([("json/plain", b"{}"), ("json/plain", b"{}")], "wrong-arity"),
        ([("json/protobuf", b"{}")], "wrong-encoding"),
        ([("json/plain", b"{")], "not-json"),
        ([("json/plain", b'{"id": "a", "id": "b"}')], "duplicate-key"),
        ([("json/plain", b'"' + b"x" * 300_000 + b'"')], "too-large"),
    ],
)
def test_payloads_that_are_not_one_json_value_are_malformed(payloads, code):
    assert refused(body_of, payloads).code == code


def test_no_payload_and_null_are_nothing():
    assert body_of([]) is body_of([("binary/null", b"")]) is body_of([("json/plain", b"null")]) is None


def test_history_of_the_largest_kind_is_taken():
    entries = [{"role": "user", "text": "x" * 500}] * 200
    assert len(message({"id": "a", "text": "x", "history": entries}).history) == 200


NAMED = {"model": "m", "server": "llm", "temperature": 0.5, "max_tokens": 9}


def test_a_message_and_a_start_may_name_a_model():
    said = {"id": "1", "text": "x", "model": NAMED}
    assert message(said).model == NAMED
    start = session_start({"user": {"id": "u"}, "message": said, "model": {"model": "n", "server": None}})
    assert (start.model, start.message.model) == ({"model": "n"}, NAMED)
    assert message({"id": "1", "text": "x", "model": None}).model is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"model": None}, "missing-key"),
        ({"model": 4}, "wrong-type"),
        ({"model": ""}, "empty"),
        ({"server": ["llm"]}, "wrong-type"),
        ({"temperature": "0"}, "wrong-value"),
        ({"temperature": 2.1}, "wrong-value"),
        ({"temperature": True}, "wrong-value"),
        ({"max_tokens": 0}, "wrong-value"),
        ({"max_tokens": 1.5}, "wrong-value"),
        ({"max_tokens": 10**9}, "wrong-value"),
        ({"api_key": "x"}, "unknown-key"),
    ],
)
def test_what_is_no_model_is_refused_with_its_place(change, code):
    with pytest.raises(Malformed) as refused:
        message({"id": "1", "text": "x", "model": NAMED | change})
    assert refused.value.code == code
    assert refused.value.path[0] == "model"
