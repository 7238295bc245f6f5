"""Fields: values are checked as they are, and every misfit says where and what."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.plan.base import Field
from interlock.plan.fields import misfits, misfits_of, only_declared


def wrong(field: Field, value: object, path: str = "") -> list[str]:
    return [str(misfit) for misfit in misfits(field, value, path)]


@pytest.mark.parametrize(
    ("type_name", "value"),
    [
        ("string", "007"),
        ("integer", 2**128 - 1),
        ("number", 1.5),
        ("number", 3),
        ("boolean", False),
        ("date", "2024-02-29"),
        ("datetime", "2024-05-01T08:00:00+08:00"),
        ("datetime", "2024-05-01T08:00Z"),
        ("list", []),
        ("object", {}),
    ],
)
def test_a_value_of_its_type_is_accepted(type_name, value):
    assert wrong(Field(type=type_name), value) == []


@pytest.mark.parametrize(
    ("type_name", "value", "reason"),
    [
        ("string", 7, "not a string: 7"),
        ("integer", "7", "not an integer: '7'"),
        ("integer", True, "not an integer: true"),
        ("integer", 7.0, "not an integer: 7.0"),
        ("number", "7", "not a number: '7'"),
        ("number", False, "not a number: false"),
        ("boolean", 0, "not a boolean: 0"),
        ("date", "2024-02-30", "not a date: '2024-02-30'"),
        ("date", "20240201", "not a date: '20240201'"),
        ("date", "2024-02-01\n", "not a date: '2024-02-01\\n'"),
        ("datetime", "2024-05-01", "not a datetime: '2024-05-01'"),
        ("datetime", "2024-05-01T25:00:00Z", "not a datetime: '2024-05-01T25:00:00Z'"),
        ("list", "abc", "not a list: 'abc'"),
        ("object", [], "not an object: []"),
    ],
)
def test_nothing_is_coerced(type_name, value, reason):
    assert wrong(Field(type=type_name), value, "a.b") == [f"a.b: {reason}"]


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        (Field(type="integer", enum=(1, 2)), 3, "3 is not one of 1, 2"),
        (
            Field(type="string", pattern="^[0-9]{4}-[0-9]{2}$"),
            "2024-1",
            "'2024-1' does not match '^[0-9]{4}-[0-9]{2}$'",
        ),
        (Field(type="string", format="uuid"), "x", "'x' is not a valid uuid"),
        (Field(type="string", max_length=2), "abc", "'abc' is longer than 2"),
        (Field(type="list", max_length=1), [1, 2], "[1, 2] is longer than 1"),
        (Field(type="number", min=1), 0.5, "0.5 is below 1"),
        (Field(type="integer", max=9), 10, "10 is above 9"),
        (Field(type="date", min="2024-01-01"), "2023-12-31", "'2023-12-31' is below 2024-01-01"),
        (
            Field(type="datetime", max="2024-01-01T00:00:00Z"),
            "2024-01-01T00:00:00-01:00",
            "'2024-01-01T00:00:00-01:00' is above 2024-01-01T00:00:00Z",
        ),
        (
            Field(type="datetime"),
            "2024-01-01T00:00:00",
            "'2024-01-01T00:00:00' has no offset, and no `timezone` is declared",
        ),
    ],
)
def test_every_constraint_has_its_reason(field, value, reason):
    assert wrong(field, value) == [reason]


def test_a_local_time_is_read_in_the_declared_zone():
    field = Field(type="datetime", timezone="Asia/Shanghai", max="2024-01-01T00:00:00Z")
    assert wrong(field, "2024-01-01T07:59:00") == []
    assert wrong(field, "2024-01-01T08:01:00") == ["'2024-01-01T08:01:00' is above 2024-01-01T00:00:00Z"]


@pytest.mark.parametrize(
    ("format_name", "good", "bad"),
    [
        ("email", "li@example.com", "li@example"),
        ("uri", "https://example.com/a?b=1", "example.com"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000"),
        ("ipv4", "127.0.0.1", "127.0.0.256"),
        ("ipv6", "::1", "::g"),
        ("time", "08:30", "24:30"),
        ("date", "2024-01-31", "2024-01-32"),
        ("date-time", "2024-01-31T08:00:00Z", "2024-01-31"),
    ],
)
def test_a_format_is_checked(format_name, good, bad):
    field = Field(type="string", format=format_name)
    assert (wrong(field, good), wrong(field, bad)) == ([], [f"{bad!r} is not a valid {format_name}"])


def test_one_is_not_true_in_an_enum():
    assert wrong(Field(type="boolean", enum=(1,)), True) == ["true is not one of 1"]


def test_items_and_members_are_checked_with_their_path():
    city = Field(type="object", fields={"city": Field(type="string"), "zip": Field(type="string", optional=True)})
    field = Field(type="list", items=city)
    assert wrong(field, [{"city": "深圳"}, {"city": 7, "zip": 8}, {}], "stops") == [
        "stops.1.city: not a string: 7",
        "stops.1.zip: not a string: 8",
        "stops.2.city: missing",
    ]


def test_null_is_missing_where_a_value_is_required_only():
    fields = {
        "a": Field(type="string"),
        "b": Field(type="string", optional=True),
        "c": Field(type="integer", default=1),
    }
    wrong_ones = [str(misfit) for misfit in misfits_of(fields, {"a": None, "b": None, "c": None})]
    assert wrong_ones == ["a: null where a value is required"]


def test_only_the_declared_part_is_kept():
    place = Field(type="object", fields={"city": Field(type="string")})
    fields = {
        "no": Field(type="string"),
        "place": place,
        "eta": Field(type="date", optional=True),
        "n": Field(type="integer", default=1),
    }
    value = {"no": "1", "place": {"city": "x", "secret": 1}, "eta": None, "other": 2}
    assert only_declared(fields, value) == {"no": "1", "place": {"city": "x"}, "n": 1}


def test_a_sensitive_value_is_not_quoted():
    card = Field(type="object", sensitive=True, fields={"no": Field(type="integer")})
    assert wrong(card, {"no": "4111"}, "card") == ["card.no: not an integer"]
    assert wrong(Field(type="string", sensitive=True, pattern="^x"), "4111") == ["the value does not match '^x'"]
    assert [str(one) for one in misfits(Field(type="string", pattern="^x"), "4111", hidden=True)] == [
        "the value does not match '^x'"
    ]


def test_a_json_schema_checks_the_rest_and_refers_to_nothing_outside():
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    assert wrong(Field(type="object", json_schema=schema), {"a": [1, "x"]}, "o") == [
        "o.a.1: 'x' is not of type 'integer'"
    ]
    outside = Field(type="object", json_schema={"$ref": "https://example.com/schema.json"})
    assert wrong(outside, {}) == ["its schema refers to 'https://example.com/schema.json', which is not in the spec"]


def test_a_json_schema_that_cannot_be_followed_refuses_every_value():
    look_ahead = Field(type="string", json_schema={"pattern": "a(?=b)"})
    assert wrong(look_ahead, "ab")[0].startswith("its schema has a pattern that RE2 refuses")
    assert wrong(Field(type="object", json_schema={"$ref": "#"}), {}) == ["its schema refers to itself without end"]


def test_members_are_told_by_patterns_in_a_json_schema():
    schema = {"properties": {"a": {}}, "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False}
    field = Field(type="object", json_schema=schema)
    assert wrong(field, {"a": 1, "xy": 2}) == []
    assert wrong(field, {"xy": "2"}) == ["xy: '2' is not of type 'integer'"]
    assert wrong(field, {"b": 1}) == ["'b' is not a declared member"]
    assert wrong(Field(type="object", json_schema={"additionalProperties": {"type": "null"}}), {"b": 1}) == [
        "b: 1 is not of type 'null'"
    ]


def test_an_evil_pattern_in_a_json_schema_does_not_block():
    field = Field(type="string", json_schema={"pattern": "^(a+)+$"})
    before = time.perf_counter()
    assert wrong(field, "a" * 5_000 + "!") != []
    assert time.perf_counter() - before < 0.5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.builds(
    Field,
    type=st.sampled_from(["string", "integer", "number", "boolean", "date", "datetime", "list", "object"]),
    enum=st.just(()) | st.lists(JSON, max_size=2).map(tuple),
    max_length=st.none() | st.integers(0, 3),
    pattern=st.sampled_from(["", "^a", "[0-9]"]),
    format=st.sampled_from(["", "uuid", "email", "ipv4"]),
    timezone=st.sampled_from(["", "Asia/Shanghai"]),
    optional=st.booleans(),
)


@given(FIELDS, JSON)
def test_checking_never_raises_and_never_changes_the_value(field, value):
    before = json.dumps(value)
    assert all(isinstance(text, str) for text in wrong(field, value))
    assert json.dumps(value) == before
