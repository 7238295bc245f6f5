"""Decision tables at run time: what the hit policy makes of the outputs of the rows that hit.

Which rows hit is found in `row_sets`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeAlias

from interlock.interpreter.row_asking import Ask
from interlock.interpreter.row_sets import BLOCK, SMALL, Block
from interlock.plan.columns import Key, key_of, order_of
from interlock.plan.rules import Decision
from interlock.text.hits import named

Outputs: TypeAlias = Callable[[int], dict[str, Any]]
TemplateCell: TypeAlias = Callable[[int, str], Any]


class Decided(NamedTuple):
    """Rows that hit, counted from 0, and a value per output column; `error` says why the policy allows none.

    The rows are those that the result is taken from: for `first` and `priority` one, for the others all that hit.
    """

    rows: tuple[int, ...]
    result: dict[str, Any]
    error: str = ""


class Decide(Protocol):
    """What a table says for `values` by input column; an absent value or none passes "any" and `not` of nothing.

    `outputs(row)` gives a row's outputs, asked only for rows that matter; `cell(row, column)` the value of a cell with
    a template. What they raise passes through. Where no row hits every output is none, but `count` 0.
    """

    def __call__(self, values: Mapping[str, Any], outputs: Outputs, cell: TemplateCell | None = None) -> Decided: ...


class Table:
    """A decision table ready to be asked."""

    def __init__(self, decision: Decision, *, block: int = BLOCK, small: int = SMALL) -> None:
        self._decision = decision
        self._none: dict[str, Any] = dict.fromkeys(decision.outputs)
        self._templates = [
            {column: cell.negate for column, cell in row.when.items() if cell.template} for row in decision.rows
        ]
        self._has_templates = any(self._templates)
        self._blocks = [Block(decision, first, block, small) for first in range(0, len(decision.rows), block)]
        is_first = decision.hit == "first" and not self._has_templates
        self.decide: Decide = self._by_first_row() if is_first else self._by_policy

    def _by_first_row(self) -> Decide:
        """`decide` of most tables, with all it needs at hand: it is asked in a microsecond, of which a call is much."""
        first, none, width = _first_of([block.first for block in self._blocks]), self._none, len(self._none)
        some_are_left_out = any(len(row.then) != width for row in self._decision.rows)

        def decide(values: Mapping[str, Any], outputs: Outputs, cell: TemplateCell | None = None) -> Decided:  # noqa: ARG001 - as `Decide` says
            row = first(values)
            if row < 0:
                return Decided((), dict(none))
            result = outputs(row)
            if some_are_left_out and len(result) != width:
                result = none | result
            return named(Decided, ((row,), result, ""))

        return decide

    def _by_policy(self, values: Mapping[str, Any], outputs: Outputs, cell: TemplateCell | None = None) -> Decided:
        policy = self._decision.hit
        hits = tuple(islice(self._hits(values, cell), 1 if policy == "first" else None))
        if policy == "unique" and len(hits) > 1:
            return Decided(hits, dict(self._none), f"{_named(hits)} hit, and the hit policy is 'unique'")
        given = [self._none | outputs(row) for row in hits]
        if policy in {"unique", "any", "first"}:
            return self._one_of(hits, given)
        return self._best(hits, given) if policy == "priority" else self._all_of(hits, given)

    def hits(self, values: Mapping[str, Any], cell: TemplateCell | None = None) -> list[int]:
        """All rows that hit, in order; arguments as for `decide`."""
        return list(self._hits(values, cell))

    def _hits(self, values: Mapping[str, Any], cell: TemplateCell | None) -> Iterator[int]:
        for block in self._blocks:
            for row in block.every(values):
                if not self._has_templates or self._templates_hit(row, values, cell):
                    yield row

    def _templates_hit(self, row: int, values: Mapping[str, Any], cell: TemplateCell | None) -> bool:
        for column, negated in self._templates[row].items():
            assert cell is not None, "a table with templates needs someone to evaluate them"
            field = self._decision.inputs[column]
            value, wanted = key_of(values.get(column), field), key_of(cell(row, column), field)
            if (value == wanted) == negated or (negated and value is None):
                return False
        return True

    def _one_of(self, rows: tuple[int, ...], given: list[dict[str, Any]]) -> Decided:
        if not given:
            return Decided(rows, dict(self._none))
        if any(self._keys(other) != self._keys(given[0]) for other in given[1:]):
            return Decided(
                rows, dict(self._none), f"{_named(rows)} hit with different outputs; the hit policy is 'any'"
            )
        return Decided(rows, given[0])

    def _keys(self, result: Mapping[str, Any]) -> list[Key]:
        return [key_of(result[name], field) for name, field in self._decision.outputs.items()]

    def _best(self, rows: tuple[int, ...], given: list[dict[str, Any]]) -> Decided:
        """The row whose outputs stand first in the enums of their columns, looked at column by column."""
        if not given:
            return Decided(rows, dict(self._none))

        def rank(index: int) -> list[int]:
            ranks = []
            for name, field in self._decision.outputs.items():
                keys = [key_of(value, field) for value in field.enum]
                key = key_of(given[index][name], field)
                ranks.append(keys.index(key) if key in keys else len(keys))
            return ranks

        best = min(range(len(rows)), key=rank)
        return Decided((rows[best],), given[best])

    def _all_of(self, rows: tuple[int, ...], given: list[dict[str, Any]]) -> Decided:
        result = dict(self._none)
        for name, field in self._decision.outputs.items():
            values = [one[name] for one in given]
            if self._decision.hit == "collect":
                result[name] = values
                continue
            present = [value for value in values if value is not None]
            if self._decision.hit == "count":
                result[name] = len(present)
            elif present:
                ordered = [order_of(value, field) for value in present]
                if None in ordered or (self._decision.hit == "sum" and not all(map(_is_number, present))):
                    problem = f"{_named(rows)} give {name!r} values that have no {self._decision.hit}"
                    return Decided(rows, dict(self._none), problem)
                result[name] = _AGGREGATES[self._decision.hit](present, ordered)
        return Decided(rows, result)


def _first_of(firsts: Sequence[Ask]) -> Ask:
    """The first row of several blocks, of which there is mostly one."""
    if len(firsts) == 1:
        return firsts[0]
    return lambda values: next((row for first in firsts if (row := first(values)) >= 0), -1)


def _named(rows: tuple[int, ...]) -> str:
    numbers = [str(row + 1) for row in rows[:5]] + (["…"] if len(rows) > 5 else [])
    return f"row {numbers[0]}" if len(rows) == 1 else f"rows {', '.join(numbers)}"


def _is_number(value: Any) -> bool:
    return type(value) in {int, float}


def _sum(values: list[Any], _: list[Any]) -> Any:
    """Exact for whole numbers, and to the last decimal written for others: 0.1 + 0.2 is 0.3."""
    if all(type(value) is int for value in values):
        return sum(values)
    return float(sum(Decimal(str(value)) for value in values))


_AGGREGATES: Mapping[str, Callable[[list[Any], list[Any]], Any]] = {
    "sum": _sum,
    "min": lambda values, ordered: values[ordered.index(min(ordered))],
    "max": lambda values, ordered: values[ordered.index(max(ordered))],
}
