"""One input column of a decision table: which rows let a value through, as the bits of an integer."""

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from datetime import UTC, date, datetime
from math import ceil, floor, inf
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from interlock.plan.base import Field
from interlock.plan.rules import Cell

Key: TypeAlias = Hashable
"""What two values share exactly when they are the same value: 1 and 1.0, but not 1 and true."""


class Column:
    """The cells of one column, one per row, none meaning "any": `column[value]` is the rows that let `value` through.

    `_points` has the rows for every value that a cell names, `_gaps` those for what lies between two limits of ranges,
    `_others` those for what is named nowhere and has no order.
    """

    def __init__(self, field: Field, cells: Sequence[Cell | None]) -> None:
        self._field = field
        self._is_number = field.type in {"integer", "number"}
        always = unlisted = 0
        ranges: list[tuple[int, Cell]] = []
        listed: dict[Key, tuple[int, int]] = {}
        for row, cell in enumerate(cells):
            bit = 1 << row
            if cell is None or _is_any(cell):
                always |= bit
            elif cell.any_of is None:
                ranges.append((row, cell))
            else:
                unlisted |= bit if cell.negate else 0
                for key in {key_of(value, field) for value in cell.any_of}:
                    plus, minus = listed.get(key, (0, 0))
                    listed[key] = (plus, minus | bit) if cell.negate else (plus | bit, minus)
        self.tells = always != (1 << len(cells)) - 1
        self._others = always | unlisted
        limits, within = _swept([(row, cell, *_bounds(cell, field)) for row, cell in ranges])
        self._limits = limits
        self._gaps = [self._others | rows for rows in within[::2]]
        self._points: dict[Any, int] = dict.fromkeys(limits, self._others)
        self._points |= {key: always | plus | (unlisted & ~minus) for key, (plus, minus) in listed.items()}
        for key in self._points:
            if limits and order_of(key, field) is not None:
                slot = bisect_left(limits, key)
                self._points[key] |= within[2 * slot + (slot < len(limits) and limits[slot] == key)]
        self._points[None] = always | listed.get(None, (0, 0))[0]

    @property
    def kind(self) -> type | None:
        """The class of values that are their own keys, as most are; none where there is no such class."""
        return str if self._field.type == "string" else int if self._is_number else None

    @property
    def has_ranges(self) -> bool:
        """Whether whole numbers that no cell names are told apart too."""
        return self._is_number and bool(self._limits)

    @property
    def by_value(self) -> tuple[dict[Any, int], int]:
        """Where there are no ranges: the rows for every value of `kind` that a cell names, and those for any other."""
        return self._points, self._others

    @property
    def by_cuts(self) -> tuple[list[int], list[int]]:
        """For whole numbers: those at which the rows change, and the rows below the first, then from each one on."""
        named = [key for key in self._points if order_of(key, self._field) is not None and abs(key) != inf]
        edges = sorted({edge for key in named for edge in (ceil(key), floor(key) + 1)})
        cuts = [at for at in edges if self[at] != self[at - 1]]
        return cuts, [self[cuts[0] - 1 if cuts else 0], *(self[at] for at in cuts)]

    @property
    def sets(self) -> list[int]:
        """Every set of rows that is let through by some value, each once."""
        return list(dict.fromkeys([*self._points.values(), *self._gaps, self._others]))

    def __getitem__(self, value: Any) -> int:
        kind = type(value)
        if not (self._is_number and (kind is int or (kind is float and value == value))):  # noqa: PLR0124  # not NaN
            value = key_of(value, self._field)
            if order_of(value, self._field) is None:
                return self._points.get(value, self._others)
        rows = self._points.get(value)
        if rows is not None:
            return rows
        return self._gaps[bisect_left(self._limits, value)] if self._limits else self._others


def _swept(ranges: list[tuple[int, Cell, Any, Any]]) -> tuple[list[Any], list[int]]:
    """The limits in order, and the rows for what lies below the first, on it, between it and the next, and so on."""
    limits = sorted({limit for _, _, low, high in ranges for limit in (low, high) if limit is not None})
    if not limits:
        return [], []
    changes = [0] * (2 * len(limits) + 2)
    rows = 0
    for row, cell, low, high in ranges:
        first = 0 if low is None else 2 * bisect_left(limits, low) + (1 if cell.above_inclusive else 2)
        last = 2 * len(limits) if high is None else 2 * bisect_left(limits, high) + (1 if cell.below_inclusive else 0)
        if first <= last:
            changes[first] ^= 1 << row
            changes[last + 1] ^= 1 << row
        rows |= (1 << row) if cell.negate else 0
    within = []
    for change in changes[:-1]:
        rows ^= change
        within.append(rows)
    return limits, within


def _is_any(cell: Cell) -> bool:
    """Whether a cell lets all through as far as can be told without evaluating its template."""
    return cell.any_of is None and cell.above is None and cell.below is None


def _bounds(cell: Cell, field: Field) -> tuple[Any, Any]:
    return (
        None if cell.above is None else order_of(cell.above, field),
        None if cell.below is None else order_of(cell.below, field),
    )


def key_of(value: Any, field: Field) -> Key:
    """The key of a JSON value in a column of `field`; dates and times by the moment they name."""
    if value is None or isinstance(value, bool):
        return None if value is None else ("boolean", value)
    if field.type in {"date", "datetime"}:
        moment: Key = order_of(value, field)
        return value if moment is None else moment
    if isinstance(value, list):
        return ("list", tuple(key_of(item, field) for item in value))
    if isinstance(value, dict):
        return ("object", frozenset((name, key_of(item, field)) for name, item in value.items()))
    key: Key = value
    return key


def order_of(value: Any, field: Field) -> Any:
    """What `value` is ordered by: itself for a number, its moment for a date or time; none if it has no order."""
    if field.type == "date":
        return _day(value)
    if field.type == "datetime":
        return _moment(value, field.timezone)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value  # noqa: PLR0124  # NaN
    return value if is_number else None


def _day(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return datetime.fromisoformat(value).date()
    except (TypeError, ValueError):
        return None


def _moment(value: Any, timezone: str) -> datetime | None:
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    zone = ZoneInfo(timezone) if timezone else UTC
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)
