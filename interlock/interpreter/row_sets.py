"""The rows of a decision table that let values through; what a table makes of them is in `tables`.

Each column keeps, for each value that tells rows apart, the set of rows that it lets through as the bits of one
integer; the rows that all columns let through are one `&` a column. Such integers grow with the rows. So a block of
many rows is parted by the column that tells most of them apart: each of its values leads to the few rows that it lets
through, which have bits of their own. How a column tells values apart is in `columns`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

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

Asked: TypeAlias = tuple[str, type | None, Mapping[Any, int], list[Any], list[int], Column]
"""A column: its name, the parts of `Column.quick`, and the column itself."""


class Rows:
    """Some rows of a table by number, the last first: `bits` has all of them, and `columns` tell them apart.

    The first row of a table is the highest bit, because that is the one whose place is told at once.
    """

    __slots__ = ("bits", "columns", "numbers")

    def __init__(self, decision: Decision, numbers: Sequence[int], without: str = "") -> None:
        cells = [decision.rows[number].when for number in numbers]
        columns = [
            (name, Column(field, [cell.get(name) for cell in cells]))
            for name, field in decision.inputs.items()
            if name != without
        ]
        self.numbers = numbers
        self.bits = (1 << len(numbers)) - 1
        self.columns: list[Asked] = [(name, *column.quick, column) for name, column in columns if column.tells]

    def let_through(self, values: Mapping[str, Any]) -> int:
        """The bits of those that every column lets through."""
        rows = self.bits
        for name, kind, points, limits, gaps, column in self.columns:
            value = values.get(name)
            if value.__class__ is kind:
                named = points.get(value)
                rows &= gaps[bisect_left(limits, value)] if named is None else named
            else:
                rows &= column[value]
        return rows

    def first(self, values: Mapping[str, Any]) -> int:
        """The number of the first of them that lets `values` through, -1 if none does."""
        bits = self.let_through(values)
        return self.numbers[bits.bit_length() - 1] if bits else -1


class Block:
    """Neighbouring rows of a table, parted by one column where that is worth it."""

    def __init__(self, decision: Decision, first: int, size: int, small: int = SMALL) -> None:
        self._decision = decision
        numbers = range(first, min(first + size, len(decision.rows)))[::-1]
        self._whole = Rows(decision, numbers)
        telling = _telling(self._whole) if len(numbers) > small else None
        self._parted = None if telling is None else _Parted(telling)
        if telling is not None:
            self._whole.columns = []  # their bits grow with the rows, and are never asked again

    def asker(self) -> Callable[[Mapping[str, Any]], int]:
        """Finds the first row that lets values through, -1 if none does: what it needs stands ready in it."""
        whole, parted, made = self._whole, self._parted, self._made
        if parted is None:
            return whole.first
        by, by_kind, by_points, by_limits, by_gaps = parted.quick
        parts, odd = parted.parts, parted.place

        def first(values: Mapping[str, Any]) -> int:
            value = values.get(by)
            place = by_points.get(value) if value.__class__ is by_kind else odd(values)
            if place is None:
                place = by_gaps[bisect_left(by_limits, value)]
            rows = parts[place] or made(parted, place)
            bits = rows.bits
            # as in `let_through`; here because a call would cost as much
            for name, kind, points, limits, gaps, column in rows.columns:
                value = values.get(name)
                if value.__class__ is kind:
                    named = points.get(value)
                    bits &= gaps[bisect_left(limits, value)] if named is None else named
                else:
                    bits &= column[value]
            return rows.numbers[bits.bit_length() - 1] if bits else -1

        return first

    def every(self, values: Mapping[str, Any]) -> Iterator[int]:
        """All rows that let `values` through, in order."""
        rows = self._whole
        if self._parted is not None:
            place = self._parted.place(values)
            rows = self._parted.parts[place] or self._made(self._parted, place)
        for bit in _from_highest(rows.let_through(values)):
            yield rows.numbers[bit]

    def _made(self, parted: "_Parted", place: int) -> Rows:
        numbers = [self._whole.numbers[bit] for bit in _from_highest(parted.sets[place])][::-1]
        part = parted.parts[place] = Rows(self._decision, numbers, without=parted.name)
        return part


class _Parted:
    """The sets of rows that one column lets through, each with a place; a part is made when it is first asked for."""

    def __init__(self, asked: Asked) -> None:
        self.name, self._kind, points, self._limits, gaps, self._column = asked
        self._places = {bits: place for place, bits in enumerate(self._column.sets)}
        self._points = {value: self._places[bits] for value, bits in points.items()}
        self._gaps = [self._places[bits] for bits in gaps]
        self.sets = list(self._places)
        self.parts: list[Rows | None] = [None] * len(self.sets)

    @property
    def quick(self) -> tuple[str, type | None, Mapping[Any, int], list[Any], list[int]]:
        """What the place of a value of the usual kind is found by."""
        return self.name, self._kind, self._points, self._limits, self._gaps

    def place(self, values: Mapping[str, Any]) -> int:
        """The place of the rows that let the column's value through."""
        value = values.get(self.name)
        if value.__class__ is not self._kind:
            return self._places[self._column[value]]
        place = self._points.get(value)
        return self._gaps[bisect_left(self._limits, value)] if place is None else place


def _telling(rows: Rows) -> Asked | None:
    """The column that leaves the fewest rows to look at; none if parts would be too large, or rows in too many."""
    best: Asked | None = None
    fewest = float(len(rows.numbers))
    for asked in rows.columns:
        sizes = [bits.bit_count() for bits in asked[5].sets]
        mean = sum(sizes) / len(sizes)
        if max(sizes) <= LARGEST and sum(sizes) <= OVERLAP * len(rows.numbers) and mean < fewest:
            best, fewest = asked, mean
    return best


def _from_highest(bits: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while bits:
        highest = bits.bit_length() - 1
        yield highest
        bits ^= 1 << highest
