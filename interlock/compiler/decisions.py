"""A decision table as the plan has it, made of rows in the spec or in a CSV file, with what cannot be read in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from interlock.compiler.findings import suggestion
from interlock.compiler.lower_fields import field_values, fields
from interlock.compiler.tables import Problem, parse_cell, parse_output
from interlock.compiler.vocabularies import sheet_of
from interlock.plan.rules import Decision, Row, TableInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from interlock.compiler.table_cells import Enums
    from interlock.compiler.units import Part
    from interlock.diagnostics import Location
    from interlock.plan.rules import Cell


class RawRow(NamedTuple):
    """One row as written: cells by column, where each stands, and where the row does."""

    cells: Mapping[str, Any]
    place_of: Callable[[str], Location]
    place: Location
    csv: bool


@dataclass(slots=True)
class Lowered:
    """The table, the places of its rows, and what cannot be read in them; `cells` are those read so far, by text."""

    decision: Decision
    rows: list[Location] = field(default_factory=list)
    problems: list[tuple[Problem, Location]] = field(default_factory=list)
    enums: Enums = field(default_factory=dict)
    cells: dict[tuple[str, str], Cell | Problem | None] = field(default_factory=dict)


def lowered(part: Part) -> Lowered:
    """The table of a part, worked out once."""
    memo = part.unit.memo
    if ("decision", part.name) not in memo:
        memo["decision", part.name] = _lowered(part)
    found: Lowered = memo["decision", part.name]
    return found


def _lowered(part: Part) -> Lowered:
    written = part.model
    inputs = {name: TableInput(**field_values(column), value=column.value) for name, column in written.inputs.items()}
    empty = Decision(
        at=str(part.key()),
        hit=written.hit,
        inputs=inputs,
        outputs=fields(written.outputs),
        rows=(),
    )
    found = Lowered(empty)
    rows = []
    for raw in _raw_rows(part, found):
        rows.append(_row(raw, empty, found))
        found.rows.append(raw.place)
    found.decision = empty.model_copy(update={"rows": tuple(rows)})
    return found


def _row(raw: RawRow, table: Decision, found: Lowered) -> Row:
    when: dict[str, Cell] = {}
    then: dict[str, Any] = {}
    for name, written in raw.cells.items():
        if name in table.inputs:
            cell = _cell(raw, name, table, found)
            if isinstance(cell, Problem):
                found.problems.append((cell, raw.place_of(name)))
            elif cell is not None:
                when[name] = cell
        elif name in table.outputs:
            output = parse_output(written, table.outputs[name], csv=raw.csv, enums=found.enums)
            if isinstance(output, Problem):
                found.problems.append((output, raw.place_of(name)))
            elif output is not None:
                then[name] = output[0]
        else:
            hint = suggestion(name, [*table.inputs, *table.outputs])
            problem = Problem("unknown-column", f"the table has no column {name!r}", hint)
            found.problems.append((problem, raw.place_of(name)))
    return Row(at=str(raw.place), when=when, then=then)


def _cell(raw: RawRow, name: str, table: Decision, found: Lowered) -> Cell | Problem | None:
    """The input cell in a column; the same text in the same column is read once."""
    written = raw.cells[name]
    if not isinstance(written, str):
        return parse_cell(written, table.inputs[name], csv=raw.csv)
    if (name, written) not in found.cells:
        found.cells[name, written] = parse_cell(written, table.inputs[name], csv=raw.csv)
    return found.cells[name, written]


def _raw_rows(part: Part, found: Lowered) -> Iterator[RawRow]:
    columns = _columns(part)

    def place_of(index: int, name: str) -> Location:
        return part.value("rules", index, name) if name in columns else part.key("rules", index, name)

    for index, cells in enumerate(part.model.rules or ()):
        yield RawRow(cells, partial(place_of, index), part.value("rules", index), csv=False)
    if part.model.csv is not None:
        yield from _sheet_rows(part, found)


def _columns(part: Part) -> set[str]:
    return {*part.model.inputs, *part.model.outputs}


def _sheet_rows(part: Part, found: Lowered) -> Iterator[RawRow]:
    sheet = sheet_of(part.unit, part.model.csv)
    if sheet is None:
        return
    header = list(sheet.header)
    for index, name in enumerate(header):
        if name and name not in _columns(part):
            hint = suggestion(name, _columns(part))
            problem = Problem("unknown-column", f"the table has no column {name!r}", hint)
            found.problems.append((problem, sheet.at(-1, index)))
    for name in sorted(_columns(part) - set(header)):
        found.problems.append((Problem("missing-column", f"the file has no column {name!r}", ""), sheet.at(-1, 0)))
    known = {name: index for index, name in enumerate(header) if name in _columns(part)}

    def place_of(number: int, name: str) -> Location:
        return sheet.at(number, known[name])

    for number, row in enumerate(sheet.rows):
        cells = {name: row[index] for name, index in known.items() if index < len(row)}
        yield RawRow(cells, partial(place_of, number), sheet.at(number, 0), csv=True)
