"""Decision tables at run time: which rows hit, by every hit policy, with odd values."""

from datetime import datetime
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.interpreter.tables import Table
from interlock.plan.base import Field
from interlock.plan.rules import Cell, Decision, Row, TableInput


def cell(*literals, **keys):
    return Cell(any_of=literals or None, **keys)


def between(low, high, brackets="[)"):
    return Cell(above=low, above_inclusive=brackets[0] == "[", below=high, below_inclusive=brackets[1] == "]")


def table(rows, hit="first", outputs=None, **inputs):
    columns = {
        name: TableInput.model_validate(field if isinstance(field, dict) else {"type": field})
        for name, field in inputs.items()
    }
    made = tuple(Row(at="t.yaml:1:1", when=when, then=then) for when, then in rows)
    given_outputs = {
        name: Field.model_validate(field) for name, field in (outputs or {"out": {"type": "string"}}).items()
    }
    return Decision(at="t.yaml:1:1", hit=hit, inputs=columns, outputs=given_outputs, rows=made)


def ask(decision, cells=None, **values):
    evaluate = None if cells is None else lambda row, column: cells[row, column]
    return Table(decision).decide(values, lambda row: dict(decision.rows[row].then), evaluate)


def test_the_first_row_that_holds_wins():
    approvers = table(
        [
            ({"amount": Cell(below=10_000)}, {"out": "leads"}),
            ({"amount": between(10_000, 100_000)}, {"out": "managers"}),
            ({"amount": Cell(above=100_000, above_inclusive=True), "country": cell("CN", "SG")}, {"out": "finance"}),
            ({}, {"out": "board"}),
        ],
        amount="number",
        country="string",
    )
    assert ask(approvers, amount=9_999.99, country="DE") == ((0,), {"out": "leads"}, "")
    assert ask(approvers, amount=10_000, country="DE").result == {"out": "managers"}
    assert ask(approvers, amount=100_000, country="SG").rows == (2,)
    assert ask(approvers, amount=100_000, country="DE").rows == (3,)


def test_an_output_that_a_row_leaves_out_is_none_and_so_is_every_output_of_no_hit():
    outputs = {"out": {"type": "string"}, "quorum": {"type": "integer"}}
    decision = table([({"x": cell("a")}, {"out": "yes"})], outputs=outputs, x="string")
    assert ask(decision, x="a").result == {"out": "yes", "quorum": None}
    assert ask(decision, x="b") == ((), {"out": None, "quorum": None}, "")


@pytest.mark.parametrize(
    ("value", "hits"),
    [
        (1, True),
        (1.0, True),
        (True, False),
        ("1", False),
        (None, False),
        ([1], False),
        ({"a": 1}, False),
        (float("nan"), False),
    ],
)
def test_a_number_equals_only_that_number(value, hits):
    assert Table(table([({"x": cell(1)}, {})], x="number")).hits({"x": value}) == ([0] if hits else [])


def test_big_integers_are_told_apart_where_floats_are_not():
    decision = table([({"x": cell(2**53)}, {}), ({"x": Cell(above=2**53)}, {})], x="integer")
    assert Table(decision).hits({"x": 2**53}) == [0]
    assert Table(decision).hits({"x": 2**53 + 1}) == [1]
    assert Table(decision).hits({"x": float(2**53)}) == [0]


def test_none_passes_any_and_an_explicit_none_only():
    decision = table(
        [({"x": cell(None)}, {}), ({"x": cell("a", negate=True)}, {}), ({"x": cell(None, negate=True)}, {}), ({}, {})],
        hit="collect",
        x="string",
    )
    assert Table(decision).hits({}) == [0, 3]
    assert Table(decision).hits({"x": None}) == [0, 3]
    assert Table(decision).hits({"x": "a"}) == [2, 3]
    assert Table(decision).hits({"x": "b"}) == [1, 2, 3]
    assert Table(decision).hits({"x": ["b"]}) == [1, 2, 3]


def test_ranges_of_a_number_let_no_other_kind_through():
    decision = table(
        [({"x": Cell(below=5)}, {}), ({"x": between(1, 2, "[]").model_copy(update={"negate": True})}, {})], x="number"
    )
    for value in ("4", True, None, [4], float("nan")):
        assert Table(decision).hits({"x": value}) == []
    assert Table(decision).hits({"x": 0}) == [0, 1]
    assert Table(decision).hits({"x": 1.5}) == [0]


def test_a_whole_number_is_told_from_limits_that_are_no_whole_number_or_endless():
    limits = (-inf, -(2**70), -1.5, 0.25, 0.75, 1.0, 1e300, inf)
    cells = [Cell(**{side: limit, f"{side}_inclusive": closed}) for limit in limits for side, closed in SIDES]
    decision = table([({"x": one}, {}) for one in cells], x="number")
    for value in (-(10**400), -(2**70) - 1, -(2**70), -2, -1, 0, 1, 2, int(1e300), int(1e300) + 1, 10**400):
        expected = [number for number, one in enumerate(cells) if passes(one, value)]
        assert Table(decision).hits({"x": value}) == expected
        assert Table(decision).decide({"x": value}, lambda row: {"out": row}).rows == (expected[0],)


def test_dates_and_times_are_compared_by_the_moment_they_name():
    days = table([({"d": between("2026-01-01", "2026-04-01")}, {}), ({"d": cell("2026-04-01")}, {})], d="date")
    assert Table(days).hits({"d": "2026-03-31"}) == [0]
    assert Table(days).hits({"d": "2026-04-01T08:00:00Z"}) == [1]
    assert Table(days).hits({"d": "soon"}) == []
    zoned = {"type": "datetime", "timezone": "Asia/Shanghai"}
    times = table([({"t": cell("2026-01-01T08:00:00")}, {}), ({"t": Cell(above="2026-01-01T08:00:00")}, {})], t=zoned)
    assert Table(times).hits({"t": "2026-01-01T00:00:00Z"}) == [0]
    assert Table(times).hits({"t": datetime.fromisoformat("2026-01-01T00:00:01+00:00")}) == [1]


def test_cells_with_templates_are_evaluated_only_for_rows_that_would_hit():
    decision = table(
        [
            ({"x": cell("no"), "who": Cell(template="{{ a }}")}, {"out": "a"}),
            ({"who": Cell(template="{{ b }}")}, {"out": "b"}),
            ({"who": Cell(template="{{ c }}", negate=True)}, {"out": "c"}),
        ],
        x="string",
        who="string",
    )
    assert ask(decision, {(1, "who"): "lin"}, x="yes", who="lin").rows == (1,)
    assert ask(decision, {(1, "who"): "ann", (2, "who"): "bo"}, x="yes", who="lin").rows == (2,)
    assert ask(decision, {(1, "who"): None, (2, "who"): "bo"}, x="yes", who=None).rows == (1,)
    assert ask(decision, {(1, "who"): "ann", (2, "who"): "bo"}, x="yes", who=None).rows == ()


def test_unique_reports_rows_that_hit_together():
    decision = table(
        [({"x": Cell(below=5)}, {"out": "a"}), ({"x": Cell(below=9)}, {"out": "b"})], hit="unique", x="number"
    )
    assert ask(decision, x=7).result == {"out": "b"}
    assert ask(decision, x=1) == ((0, 1), {"out": None}, "rows 1, 2 hit, and the hit policy is 'unique'")


def test_any_wants_equal_outputs():
    rows = [({}, {"out": "a"}), ({}, {"out": "a"}), ({"x": cell("odd")}, {"out": "b"})]
    decision = table(rows, hit="any", x="string")
    assert ask(decision, x="even") == ((0, 1), {"out": "a"}, "")
    assert ask(decision, x="odd").error == "rows 1, 2, 3 hit with different outputs; the hit policy is 'any'"
    assert ask(decision, x="odd").result == {"out": None}


def test_priority_goes_by_the_enum_of_the_output_and_then_by_row():
    outputs = {"out": {"type": "string", "enum": ["refuse", "ask", "pass"]}, "why": {"type": "string"}}
    rows = [
        ({}, {"out": "pass"}),
        ({"x": cell(1, 2)}, {"out": "ask", "why": "first"}),
        ({"x": cell(1, 2)}, {"out": "ask"}),
        ({"x": cell(2)}, {"out": "refuse"}),
    ]
    decision = table(rows, hit="priority", outputs=outputs, x="integer")
    assert ask(decision, x=2) == ((3,), {"out": "refuse", "why": None}, "")
    assert ask(decision, x=1) == ((1,), {"out": "ask", "why": "first"}, "")
    assert ask(decision, x=0).rows == (0,)


@pytest.mark.parametrize(
    ("hit", "values", "result"),
    [
        ("collect", [1, 2, None], [1, 2, None]),
        ("sum", [1, 2**70], 1 + 2**70),
        ("sum", [0.1, 0.2], 0.3),
        ("sum", [None, 2], 2),
        ("sum", [], None),
        ("min", [3, 1.5, 2], 1.5),
        ("max", [3, None, 2], 3),
        ("max", [], None),
        ("count", [1, None, 1], 2),
        ("count", [], 0),
        ("collect", [], []),
    ],
)
def test_what_the_collecting_policies_make_of_outputs(hit, values, result):
    rows = [({}, {"out": value}) for value in values] or [({"x": cell("never")}, {"out": 1})]
    assert ask(table(rows, hit=hit, outputs={"out": {"type": "number"}}, x="string")).result == {"out": result}


def test_what_has_no_sum_is_an_error_and_not_a_number():
    rows = [({}, {"out": 1}), ({}, {"out": "two"})]
    decided = ask(table(rows, hit="sum", outputs={"out": {"type": "number"}}, x="string"))
    assert decided.result == {"out": None}
    assert decided.error == "rows 1, 2 give 'out' values that have no sum"


def test_the_earliest_and_latest_of_dates():
    rows = [({}, {"out": day}) for day in ("2026-03-01", "2025-12-31", "2026-02-01")]
    for hit, day in (("min", "2025-12-31"), ("max", "2026-03-01")):
        assert ask(table(rows, hit=hit, outputs={"out": {"type": "date"}}, x="string")).result == {"out": day}


SIDES = [("above", False), ("above", True), ("below", False), ("below", True)]
NUMBERS = st.sampled_from([0, 1, 1.5, 2, 3])
TEXTS = st.sampled_from(["a", "b", "c"])


@st.composite
def number_cells(draw):
    kind = draw(st.sampled_from(["any", "list", "range", "open"]))
    negate = draw(st.booleans())
    if kind == "any":
        return Cell()
    if kind == "list":
        return Cell(any_of=tuple(draw(st.lists(NUMBERS, min_size=1, max_size=3))), negate=negate)
    low, high = draw(NUMBERS), draw(NUMBERS)
    inclusive = {"above_inclusive": draw(st.booleans()), "below_inclusive": draw(st.booleans())}
    if kind == "range":
        return Cell(above=low, below=high, negate=negate, **inclusive)
    return Cell(above=low, above_inclusive=inclusive["above_inclusive"], negate=negate)


text_cells = st.builds(
    lambda texts, negate: Cell(any_of=tuple(texts), negate=negate),
    st.lists(TEXTS, min_size=1, max_size=2),
    st.booleans(),
)
rows_of_cells = st.fixed_dictionaries({}, optional={"n": number_cells(), "t": text_cells})


def passes(one, value):
    """The meaning of a cell, spelled out."""
    if one is None or (one.any_of is None and one.above is None and one.below is None):
        return True
    if value is None or (one.any_of is None and isinstance(value, str)):
        return False
    if one.any_of is not None:
        holds = value in one.any_of
    else:
        over = one.above is None or value > one.above or (one.above_inclusive and value == one.above)
        under = one.below is None or value < one.below or (one.below_inclusive and value == one.below)
        holds = over and under
    return holds != one.negate


@settings(max_examples=150, deadline=None)
@given(
    st.lists(rows_of_cells, max_size=12),
    st.sampled_from([-1, 0, 0.5, 1, 1.2, 1.5, 1.7, 2, 2.5, 3, 4, None, "x"]),
    st.sampled_from(["a", "b", "c", "d", None]),
    st.sampled_from([1, 3, 64]),
    st.sampled_from([0, 4, 64]),
)
def test_the_rows_that_hit_are_those_whose_cells_all_pass(rows, n, t, block, small):
    decision = table([(when, {}) for when in rows], hit="first", n="number", t="string")
    expected = [number for number, when in enumerate(rows) if passes(when.get("n"), n) and passes(when.get("t"), t)]
    asked = Table(decision, block=block, small=small)
    assert asked.hits({"n": n, "t": t}) == expected
    assert asked.decide({"n": n, "t": t}, lambda row: {"out": row}).rows == tuple(expected[:1])
    without_none = {name: value for name, value in (("n", n), ("t", t)) if value is not None}
    assert asked.decide(without_none, lambda row: {"out": row}).rows == tuple(expected[:1])


def test_a_large_table_is_parted_by_the_column_that_tells_most_and_answers_as_before():
    def at(number):
        limits = between(number % 5 * 10, number % 5 * 10 + 10)
        return {"n": limits, "t": cell(f"t{number // 5}")} if number % 7 else {"n": limits}

    rows = [at(number) for number in range(300)]
    decision = table([(when, {}) for when in rows], n="integer", t="string")
    parted, plain = Table(decision), Table(decision, small=1_000)
    for n in (-1, 0, 9, 10, 49, 50, 7.5, None, "7"):
        for t in ("t0", "t7", "t59", "t60", "", None, 7):
            values = {"n": n, "t": t}
            expected = [row for row, when in enumerate(rows) if passes(when["n"], n) and passes(when.get("t"), t)]
            assert parted.hits(values) == plain.hits(values) == expected
    skewed = [({"t": cell("many" if n < 600 else f"t{n}")}, {}) for n in range(900)]
    asked = Table(table(skewed, t="string"))
    assert asked.hits({"t": "many"}) == list(range(600))
    assert asked.hits({"t": "t700"}) == [700]
    mixed = [({"n": cell(n, negate=True)} if n % 2 else {"n": Cell(above=n)}, {}) for n in range(8)]
    asked = Table(table(mixed, n="number"), small=0)
    assert asked.hits({"n": "none of the numbers"}) == [1, 3, 5, 7]
