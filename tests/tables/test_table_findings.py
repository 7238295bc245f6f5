"""What the checker finds in the rows of a decision table, against an exhaustive search on small tables."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.compiler.tables import findings, parse_cell
from interlock.interpreter.tables import Table
from interlock.plan.base import Field
from interlock.plan.rules import Decision, Row, TableInput


def table(rows, hit="first", outputs=None, **inputs):
    columns = {
        name: TableInput.model_validate(field if isinstance(field, dict) else {"type": field})
        for name, field in inputs.items()
    }
    made = []
    for when, then in rows:
        cells = {name: parse_cell(written, columns[name]) for name, written in when.items()}
        made.append(Row(at="t.yaml:1:1", when={name: one for name, one in cells.items() if one}, then=then))
    given_outputs = {
        name: Field.model_validate(field) for name, field in (outputs or {"out": {"type": "string"}}).items()
    }
    return Decision(at="t.yaml:1:1", hit=hit, inputs=columns, outputs=given_outputs, rows=tuple(made))


def brief(decision):
    return [(finding.code, finding.row, finding.other) for finding in findings(decision)]


def messages(decision):
    return [finding.message for finding in findings(decision)]


A, B = {"out": "a"}, {"out": "b"}
COLOUR = {"type": "string", "enum": ["red", "green"]}


def test_a_sound_table_has_no_findings():
    rows = [({"n": "< 5", "c": "red"}, A), ({"n": ">= 5", "c": "red"}, B), ({"c": "green"}, A)]
    assert brief(table(rows, hit="unique", n="number", c=COLOUR)) == []


def test_rows_of_unique_that_hit_together_are_named_with_an_example():
    decision = table([({"n": "< 10"}, A), ({"n": ">= 5"}, B)], hit="unique", n="integer")
    assert brief(decision) == [("table-overlap", 1, 0)]
    assert messages(decision) == ["rows 1 and 2 both hit, for example when n = 5"]


def test_rows_of_any_may_hit_together_when_they_say_the_same():
    rows = [({"n": "< 10"}, A), ({"n": ">= 5"}, A), ({"n": "[7..8]"}, B)]
    decision = table(rows, hit="any", n="integer")
    assert messages(decision) == ["rows 1 and 3 both hit with different outputs, for example when n = 7"]
    unknown = table([({"n": "< 10"}, A), ({}, {"out": "{{ x }}"})], hit="any", n="integer")
    assert brief(unknown) == []


def test_whole_numbers_leave_nothing_between_two_neighbours():
    rows = [({"n": "<= 4"}, A), ({"n": ">= 5"}, B)]
    assert brief(table(rows, hit="unique", n="integer")) == []
    assert messages(table(rows, hit="unique", n="number")) == [
        "no row hits, for example when n = 4.5; the outputs are then none"
    ]


def test_min_max_and_enum_bound_what_has_to_be_covered():
    rows = [({"n": "[0..10]", "c": "red"}, A), ({"c": "green"}, B)]
    assert brief(table(rows, n={"type": "number", "min": 0, "max": 10}, c=COLOUR)) == []
    assert messages(table(rows, n={"type": "number", "min": 0}, c=COLOUR)) == [
        "no row hits, for example when n = 11, c = 'red'; the outputs are then none"
    ]


def test_a_gap_in_dates_and_booleans():
    rows = [({"d": "< 2026-01-01"}, A), ({"d": "> 2026-01-01", "urgent": True}, A)]
    assert messages(table(rows, d="date", urgent="boolean")) == [
        "no row hits, for example when d = 2026-01-01, urgent = true; the outputs are then none"
    ]


def test_texts_that_no_row_names_are_no_gap_and_a_last_row_without_cells_is_none():
    assert brief(table([({"t": "a"}, A), ({"t": "b"}, B)], t="string")) == []
    assert brief(table([({"n": "< 5"}, A), ({}, B)], n="number")) == []


def test_collecting_tables_may_have_gaps_and_overlaps():
    assert brief(table([({"n": "< 5"}, A), ({"n": "< 3"}, B)], hit="collect", n="number")) == []


def test_a_row_behind_one_that_takes_everything_is_unreachable():
    decision = table([({"n": "< 5"}, A), ({"n": "[1..3]"}, B), ({}, B)], n="number")
    assert brief(decision) == [("table-unreachable-row", 1, 0)]
    assert messages(decision) == ["row 2 can never hit: row 1 takes everything that it lets through"]


def test_a_row_that_several_before_it_use_up_is_unreachable():
    rows = [({"n": "< 5"}, A), ({"n": "[5..9]"}, B), ({"n": "[3..7]", "c": "red"}, A), ({}, A)]
    decision = table(rows, n="number", c=COLOUR)
    assert brief(decision) == [("table-unreachable-row", 2, None)]


def test_a_last_row_is_reachable_by_none_even_when_the_enum_is_used_up():
    assert brief(table([({"c": ["red", "green"]}, A), ({}, B)], c=COLOUR)) == []


def test_a_template_takes_nothing_for_certain():
    rows = [({"n": "{{ x }}"}, A), ({"n": "< 5"}, B), ({}, A)]
    assert brief(table(rows, n="number")) == []
    assert brief(table(rows, hit="unique", n="number")) == [("table-overlap", 2, 1)]


def test_rows_that_say_the_same_are_duplicates():
    rows = [({"n": "< 5"}, A), ({}, B), ({"n": "<5"}, A)]
    for hit in ("first", "collect", "priority"):
        decision = table(rows, hit=hit, outputs={"out": {"type": "string", "enum": ["a", "b"]}}, n="number")
        assert brief(decision) == [("table-duplicate-row", 2, 0)]


@pytest.mark.parametrize("empty", ["[5..1]", "[5..5)", "(5..5]", "(5..5)"])
def test_an_empty_range_is_found(empty):
    assert brief(table([({"n": empty}, A), ({}, B)], n="number")) == [("table-empty-range", 0, None)]
    assert brief(table([({"n": "[5..5]"}, A), ({}, B)], n="number")) == []


def test_a_cell_that_the_type_rules_out_never_hits():
    assert messages(table([({"n": "> 10"}, A), ({}, B)], n={"type": "integer", "max": 10})) == [
        "row 1 can never hit: no value of 'n' passes its cell"
    ]
    assert brief(table([({"n": "(4..5)"}, A), ({}, B)], n="integer")) == [("table-unreachable-row", 0, None)]
    assert messages(table([({"c": ["red", "blue"]}, A), ({}, B)], c=COLOUR)) == [
        "row 1: 'blue' is not among the values of 'c'"
    ]


def test_columns_and_outputs_that_say_nothing_are_found():
    outputs = {"out": {"type": "string"}, "group": {"type": "string"}}
    decision = table([({"n": "< 5"}, A), ({}, {})], outputs=outputs, n="number", m="number")
    assert brief(decision) == [
        ("table-column-unused", None, None),
        ("table-output-missing", None, None),
        ("table-output-missing", 1, None),
    ]


def test_outputs_must_suit_the_hit_policy():
    assert brief(table([({}, A)], hit="sum")) == [("table-output-type", None, None)]
    assert brief(table([({}, {"out": "2026-01-01"})], hit="max", outputs={"out": {"type": "date"}})) == []
    assert brief(table([({}, A)], hit="priority")) == [("table-no-priority", None, None)]


def test_a_table_without_rows_or_inputs_is_no_trouble():
    assert brief(table([], n="number")) == []
    assert brief(table([({}, A)])) == []


def test_a_table_too_large_to_be_exact_about_is_reported():
    rows = [({"n": f"[{n}..{n + 1})"}, A) for n in range(10_001)]
    assert brief(table(rows, n="number")) == [("table-not-checked", None, None)]


def test_a_table_whose_answer_would_take_too_long_is_reported():
    """Ten birds in nine holes: that two must share one is hard to prove case by case."""
    columns = {f"b{bird}h{hole}": "boolean" for bird in range(10) for hole in range(9)}
    nowhere = [{f"b{bird}h{hole}": False for hole in range(9)} for bird in range(10)]
    together = [
        {f"b{one}h{hole}": True, f"b{two}h{hole}": True} for hole in range(9) for one in range(10) for two in range(one)
    ]
    rows = [(when, {"out": str(number)}) for number, when in enumerate([*nowhere, *together])]
    assert brief(table(rows, **columns)) == [("table-not-checked", None, None)]


CELLS = {
    "n": st.sampled_from(
        [None, "< 1", "<= 1", "> 1", ">= 2", "[0..2)", "(0..2]", "[1..1]", "not (0..2)", [0, 2], 1, "!= 1"]
    ),
    "c": st.sampled_from([None, "red", "green", ["red", "green"], "not red"]),
    "t": st.sampled_from([None, "x", ["x", "y"], "!= x"]),
}
POINTS = {"n": [-1, 0, 0.5, 1, 1.5, 2, 3], "c": ["red", "green"], "t": ["x", "y", "z"]}
TYPES = {"n": "number", "c": COLOUR, "t": "string"}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.fixed_dictionaries(CELLS), st.sampled_from([A, B])), min_size=1, max_size=7), st.data())
def test_what_is_found_is_what_an_exhaustive_search_finds(rows, data):
    hit = data.draw(st.sampled_from(["unique", "first", "any"]))
    decision = table(rows, hit=hit, **TYPES)
    asked = Table(decision.model_copy(update={"hit": "collect"}))
    points = [dict(zip(POINTS, values, strict=True)) for values in product(*POINTS.values())]
    hits = [asked.hits(point) for point in points]
    with_none = [
        asked.hits(dict(zip(POINTS, v, strict=True))) for v in product(*([*values, None] for values in POINTS.values()))
    ]
    found = {
        code: {f.row for f in findings(decision) if f.code == code} for code in {f.code for f in findings(decision)}
    }
    duplicates = found.get("table-duplicate-row", set())

    mentioned = {value for row in decision.rows for value in (row.when["t"].any_of or () if "t" in row.when else ())}
    typed = [at for at, point in enumerate(points) if point["t"] in (mentioned or {"z"})]
    assert ("table-gap" in found) == any(not hits[at] for at in typed)
    if hit == "first":
        reachable = {rows_hit[0] for rows_hit in with_none if rows_hit}
        assert found.get("table-unreachable-row", set()) == set(range(len(rows))) - reachable - duplicates
    else:
        outputs = [row.then for row in decision.rows]
        differ = {
            later
            for rows_hit in with_none
            for at, later in enumerate(rows_hit)
            for earlier in rows_hit[:at]
            if hit == "unique" or outputs[earlier] != outputs[later]
        }
        assert found.get("table-overlap", set()) == differ - duplicates
