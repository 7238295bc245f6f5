"""The input columns of a decision table cut into the smallest pieces that its cells tell apart.

A piece is a value that some cell names, what lies between two limits, all that no cell names, or none. A cell is a few
runs of neighbouring pieces, so that questions about rows become questions about runs. Sets of rows are integers, one
bit a row.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from math import ceil, floor
from typing import Any, TypeAlias

from interlock.compiler.table_cells import ORDERED
from interlock.plan.base import Field
from interlock.plan.columns import Key, key_of, order_of
from interlock.plan.rules import Cell

Run: TypeAlias = tuple[int, int]
"""The first and the last piece."""


class Axis:
    """One column in pieces: `possible` says of each whether a value can lie there, `typed` whether the type says so.

    The last piece is none; in an open column of texts the last but one is every text that no cell names.
    """

    def __init__(self, name: str, field: Field, cells: Sequence[Cell | None]) -> None:
        self.name = name
        self._field = field
        literals = [value for cell in cells if cell is not None for value in cell.any_of or () if value is not None]
        if field.type in ORDERED and not field.enum:
            self._cut_by_limits(cells, literals)
        else:
            self._cut_by_values(literals)
        self.none = len(self.possible) - 1
        self.runs = [self._runs_of(cell) for cell in cells]
        self._changes = self._changes_of_rows()
        self._rows_at = list(_running(self._changes))
        self._touching = _Union([rows if can else 0 for rows, can in zip(self._rows_at, self.possible, strict=False)])
        self._changing = _Union(self._changes)
        self._always = self._rows_at[0] & ~self._changing.over(1, self.none)
        self._next = _next_of(self.possible)

    def _cut_by_limits(self, cells: Sequence[Cell | None], literals: list[Any]) -> None:
        field = self._field
        written = [*literals, field.min, field.max]
        written += [limit for cell in cells if cell is not None for limit in (cell.above, cell.below)]
        orders = {order_of(value, field) for value in written} - {None}
        self._limits: list[Any] = sorted(orders)
        low, high = order_of(field.min, field), order_of(field.max, field)
        edges = [None, *self._limits, None]
        self.samples: list[Any] = []
        for below, above in pairwise(edges):
            self.samples += [_between(below, above, field.type), above]
        self.typed = [
            value is not None and (low is None or value >= low) and (high is None or value <= high)
            for value in self.samples
        ]
        self.possible = [*self.typed[:-1], True]
        self.typed[-1] = False
        self._places: dict[Key, int] = {limit: 2 * n + 1 for n, limit in enumerate(self._limits)}

    def _cut_by_values(self, literals: list[Any]) -> None:
        field = self._field
        self._limits = []
        closed = field.enum or ((True, False) if field.type == "boolean" else ())
        values = {key_of(value, field): value for value in (closed or literals)}
        outside = {key_of(value, field): value for value in literals if key_of(value, field) not in values}
        self._places = {key: n for n, key in enumerate([*values, *outside])}
        self.samples = [*values.values(), *outside.values(), None, None]
        self.typed = [*([True] * len(values)), *([False] * (len(outside) + 2))]
        self.possible = [*([True] * len(values)), *([False] * len(outside)), not closed, True]

    def _runs_of(self, cell: Cell | None) -> list[Run]:
        """The pieces that a cell lets through; all of them where only its template knows."""
        if cell is None or (cell.any_of is None and cell.above is None and cell.below is None):
            return [(0, self.none)]
        if cell.any_of is not None:
            places = {self.none if value is None else self._places[key_of(value, self._field)] for value in cell.any_of}
            runs = [(place, place) for place in sorted(places)]
        else:
            runs = [self._range(cell)]
        return self._without(runs) if cell.negate else [run for run in runs if run[0] <= run[1]]

    def _range(self, cell: Cell) -> Run:
        first, last = 0, self.none - 1
        if cell.above is not None:
            first = self._places[order_of(cell.above, self._field)] + (0 if cell.above_inclusive else 1)
        if cell.below is not None:
            last = self._places[order_of(cell.below, self._field)] - (0 if cell.below_inclusive else 1)
        return first, last

    def _without(self, runs: list[Run]) -> list[Run]:
        ends = [-1, *(last for _, last in runs if last >= 0)]
        starts = [*(first for first, _ in runs), self.none]
        left = [(end + 1, min(start, self.none) - 1) for end, start in zip(ends, starts, strict=False)]
        return [run for run in left if run[0] <= run[1]]

    def _changes_of_rows(self) -> list[int]:
        changes = [0] * (self.none + 2)
        for row, runs in enumerate(self.runs):
            for first, last in runs:
                changes[first] ^= 1 << row
                changes[last + 1] ^= 1 << row
        return changes

    def touching(self, runs: Sequence[Run]) -> int:
        """The rows that let through any value of `runs`."""
        rows = 0
        for first, last in runs:
            rows |= self._touching.over(first, last)
        return rows

    def holding(self, runs: Sequence[Run]) -> int:
        """Rows that let through all of `runs`; not every such row, where only impossible pieces make the difference."""
        rows = -1
        for first, last in runs:
            whole = first == 0 and last == self.none
            rows &= self._always if whole else self._rows_at[first] & ~self._changing.over(first + 1, last)
        return rows

    def first_of(self, runs: Sequence[Run]) -> int | None:
        """The first piece of `runs` in which a value can lie."""
        for first, last in runs:
            if self._next[first] <= last:
                return self._next[first]
        return None

    def typed_runs(self) -> list[Run]:
        """The pieces that the column's type names; for an open column those that its cells name, or any other."""
        runs: list[Run] = []
        for place in [place for place, typed in enumerate(self.typed) if typed] or [self.none - 1]:
            begun = runs.pop()[0] if runs and runs[-1][1] == place - 1 else place
            runs.append((begun, place))
        return runs

    def parted(self, runs: Sequence[Run], rows: int) -> Iterator[tuple[int, int]]:
        """Subsets of `rows` that meet at some piece of `runs`, each with such a piece; subsets may come twice."""
        changes: dict[int, int] = {0: 0}
        for row in bits(rows):
            for first, last in self.runs[row]:
                changes[first] = changes.get(first, 0) ^ (1 << row)
                changes[last + 1] = changes.get(last + 1, 0) ^ (1 << row)
        starts = sorted(changes)
        here = list(_running([changes[start] for start in starts]))
        ends = [*starts[1:], self.none + 1]
        for first, last in runs:
            at = max(0, bisect_left(starts, first + 1) - 1)
            while at < len(starts) and starts[at] <= last:
                piece = self._next[max(first, starts[at])]
                if piece <= min(last, ends[at] - 1):
                    yield here[at], piece
                at += 1

    def shown(self, piece: int) -> str:
        """A piece as an example of an input."""
        if piece == self.none:
            return f"{self.name} = none"
        sample = self.samples[piece]
        if sample is None:
            return f"any other {self.name}"
        if isinstance(sample, bool):
            return f"{self.name} = {str(sample).lower()}"
        return f"{self.name} = {sample.isoformat() if isinstance(sample, date) else repr(sample)}"


def bits(rows: int) -> Iterator[int]:
    """The rows of a set, in order."""
    while rows:
        lowest = rows & -rows
        yield lowest.bit_length() - 1
        rows ^= lowest


def _running(changes: Sequence[int]) -> Iterator[int]:
    here = 0
    for change in changes:
        here ^= change
        yield here


def _next_of(possible: Sequence[bool]) -> list[int]:
    following = len(possible)
    found = []
    for piece in reversed(range(len(possible))):
        following = piece if possible[piece] else following
        found.append(following)
    return found[::-1]


def _between(below: Any, above: Any, kind: str) -> Any:
    """A value of the type strictly between two limits, either of which may be none; none if there is no such value."""
    step = timedelta(days=1) if kind in {"date", "datetime"} else 1
    if below is None and above is None:
        return 0 if kind in {"number", "integer"} else None
    if kind == "integer":
        found = ceil(above) - 1 if below is None else floor(below) + 1
    elif below is None or above is None or above - below > step:
        found = above - step if below is None else below + step
    else:
        found = below + (above - below) / 2 if kind != "date" else below
    return found if (below is None or below < found) and (above is None or found < above) else None


class _Union:
    """The union of any run of sets, out of unions of runs of lengths that are powers of two."""

    def __init__(self, sets: Sequence[int]) -> None:
        self._size = len(sets)
        self._nodes = [0] * self._size + list(sets)
        for node in reversed(range(1, self._size)):
            self._nodes[node] = self._nodes[2 * node] | self._nodes[2 * node + 1]

    def over(self, first: int, last: int) -> int:
        if first == 0 and last == self._size - 1:
            return self._nodes[1]
        low, high, found = first + self._size, last + 1 + self._size, 0
        while low < high:
            if low & 1:
                found |= self._nodes[low]
                low += 1
            if high & 1:
                high -= 1
                found |= self._nodes[high]
            low >>= 1
            high >>= 1
        return found
