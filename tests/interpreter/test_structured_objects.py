"""Objects in what models write: found whole, read strictly, never repaired, and told without their words."""

import contextlib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.interpreter.structured import Found, checked, object_in, wanted

ANY = {"type": "object"}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=9,
)
objects = st.dictionaries(st.text(max_size=5), values, max_size=4)
prose = st.text(st.characters(exclude_characters="{}", codec="utf-8"), max_size=20)


@settings(deadline=None)
@given(objects, prose, prose, st.booleans())
def test_the_first_object_is_found_whatever_stands_around_it(value, before, after, indent):
    written = json.dumps(value, ensure_ascii=indent, indent=2 if indent else None)
    assert object_in(f"{before}{written}{after}", ANY) == Found(value)


@settings(deadline=None)
@given(objects, st.data())
def test_a_cut_object_is_none(value, data):
    written = json.dumps({"first": value})
    cut = written[: data.draw(st.integers(0, len(written) - 1))]
    assert object_in(cut, ANY).value is None


def readable(text):
    """What Python's own reader finds at the beginning of a text."""
    with contextlib.suppress(ValueError):
        return json.JSONDecoder().raw_decode(text)[0]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_has_an_object_or_a_reason(text):
    found = object_in(text, ANY)
    assert (found.value is None) == bool(found.problem)


@settings(deadline=None)
@given(st.text(alphabet='{}[]":,\\a1 \n`', max_size=40))
def test_text_that_is_nearly_json_has_an_object_or_a_reason(text):
    found = object_in(text, ANY)
    assert (found.value is None) == bool(found.problem)
    if found.value is not None:
        starts = (at for at, letter in enumerate(text) if letter == "{")
        assert found.value in [readable(text[at:]) for at in starts]


@pytest.mark.parametrize(
    "text", ["{" * 200_000, '{"a":' * 100_000, '{"' * 100_000, "{x}" * 100_000, '"' * 200_000, "{}" * 99_999]
)
def test_large_and_hostile_texts_take_no_time(text):
    started = time.process_time()
    object_in(text, ANY)
    assert time.process_time() - started < 2


def test_the_inner_object_of_a_broken_one_is_not_taken_for_it():
    assert object_in('{"a": {"b": 1}, }', ANY).value is None
    assert object_in('{"a": [{"b": 1}', ANY).value is None
    assert object_in('{"a": 1, } for example {"a": 2}', ANY).value is None


def test_reasons_are_few_and_short_and_hold_nothing_of_the_value():
    schema = {"type": "object", "properties": {f"p{n}": {"type": "integer"} for n in range(9)}}
    found = checked({f"p{n}": "planted" for n in range(9)}, schema)
    assert found.problem == "it is not as the schema says at properties.p0.type, properties.p1.type, properties.p2.type"
    long = {"type": "object", "properties": {"x" * 5_000: {"type": "integer"}}}
    assert len(checked({"x" * 5_000: "planted"}, long).problem) < 300


@pytest.mark.parametrize("value", [None, [], "x", 7, True])
def test_what_is_no_object_is_none(value):
    assert checked(value, {}) == Found(problem="it is no JSON object")


def test_a_schema_that_is_no_good_is_told():
    assert "which is not in the spec" in checked({}, {"$ref": "http://127.0.0.1:1/x"}).problem
    assert "pattern that RE2 refuses" in checked({"a": "x"}, {"properties": {"a": {"pattern": "(?=x)"}}}).problem


def test_the_words_hold_the_schema_exactly():
    assert '{"const":18446744073709551616}' in wanted({"const": 2**64})


@pytest.mark.parametrize("came", [{}, {"a": "x"}, {"a": None, "b": "y"}, {"a": "x", "c": 4}])
def test_of_a_partial_object_keys_may_be_missing_and_others_there(came):
    schema = {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "string"}}}
    schema |= {"required": ["a", "b"], "additionalProperties": False}
    assert object_in(json.dumps(came), schema, partial=True) == Found(came)
    assert (object_in(json.dumps(came), schema).value is None) == (came != {"a": None, "b": "y"})
    assert object_in('{"a": 4}', schema, partial=True).value is None
