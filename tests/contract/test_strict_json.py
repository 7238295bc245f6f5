import enum
import json
import math
from collections import OrderedDict
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.contract.strict_json import NotStrictJsonError, check, dumps, loads

TEXT = st.text(st.characters(exclude_categories=("Cs",)))
EXACT = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(EXACT, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)


def refused(content, **more):
    with pytest.raises(NotStrictJsonError) as problem:
        loads(content, **more)
    return problem.value


@given(JSON)
def test_json_that_is_written_is_read_back_the_same(value):
    assert loads(dumps(value)) == value
    assert loads(json.dumps(value, indent=2).encode("utf-8")) == value
    check(value)


@given(st.binary(max_size=60) | TEXT.map(str.encode))
def test_bytes_are_read_as_json_reads_them_or_refused(content):
    try:
        value = loads(content)
    except NotStrictJsonError:
        return
    assert value == json.loads(content.decode("utf-8-sig"))


@given(
    st.decimals(allow_nan=False, allow_infinity=False).map(str)
    | st.from_regex(r"-?[1-9]\.[0-9]{1,25}(e-?[0-9]{1,3})?", fullmatch=True)
)
def test_a_number_is_exact_or_refused(text):
    try:
        value = loads(text.encode())
    except NotStrictJsonError as problem:
        assert problem.code in {"number-not-exact", "not-json"}  # noqa: PT017 - one of two endings
        return
    assert math.isfinite(value)
    assert Fraction(repr(value)) == Fraction(text)


@pytest.mark.parametrize("text", ["18446744073709551616", "340282366920938463463374607431768211455", "-0", "9" * 4_299])
def test_integers_of_any_size_are_exact(text):
    assert loads(text.encode()) == int(text)


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b'{"a": 1, "a": 1}', "duplicate-key", "key 'a' stands twice in one object"),
        (b'{"rows": [0, {"a": 1, "b": 2, "a": 3}]}', "duplicate-key", "rows.1: key 'a' stands twice in one object"),
        (b'{"\\u0061": 1, "a": 2}', "duplicate-key", "key 'a' stands twice in one object"),
        (b'{"rate": NaN}', "not-a-number", "rate: NaN is not JSON"),
        (b"[1, -Infinity]", "not-a-number", "1: -Infinity is not JSON"),
        (b'{"a": {"rate": 0.10000000000000000001}}', "number-not-exact", "a.rate: number 0.10000000000000000001 cannot be"),
        (b"1e400", "number-not-exact", "number 1e400 cannot be kept exactly"),
        (b"1e-400", "number-not-exact", "number 1e-400 cannot be kept exactly"),
        (b"[9007199254740993.0]", "number-not-exact", "0: number 9007199254740993.0 cannot be kept exactly"),
        (b"1e-99999999999999999999", "number-not-exact", "number 1e-99999999999999999999 cannot be kept exactly"),
        (b'{"id": ' + b"1" * 5_000 + b"}", "number-too-long", "id: an integer of 5,000 digits cannot be kept exactly"),
        (b'["\\ud83d"]', "lone-surrogate", "0: character 1 is half of a pair"),
        (b'{"ab\\udc00": 1}', "lone-surrogate", "character 3 is half of a pair"),
        (b'"\xff"', "not-utf-8", "byte 1 is not UTF-8"),
        (b'"\xed\xa0\x80"', "not-utf-8", "byte 1 is not UTF-8"),
        (b'{"a": 1,}', "not-json", "not JSON at line 1 column 9"),
        (b'{\n"a": }', "not-json", "not JSON at line 2 column 6"),
        (b"", "not-json", "not JSON at line 1 column 1"),
        (b"1 2", "not-json", "not JSON at line 1 column 3: extra data"),
        (b'"\x01"', "not-json", "not JSON at line 1 column 2"),
        (b"[" * 65 + b"]" * 65, "too-deep", "more than 64 lists and objects inside one another"),
        (b"[" * 200_000, "too-deep", "more than 64 lists and objects inside one another"),
        (b'{"a":' * 100_000, "too-large", "500,000 bytes, more than 262,144"),
    ],
)  # fmt: skip
def test_what_is_refused_is_named_with_its_place(content, code, says):
    problem = refused(content)
    assert problem.code == code
    assert says in str(problem)
    assert len(str(problem)) < 500


def test_64_levels_are_read():
    assert json.dumps(loads(b"[" * 64 + b"]" * 64)) == "[" * 64 + "]" * 64


def test_the_cap_counts_bytes():
    assert loads('"单"'.encode(), 5) == "单"
    assert refused('"单"'.encode(), limit=4).code == "too-large"


def test_a_byte_order_mark_is_no_content():
    assert loads(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_a_pair_of_surrogates_is_one_character():
    assert loads(b'"\\ud83d\\ude00"') == "😀"


def test_long_and_ugly_keys_are_shown_short_and_clean():
    key = json.dumps("\x1b[31m" + "x" * 10_000).encode()
    message = str(refused(b"{" + key + b": 1, " + key + b": 2}"))
    assert len(message) < 200
    assert message.isprintable()


def test_many_distinct_keys_and_one_twin_are_found_at_once():
    keys = ",".join(f'"{number}":0' for number in range(20_000))
    assert "key '19999' stands twice" in str(refused(f'{{{keys},"19999":1}}'.encode()))


@pytest.mark.parametrize(
    ("value", "code", "says"),
    [
        ({"a": [float("nan")]}, "not-a-number", "a.0: nan is not JSON"),
        ({"a": (1,)}, "not-json-value", "a: a value of type 'tuple' is not JSON"),
        ([{1: 2}], "not-json-value", "0: key of type 'int' is not a string"),
        (["\ud800"], "lone-surrogate", "0: character 1 is half of a pair"),
        ([10**4_300], "number-too-long", "0: an integer of 4,300 digits or more"),
        (["x" * 300_000], "too-large", "300,004 bytes as JSON, more than 262,144"),
    ],
)
def test_a_value_that_is_no_json_within_the_caps_is_named(value, code, says):
    with pytest.raises(NotStrictJsonError) as problem:
        check(value)
    assert problem.value.code == code
    assert says == str(problem.value)


def test_a_value_of_a_kind_of_its_own_is_checked_as_the_json_it_is_written_as():
    kinds = enum.Enum("kinds", {"A": "a"}, type=str)
    check({"rows": OrderedDict({kinds.A: [kinds.A, True]})})
    with pytest.raises(NotStrictJsonError, match=r"rows\.b: inf is not JSON"):
        check({"rows": OrderedDict(b=type("Rate", (float,), {})("inf"))})


def test_a_long_text_is_measured_as_it_is_written():
    check("\x01" * 50, 302)
    with pytest.raises(NotStrictJsonError, match="302 bytes as JSON, more than 301"):
        check("\x01" * 50, 301)


def test_a_value_that_holds_itself_is_too_deep():
    value = []
    value.append(value)
    with pytest.raises(NotStrictJsonError, match="more than 64"):
        check(value)
