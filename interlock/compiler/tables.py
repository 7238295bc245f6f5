"""What is wrong with the rows of a decision table: overlaps, gaps, rows that can never hit or say the same twice.

All of it is exact, but for cells with templates: what they let through is unknown, so that nothing is said of it. A
table that is too large for an exact answer is reported as not checked.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from interlock.compiler.table_axes import Axis, Run, bits
from interlock.compiler.table_cells import Problem, few, is_template, parse_cell, parse_output
from interlock.plan.columns import Key, key_of, order_of
from interlock.plan.rules import Cell, Decision, TableInput

__all__ = ["WARNINGS", "Finding", "Problem", "findings", "parse_cell", "parse_output"]

WARNINGS = frozenset({"table-gap", "table-not-checked", "table-column-unused"})
"""The codes that do not keep a bundle from being compiled."""
MOST_ROWS = 10_000
MOST_STEPS = 250_000

_TEXT = json.JSONEncoder(sort_keys=True).encode
_ONE_ROW = frozenset({"unique", "first", "any", "priority"})


class Finding(NamedTuple):
    """A finding; `row` and `other` count from 0, and `row` is none for what concerns the whole table."""

    code: str
    row: int | None
    other: int | None
    message: str
    hint: str


def findings(decision: Decision) -> list[Finding]:
    """All findings about a table, by row; one of a kind for each row."""
    cells = list(_of_cells(decision))
    found = [*_of_columns(decision), *_of_outputs(decision), *cells]
    if not cells and decision.rows:
        found += _of_rows(decision)
    return sorted(found, key=lambda finding: -1 if finding.row is None else finding.row)


def _of_columns(decision: Decision) -> Iterator[Finding]:
    if not decision.rows:
        return
    for name in decision.inputs:
        if not any(name in row.when for row in decision.rows):
            hint = "take the column out, or give a row a cell in it"
            yield Finding("table-column-unused", None, None, f"no row has a cell in the input column {name!r}", hint)
    for name, field in decision.outputs.items():
        if not any(name in row.then for row in decision.rows):
            yield Finding(
                "table-output-missing", None, None, f"no row gives the output {name!r}", "take the column out"
            )
        orders = {"sum": {"integer", "number"}, "min": _ORDERED, "max": _ORDERED}.get(decision.hit)
        if orders and field.type not in orders:
            message = f"the output {name!r} is of type {field.type}, which has no {decision.hit}"
            yield Finding(
                "table-output-type", None, None, message, f"use one of {', '.join(sorted(orders))}, or collect"
            )
    if decision.hit == "priority" and not any(field.enum for field in decision.outputs.values()):
        hint = "give an output column an enum, the most important value first"
        yield Finding("table-no-priority", None, None, "no output says which of its values comes first", hint)


_ORDERED = {"integer", "number", "date", "datetime"}


def _of_outputs(decision: Decision) -> Iterator[Finding]:
    for number, row in enumerate(decision.rows):
        if not row.then:
            hint = "give the row a value in an output column"
            yield Finding("table-output-missing", number, None, f"row {number + 1} has no outputs", hint)
        for name in row.then.keys() - decision.outputs.keys():
            yield Finding("unknown-column", number, None, f"the table has no output column {name!r}", "")


_NO_COLUMN: tuple[None, set[Key]] = (None, set())


def _of_cells(decision: Decision) -> Iterator[Finding]:
    columns: dict[str, tuple[TableInput | None, set[Key]]] = {
        name: (field, {key_of(value, field) for value in field.enum}) for name, field in decision.inputs.items()
    }
    for number, row in enumerate(decision.rows):
        for name, cell in row.when.items():
            if problem := _cell_problem(name, cell, *columns.get(name, _NO_COLUMN)):
                yield Finding(problem.code, number, None, f"row {number + 1}: {problem.message}", problem.hint)


def _cell_problem(name: str, cell: Cell, field: TableInput | None, allowed: set[Key]) -> Problem | None:
    if field is None:
        return Problem("unknown-column", f"the table has no input column {name!r}", "")
    if cell.above is not None and cell.below is not None and _is_empty(cell, field):
        hint = "the smaller limit comes first; [ and ] take a limit in, ( and ) leave it out"
        return Problem("table-empty-range", f"the range of {name!r} is empty", hint)
    for value in (cell.any_of or ()) if allowed else ():
        if value is not None and key_of(value, field) not in allowed:
            hint = f"the values of {name!r} are {few(field.enum)}"
            return Problem("table-outside-enum", f"{value!r} is not among the values of {name!r}", hint)
    return None


def _is_empty(cell: Cell, field: TableInput) -> bool:
    low, high = order_of(cell.above, field), order_of(cell.below, field)
    if low is None or high is None:
        return False
    return bool(low > high or (low == high and not (cell.above_inclusive and cell.below_inclusive)))


class _Rows:
    """The rows of a table over its columns in pieces."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        self.axes = [
            Axis(name, field, [row.when.get(name) for row in decision.rows]) for name, field in decision.inputs.items()
        ]
        self.steps = 0
        self.known = sum(
            1 << number
            for number, row in enumerate(decision.rows)
            if not any(cell.template for cell in row.when.values())
        )

    def region(self, row: int) -> list[list[Run]]:
        return [axis.runs[row] for axis in self.axes]

    def touching(self, region: list[list[Run]]) -> int:
        rows = (1 << len(self.decision.rows)) - 1
        for axis, runs in zip(self.axes, region, strict=True):
            rows &= axis.touching(runs)
        return rows

    def shown(self, pieces: Sequence[int]) -> str:
        """An example of inputs; columns in which it does not matter are left out."""
        named = [
            axis.shown(piece)
            for axis, piece in zip(self.axes, pieces, strict=True)
            if any(row.when.get(axis.name) for row in self.decision.rows)
        ]
        return ", ".join(named) or "any input"

    def hole(self, region: list[list[Run]], rows: int) -> list[int] | None:
        """A point of `region` that none of `rows` lets through, as a piece per column; none if there is none."""
        rest = [-1] * (len(self.axes) + 1)
        for n in reversed(range(len(self.axes))):
            rest[n] = rest[n + 1] & self.axes[n].holding(region[n])
        return self._look(0, rows, region, rest, set())

    def _look(
        self, n: int, rows: int, region: list[list[Run]], rest: list[int], covered: set[tuple[int, int]]
    ) -> list[int] | None:
        """The same from column `n` on; `rest` let through all of the columns from there, `covered` has no hole."""
        if not rows:
            firsts = [self.axes[m].first_of(region[m]) for m in range(n, len(self.axes))]
            return None if None in firsts else [first for first in firsts if first is not None]
        if rows & rest[n] or (n, rows) in covered:
            return None
        self.steps += rows.bit_count() + 1
        if self.steps > MOST_STEPS:
            raise _TooLargeError
        for subset, piece in self.axes[n].parted(region[n], rows):
            deeper = self._look(n + 1, subset, region, rest, covered)
            if deeper is not None:
                return [piece, *deeper]
        covered.add((n, rows))
        return None


class _TooLargeError(Exception):
    """More steps than may be spent."""


def _of_rows(decision: Decision) -> list[Finding]:
    found = list(_duplicates(decision))
    if len(decision.rows) > MOST_ROWS:
        message = f"a table of {len(decision.rows)} rows is not checked for overlaps, gaps and unreachable rows"
        return [*found, Finding("table-not-checked", None, None, message, f"{MOST_ROWS} rows can be checked")]
    rows = _Rows(decision)
    never = list(_never(rows))
    skipped = {finding.row for finding in [*found, *never]}
    found += never
    try:
        if decision.hit in {"unique", "any"}:
            found += [finding for finding in _overlaps(rows) if finding.row not in skipped]
        if decision.hit == "first":
            found += [finding for finding in _unreachable(rows) if finding.row not in skipped]
        if decision.hit in _ONE_ROW:
            found += _gap(rows)
    except _TooLargeError:
        message = "the table is too large to be checked for all gaps and unreachable rows"
        found.append(Finding("table-not-checked", None, None, message, "split it into tables of fewer columns"))
    return found


def _duplicates(decision: Decision) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for number, row in enumerate(decision.rows):
        cells = sorted([(name, *cell.__dict__.values()) for name, cell in row.when.items()])
        values = sorted([(name, _told(value)) for name, value in row.then.items()])
        other = first.setdefault(repr((cells, values)), number)
        if other != number:
            message = f"row {number + 1} says the same as row {other + 1}"
            yield Finding("table-duplicate-row", number, other, message, "take one of them out")


def _told(value: Any) -> Any:
    """The value; a list or map as text, the same for the same keys in any order."""
    return (_TEXT(value),) if isinstance(value, (list, tuple, dict)) else value


def _never(rows: _Rows) -> Iterator[Finding]:
    for number, row in enumerate(rows.decision.rows):
        for axis in rows.axes:
            if axis.name in row.when and axis.first_of(axis.runs[number]) is None:
                message = f"row {number + 1} can never hit: no value of {axis.name!r} passes its cell"
                yield Finding(
                    "table-unreachable-row", number, None, message, "look at the type, min and max of the column"
                )
                break


def _overlaps(rows: _Rows) -> Iterator[Finding]:
    decision = rows.decision
    alike = _alike(decision) if decision.hit == "any" else {}
    for number in bits(rows.known):
        region = rows.region(number)
        others = rows.touching(region) & rows.known & ((1 << number) - 1)
        if decision.hit == "any":
            others &= ~alike.get(number, -1)
        for other in bits(others & -others):
            point = [_common(axis, number, other) for axis in rows.axes]
            outputs = " with different outputs" if decision.hit == "any" else ""
            message = f"rows {other + 1} and {number + 1} both hit{outputs}, for example when {rows.shown(point)}"
            yield Finding("table-overlap", number, other, message, _OVERLAP_HINTS[decision.hit])


_OVERLAP_HINTS = {
    "unique": "narrow one of them, or use the hit policy 'first'",
    "any": "make their outputs equal, narrow one of them, or use the hit policy 'first'",
}


def _alike(decision: Decision) -> dict[int, int]:
    """For each row whose outputs are known, the rows that may give equal ones."""
    by_output: dict[str, int] = {}
    unknown = 0
    keys: dict[int, str] = {}
    for number, row in enumerate(decision.rows):
        if is_template(row.then):
            unknown |= 1 << number
            continue
        given = {name: row.then.get(name) for name in decision.outputs}
        keys[number] = repr([key_of(value, decision.outputs[name]) for name, value in given.items()])
        by_output[keys[number]] = by_output.get(keys[number], 0) | (1 << number)
    return {number: by_output[key] | unknown for number, key in keys.items()}


def _common(axis: Axis, number: int, other: int) -> int:
    shared = [
        (max(a[0], b[0]), min(a[1], b[1]))
        for a in axis.runs[number]
        for b in axis.runs[other]
        if max(a[0], b[0]) <= min(a[1], b[1])
    ]
    found = axis.first_of(shared)
    assert found is not None, "rows that touch share a piece"
    return found


def _unreachable(rows: _Rows) -> Iterator[Finding]:
    for number in range(len(rows.decision.rows)):
        region = rows.region(number)
        before = rows.touching(region) & rows.known & ((1 << number) - 1)
        if before and rows.hole(region, before) is None:
            holders = before
            for axis, runs in zip(rows.axes, region, strict=True):
                holders &= axis.holding(runs)
            other = next(bits(holders), None)
            by = f"row {other + 1} takes" if other is not None else "the rows before it together take"
            message = f"row {number + 1} can never hit: {by} everything that it lets through"
            yield Finding(
                "table-unreachable-row", number, other, message, "move it up, narrow what is before it, or take it out"
            )


def _gap(rows: _Rows) -> Iterator[Finding]:
    region: list[list[Run]] = [axis.typed_runs() for axis in rows.axes]
    hole = rows.hole(region, rows.touching(region))
    if hole is not None:
        message = f"no row hits, for example when {rows.shown(hole)}; the outputs are then none"
        yield Finding("table-gap", None, None, message, "add a row, or a last row without input cells")
