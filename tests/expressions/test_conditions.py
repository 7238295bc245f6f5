"""Conditions: met, not met, or not decidable because something is missing; exact numbers; one verdict for all forms."""

from datetime import UTC, datetime

import pytest

from interlock.expressions import (
    Expression,
    ExpressionError,
    Missing,
    NotMet,
    compile_all,
    compile_first,
    explain,
)

NOW = datetime(2026, 5, 10, 12, 0, tzinfo=UTC)
CONTEXT = {
    "slots": {"no": "A1", "none": None, "n": 3, "items": "x"},
    "flag": {"on": True, "off": False, "one": 1, "zero": 0, "float": 1.0},
    "rows": [{"v": 1, "k": "a"}, {"v": 2, "k": "b"}],
    "big": {"id": 2**64 + 1, "near": float(2**53), "exact": 2**53 + 1},
    "at": {
        "utc": "2026-05-10T10:00:00Z",
        "cn": "2026-05-10T18:30:00+08:00",
        "day": "2026-05-09",
        "ahead": "2026-05-12T00:00:00Z",
        "naive": "2026-05-10T10:00:00",
    },
    "money": {"a": 0.1, "b": 0.2, "text": "12.50"},
    "numbered": {"0": "zero", "1": "one"},
    "now": NOW,
}


def verdict(text, context=CONTEXT):
    compiled = compile_all({"it": Expression(text)})["it"](context)
    assert explain(text, context).result == compiled
    assert type(explain(text, context).result) is type(compiled)
    return compiled


@pytest.mark.parametrize(
    "text",
    [
        "slots.no and slots.n == 3",
        "slots.no == 'A1'",
        "slots.no != 'B'",
        "slots.none is none",
        "slots.none == slots.none",
        "not slots.none",
        "slots['no'] == 'A1'",
        "slots.items == 'x'",
        "rows.0.v == 1",
        "rows[1].k == 'b'",
        "numbered.0 == 'zero'",
        "slots.no in ['A1', 'A2']",
        "slots.no not in ['B', 'C']",
        "'A' in slots.no",
        "2 in [1, 2]",
        "3 not in [1, 2]",
        "slots.no not in [slots.n]",
        "flag.one == flag.float",
        "flag.on == true",
        "slots.n in [3.0]",
        "slots.missing is not defined",
        "slots.none is defined",
        "nowhere.at.all is not defined",
        "rows.7.v is not defined",
        "(slots.missing | default('x')) == 'x'",
        "(slots.none | default('x')) == 'x'",
        "(slots.no | default('x')) == 'A1'",
        "(slots.missing | default(slots.no)) == 'A1'",
        "at.utc is within('3h')",
        "at.day is within('2d')",
        "at.ahead is within('2d') and at.ahead is not older_than('1s')",
        "at.ahead is not within('1d')",
        "at.day is older_than('12h')",
        "at.cn > at.utc",
        "now > at.utc",
        "at.day < '2026-05-10'",
        "slots.n > 2 and slots.n >= 3 and slots.n < 4 and slots.n <= 3 and 2 < slots.n",
        "slots.n > 2.5",
        "'b' > 'a'",
        "1 if slots.none else slots.n",
    ],
)
def test_is_met(text):
    assert verdict(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "slots.no == 'B'",
        "slots.none",
        "flag.on == 1",
        "flag.one == true",
        "1 == flag.on",
        "flag.off == 0",
        "2 not in [1, 2]",
        "true in [1, 2]",
        "[1] == [true]",
        "slots.n == '3'",
        "slots.no in ['B']",
        "slots.none in ['B']",
        "at.utc is older_than('3h')",
        "at.utc is not within('3h')",
        "slots.none is not defined",
        "flag.zero",
        "big.near == big.exact",
    ],
)
def test_is_not_met(text):
    assert verdict(text) is False


@pytest.mark.parametrize(
    ("text", "reason", "path"),
    [
        ("slots.missing", "missing", "slots.missing"),
        ("not slots.missing", "missing", "slots.missing"),
        ("slots.missing != 'x'", "missing", "slots.missing"),
        ("slots.no and slots.missing", "missing", "slots.missing"),
        ("slots.missing or slots.no", "missing", "slots.missing"),
        ("not (slots.no and not slots.missing.deeper)", "missing", "slots.missing"),
        ("nowhere == 1", "missing", "nowhere"),
        ("rows.7.v == 1", "missing", "rows.7"),
        ("rows.v == 1", "missing", "rows.v"),
        ("slots.no.upper == 'x'", "missing", "slots.no.upper"),
        ("slots.none.x == 'x'", "missing", "slots.none.x"),
        ("slots.none > 3", "missing", "slots.none"),
        ("3 >= slots.none", "missing", "slots.none"),
        ("slots.n < slots.none", "missing", "slots.none"),
        ("slots.no > 3", "type", "slots.no"),
        ("flag.on > 0", "type", "flag.on"),
        ("rows > 3", "type", "rows"),
        ("slots.no + 1 == 2", "type", "slots.no"),
        ("slots.none + 1 == 2", "missing", "slots.none"),
        ("slots.no in slots.n", "type", "slots.no"),
        ("'a' in slots.none", "missing", "slots.none"),
        ("slots.n / flag.zero > 1", "zero-division", "slots.n"),
        ("slots.no is within('1h')", "unreadable", "slots.no"),
        ("at.naive is within('1h')", "unreadable", "at.naive"),
        ("at.naive < at.utc", "unreadable", "at.naive"),
        ("slots.none is within('1h')", "missing", "slots.none"),
        ("(slots.no | number) > 1", "unreadable", "slots.no"),
        ("(slots.no | number | default(1)) > 1", "unreadable", "slots.no"),
    ],
)
def test_cannot_be_decided_and_says_why(text, reason, path):
    assert verdict(text) == NotMet(reason, path)
    assert not verdict(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("slots.no or slots.missing", True),
        ("slots.none and slots.missing", False),
        ("slots.no if slots.no else slots.missing", True),
    ],
)
def test_what_a_short_circuit_leaves_out_is_not_missed(text, expected):
    assert verdict(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "big.id == 18446744073709551617",
        "big.id + 1 == 18446744073709551618",
        "big.id * 1000 == 18446744073709551617000",
        "big.id // 1 == big.id and big.id % 10 == 7",
        "big.id * 3 / 3 == big.id",
        "big.id + 1.0 - 1 == big.id",
        "[big.id, 1] | sum == 18446744073709551618",
        "[1.5, big.id] | max == big.id",
        "-big.id == -18446744073709551617",
        "(-big.id) | abs == big.id",
        "big.id | round == big.id",
        "('18446744073709551617' | number) == big.id",
        "money.a + money.b == 0.3",
        "money.a * 3 == 0.3",
        "[money.a, money.b, 0.3] | sum == 0.6",
        "1.1 * 1.1 == 1.21",
        "7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 7.5 % 2 == 1.5",
        "7 / 2 == 3.5 and 6 / 3 == 2",
        "2.675 | round(2) == 2.68",
        "(money.text | number) == 12.5",
    ],
)
def test_numbers_keep_their_digits(text):
    assert verdict(text) is True


def test_a_lazy_root_is_asked_only_for_what_is_read():
    asked = []

    class Lazy(dict):
        def __missing__(self, key):
            asked.append(key)
            if key == "undecided":
                raise Missing("cells.x.y", "missing")
            if key == "mixed":
                raise Missing("cells.x.z", "type")
            self[key] = key == "yes"
            return self[key]

    context = {"conditions": Lazy()}
    condition = compile_all({"it": Expression("conditions.yes or conditions.never")})["it"]
    assert condition(context) is True
    assert asked == ["yes"]
    assert verdict("not conditions.undecided", context) == NotMet("missing", "cells.x.y")
    assert verdict("conditions.undecided is not defined", context) is True
    assert verdict("conditions.undecided | default(true)", context) is True
    assert verdict("conditions.mixed is not defined", context) == NotMet("type", "cells.x.z")
    assert verdict("conditions.mixed | default(true)", context) == NotMet("type", "cells.x.z")


def test_the_first_condition_that_is_met_or_undecided_is_given():
    conditions = ["slots.n == 9", "rows | map('v') | sum == 3", "slots.n == 3", "slots.missing == 1", ""]
    first = compile_first(conditions)
    assert first(CONTEXT) == 1
    assert first({**CONTEXT, "rows": []}) == 2
    assert first({"rows": [], "slots": {"n": 4}}) == 3
    assert first({"rows": [], "slots": {"n": 4, "missing": 2}}) == 4
    assert first({}) == 0
    assert compile_first(conditions[:1])(CONTEXT) == -1
    assert compile_first([])(CONTEXT) == -1


def test_a_chain_reads_a_root_only_when_it_comes_to_a_condition_that_names_it():
    asked = []

    class Lazy(dict):
        def __missing__(self, root):
            asked.append(root)
            return {"n": 1}

    first = compile_first(["message.n == 1", "slots.n == 1"])
    assert first(Lazy()) == 0
    assert asked == ["message"]
    assert first(Lazy(message={"n": 2})) == 1
    assert asked == ["message", "slots"]


def test_many_comparisons_of_one_path_are_looked_up_in_their_order():
    conditions = [
        *(f"slots.no == 'X{n}'" for n in range(50)),
        "slots.no == 'A1' and slots.n == 9",
        "'A1' == slots.no",
        "slots.n",
    ]
    first = compile_first(conditions)
    assert first(CONTEXT) == 51
    assert first({"slots": {"no": "A1", "n": 9}}) == 50
    assert first({"slots": {"no": "A1"}}) == 50
    assert first({"slots": {"no": "B", "n": 1}}) == 52
    assert first({"slots": {"no": ["X1"], "n": 0}}) == -1
    assert first({"slots": {"n": 1}}) == 0
    assert first({}) == 0


def test_paths_that_are_written_alike_but_differ_are_not_mixed_up():
    chain = ["a['0'] == 'x'", "a['0'] == 'y'", "a.0 == 'z'", "a.0 == 'x'", "a.0 == 'w'"]
    assert compile_first(chain)({"a": ["x"]}) == 0
    assert compile_first(chain[2:])({"a": ["x"]}) == 1
    assert compile_first(chain)({"a": {"0": "y"}}) == 1


def test_a_bug_in_a_lazy_root_is_not_swallowed_but_left_to_whoever_asks_again():
    class Broken(dict):
        def __missing__(self, key):
            raise RuntimeError(key)

    chain = [f"decisions.x == 'v{n}'" for n in range(9)]
    assert compile_first(chain)({"decisions": Broken()}) == compile_first(chain[:1])({"decisions": Broken()}) == 0
    for ask in (compile_all({0: Expression(chain[0])})[0], lambda context: explain(chain[0], context)):
        with pytest.raises(RuntimeError):
            ask({"decisions": Broken()})


def test_texts_that_are_equal_share_one_function_and_keep_their_keys():
    compiled = compile_all(
        {"a": Expression("slots.n == 3"), "b": Expression("slots.n == 3"), "c": Expression("slots.n == 4")}
    )
    assert compiled["a"] is compiled["b"]
    assert [compiled[key](CONTEXT) for key in "abc"] == [True, True, False]


def test_all_functions_of_a_spec_share_one_code_object():
    compiled = compile_all({n: Expression(f"slots.n == {n}") for n in range(50)})
    assert len({id(function.__globals__) for function in compiled.values()}) == 1


@pytest.mark.parametrize(
    "text", ["a ==", "a | wobble", "a is wobbly", "a | round('x')", "(a | upper) is defined", "a is within(b)"]
)
def test_an_unchecked_mistake_does_not_compile(text):
    with pytest.raises(ExpressionError):
        compile_all({"it": Expression(text)})
    with pytest.raises(ExpressionError):
        explain(text, {})


def test_an_explanation_shows_every_part_that_was_evaluated():
    explained = explain("slots.none is none and slots.n > 5 and slots.missing", CONTEXT)
    assert explained.result is False
    assert [(part.text, part.value) for part in explained.parts] == [
        ("slots", CONTEXT["slots"]),
        ("slots.none", None),
        ("slots.none is none", True),
        ("slots", CONTEXT["slots"]),
        ("slots.n", 3),
        ("slots.n > 5", False),
        ("slots.none is none and slots.n > 5 and slots.missing", False),
    ]


def test_an_explanation_shows_what_was_missing():
    explained = explain("not slots.missing", CONTEXT)
    assert explained.parts[-1].value == explained.result == NotMet("missing", "slots.missing")
