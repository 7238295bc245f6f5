"""The rows of a decision table that let values through; what a table makes of them is in `tables`.

Each column keeps, for each value that tells rows apart, the set of rows that it lets through as the bits of one
integer; the rows that all columns let through are one `&` a column. Such integers grow with the rows. So a block of
many rows is parted by the column that tells most of them apart: each of its values leads to the few rows that it lets
through, which have bits of their own. How a column tells values apart is in `columns`, the function that asks them all
in `row_asking`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from interlock.interpreter.row_asking import EVERY, FIRST, Ask, Asked, Places, Rows, ask_parts, ask_rows
from interlock.plan.columns import Column
from interlock.plan.rules import Decision

BLOCK = 16_384
"""Rows worked together, so that memory grows with the rows and no faster."""
SMALL = 64
"""Rows whose bits are worked as fast as any."""
OVERLAP = 4
"""In how many parts a row of a block may stand on average; a column that says less would cost memory for nothing."""

LARGEST = 512
"""Rows of a part at most: it is made in the middle of a turn."""


class Block:
    """Neighbouring rows of a table, parted by one column where that is worth it.

    The first row is the highest bit, because that is the one whose place is told at once: by the length of the bits.
    """

    def __init__(self, decision: Decision, first: int, size: int, small: int = SMALL) -> None:
        self._decision = decision
        self._numbers = range(first, min(first + size, len(decision.rows)))[::-1]
        columns = {name: self._column(name, self._numbers) for name in decision.inputs}
        columns = {name: column for name, column in columns.items() if column.tells}
        self._asked = {name: Asked(name, column.kind, column.has_ranges) for name, column in columns.items()}
        telling = _telling(columns, len(self._numbers)) if len(self._numbers) > small else None
        self._rows = self._with_columns(self._numbers, columns.values()) if telling is None else None
        if telling is not None:
            self._parted = self._asked.pop(telling)
            self._places = Places(columns[telling])
            self._parts: list[Rows | None] = [None] * len(self._places.sets)

    @cached_property
    def first(self) -> Ask:
        """Finds the first row that lets values through, -1 if none does."""
        return self._ask(FIRST)

    @cached_property
    def _every(self) -> Ask:
        return self._ask(EVERY)

    def every(self, values: Mapping[str, Any]) -> Iterator[int]:
        """All rows that let `values` through, in order."""
        bits, numbers = self._every(values)
        for length in _lengths(bits):
            yield numbers[length]

    def _ask(self, gives: str) -> Ask:
        asked = list(self._asked.values())
        if self._rows is not None:
            return ask_rows(asked, self._rows, gives)
        return ask_parts(self._parted, self._parted.by(self._places), asked, self._parts, self._made, gives)

    def _made(self, place: int) -> Rows:
        numbers = [self._numbers[length - 1] for length in _lengths(self._places.sets[place])][::-1]
        rows = self._parts[place] = self._with_columns(numbers, [self._column(name, numbers) for name in self._asked])
        return rows

    def _column(self, name: str, numbers: Sequence[int]) -> Column:
        cells = [self._decision.rows[number].when.get(name) for number in numbers]
        return Column(self._decision.inputs[name], cells)

    def _with_columns(self, numbers: Sequence[int], columns: Iterable[Column]) -> Rows:
        asked = (asked.by(column) for asked, column in zip(self._asked.values(), columns, strict=True))
        return ((1 << len(numbers)) - 1, [-1, *numbers], *chain.from_iterable(asked))


def _telling(columns: Mapping[str, Column], rows: int) -> str | None:
    """The column that leaves the fewest rows to look at; none if parts would be too large, or rows in too many."""
    best: str | None = None
    fewest = float(rows)
    for name, column in columns.items():
        sizes = [bits.bit_count() for bits in column.sets]
        mean = sum(sizes) / len(sizes)
        if max(sizes) <= LARGEST and sum(sizes) <= OVERLAP * rows and mean < fewest:
            best, fewest = name, mean
    return best


def _lengths(bits: int) -> Iterator[int]:
    """How long the bits are, and how long without the highest, and so on."""
    while bits:
        length = bits.bit_length()
        yield length
        bits ^= 1 << (length - 1)
