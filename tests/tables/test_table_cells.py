"""How cells of decision tables are read, from YAML and from CSV, and what is said of those that cannot be."""

import pytest

from interlock.compiler.tables import Problem, parse_cell, parse_output
from interlock.plan.base import Field
from interlock.plan.rules import Cell


def read(written, kind, csv=False, **keys):
    return parse_cell(written, Field(type=kind, **keys), csv=csv)


@pytest.mark.parametrize(
    ("written", "kind", "cell"),
    [
        (5, "number", Cell(any_of=(5,))),
        ("5", "integer", Cell(any_of=(5,))),
        (2**70, "integer", Cell(any_of=(2**70,))),
        ([1, 2.5], "number", Cell(any_of=(1, 2.5))),
        ("< 5", "number", Cell(below=5)),
        ("<=5", "number", Cell(below=5, below_inclusive=True)),
        (">= 1000", "number", Cell(above=1000, above_inclusive=True)),
        ("> -1.5", "number", Cell(above=-1.5)),
        ("[1..5)", "integer", Cell(above=1, above_inclusive=True, below=5)),
        ("(1 .. 5]", "integer", Cell(above=1, below=5, below_inclusive=True)),
        ("not [1..5]", "integer", Cell(above=1, above_inclusive=True, below=5, below_inclusive=True, negate=True)),
        ("!= 3", "integer", Cell(any_of=(3,), negate=True)),
        ("!= A", "string", Cell(any_of=("A",), negate=True)),
        ("not A", "string", Cell(any_of=("A",), negate=True)),
        ('"not A"', "string", Cell(any_of=("not A",))),
        ("BROKEN, LATE", "string", Cell(any_of=("BROKEN, LATE",))),
        ("007", "string", Cell(any_of=("007",))),
        ("[2026-01-01..2026-04-01)", "date", Cell(above="2026-01-01", above_inclusive=True, below="2026-04-01")),
        (False, "boolean", Cell(any_of=(False,))),
        ("{{ cells.a.b }}", "number", Cell(template="{{ cells.a.b }}")),
        ("{{ input.list }}", "list", Cell(template="{{ input.list }}")),
        (None, "number", None),
        ("", "string", None),
    ],
)
def test_a_cell_in_yaml(written, kind, cell):
    assert read(written, kind) == cell


@pytest.mark.parametrize(
    ("written", "kind", "cell"),
    [
        ("BROKEN, LATE", "string", Cell(any_of=("BROKEN", "LATE"))),
        ('"a, b", "say ""hi"""', "string", Cell(any_of=("a, b", 'say "hi"'))),
        ("not USD, EUR", "string", Cell(any_of=("USD", "EUR"), negate=True)),
        ("5, 7", "integer", Cell(any_of=(5, 7))),
        ("< 200", "number", Cell(below=200)),
        ("true", "boolean", Cell(any_of=(True,))),
        (" ", "string", None),
        ("-", "number", None),
        ("*", "number", None),
    ],
)
def test_a_cell_in_csv(written, kind, cell):
    assert read(written, kind, csv=True) == cell


def test_a_text_of_the_enum_is_that_text_whatever_it_looks_like():
    assert read("not found", "string", enum=("not found", "found")) == Cell(any_of=("not found",))
    assert read("a，b", "string", csv=True, enum=("a，b",)) == Cell(any_of=("a，b",))


@pytest.mark.parametrize(
    ("written", "kind", "csv", "message", "hint"),
    [
        ("1,000", "number", False, "'1,000' is no number", "without separators"),
        ("1,000", "number", True, "'000' is no number", "makes a list"),
        ("[1,5]", "number", False, "'[1,5]' is no number", "two dots"),
        ("1-5", "number", False, "'1-5' is no number", "in brackets"),
        ("≥ 5", "number", False, "'≥ 5' is no number", "ordinary characters"),
        ("== 5", "number", False, "'== 5' is no number", "the value alone"),
        ("< x", "number", False, "'x' is no number", ""),
        (True, "number", False, "true is no number", ""),
        (1.5, "integer", False, "1.5 is no integer", ""),
        (5, "string", False, "5 is no string", "quotes"),
        ("< 5", "string", False, "a column of type string has no order to compare by", "list its values"),
        ("yes", "boolean", False, "'yes' is no boolean", "true or false"),
        ("2026-13-01", "date", False, "'2026-13-01' is no date", "2026-03-01"),
        ([], "number", False, "an empty list never hits", "leave the cell out"),
        (["{{ a }}"], "number", False, "a list of an input cell cannot hold a template", "a row of its own"),
        ("a", "list", False, "a column of type list cannot be compared", "template"),
        ("A，B", "string", True, "'A，B' has a full-width comma", "double quotes"),
        ("A,,B", "string", True, "'A,,B' has an empty item", "surplus comma"),
        ("A,", "string", True, "'A,' has an empty item", "surplus comma"),
        ('"A', "string", True, "'\"A' is no list", "double quotes"),
    ],
)
def test_a_cell_that_cannot_be_read_says_why_and_what_to_write(written, kind, csv, message, hint):
    problem = read(written, kind, csv)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.message) == ("table-cell", message)
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("written", "field", "csv", "output"),
    [
        ("2", {"type": "integer"}, True, (2,)),
        ("false", {"type": "boolean"}, True, (False,)),
        ("finance", {"type": "string"}, True, ("finance",)),
        ("a, b", {"type": "list", "items": {"type": "string"}}, True, (["a", "b"],)),
        (["{{ cells.a.b }}", "c"], {"type": "list", "items": {"type": "string"}}, False, (["{{ cells.a.b }}", "c"],)),
        ("{{ input.n }}", {"type": "integer"}, True, ("{{ input.n }}",)),
        ({"a": 1}, {"type": "object"}, False, ({"a": 1},)),
        ("", {"type": "string"}, True, None),
        ("", {"type": "string"}, False, ("",)),
        (None, {"type": "integer"}, False, None),
    ],
)
def test_an_output(written, field, csv, output):
    assert parse_output(written, Field.model_validate(field), csv=csv) == output


def test_an_output_outside_the_enum_or_of_another_type_is_refused():
    column = Field(type="string", enum=("ask", "pass"))
    assert parse_output("pas", column) == Problem(
        "table-cell", "'pas' is not among the values of the column", "allowed are ask, pass"
    )
    assert isinstance(parse_output("two", Field(type="integer"), csv=True), Problem)
    assert isinstance(parse_output("a", Field(type="list")), Problem)
    assert isinstance(parse_output("a", Field(type="object")), Problem)
