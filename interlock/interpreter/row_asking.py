"""Writes the function that asks the columns of a block: one statement for each, as a loop over them would cost more."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from interlock.expressions.compile import execute
from interlock.expressions.generate_pages import INDENT, Kept, PageWriter
from interlock.plan.columns import Column

Ask: TypeAlias = Callable[[Mapping[str, Any]], Any]
Rows: TypeAlias = tuple[Any, ...]
"""Bits, one a row; the number of the first row by the length of the bits, -1 for none; what columns are asked by."""

FIRST, EVERY = "numbers[bits.bit_length()]", "(bits, numbers)"
"""What the function gives: the number of the first row; or the bits of all, and the numbers by their length."""


class Places:
    """A column that gives, instead of a set of rows, the place of that set among all of its `sets`."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._places = {bits: place for place, bits in enumerate(column.sets)}
        self.sets = list(self._places)

    @property
    def by_value(self) -> tuple[dict[Any, int], int]:
        """As of the column."""
        points, others = self._column.by_value
        return {value: self._places[bits] for value, bits in points.items()}, self._places[others]

    @property
    def by_cuts(self) -> tuple[list[int], list[int]]:
        """As of the column."""
        cuts, sets = self._column.by_cuts
        return cuts, [self._places[bits] for bits in sets]

    def __getitem__(self, value: Any) -> int:
        return self._places[self._column[value]]


class Asked(NamedTuple):
    """How a column is asked: for a value of the class `kind` by two things made for that, for others by itself."""

    name: str
    kind: type | None
    has_ranges: bool

    def by(self, column: Column | Places) -> tuple[Any, Any, Any]:
        """The two things, and the column."""
        if self.has_ranges:
            return (*column.by_cuts, column)
        points, others = column.by_value
        return points.get, others, column

    def python(self, writer: PageWriter, n: int) -> str:
        """Python that asks them, who are called `x`, `y` and `z` with a number, for the value `v` of that number."""
        if self.kind is None:
            return f"z{n}[v{n}]"
        found = f"y{n}[{writer.call(bisect_right, f'x{n}', f'v{n}')}]" if self.has_ranges else f"x{n}(v{n}, y{n})"
        return f"{found} if v{n}.__class__ is {writer.constant(self.kind)} else z{n}[v{n}]"


def ask_rows(columns: Sequence[Asked], rows: Rows, gives: str) -> Ask:
    """A function of values by name: what `gives` says of those of `rows` that all columns let through."""
    writer = PageWriter()
    writer.namespace["rows"] = rows
    return _written(writer, columns, [], "rows", gives)


def ask_parts(
    first: Asked, by: Rows, columns: Sequence[Asked], parts: list[Rows | None], made: Callable[[int], Rows], gives: str
) -> Ask:
    """The same of rows in parts: `first`, asked `by` these, gives the place of one, that may have to be made yet."""
    writer = PageWriter()
    writer.namespace |= {"parts": parts, "made": made} | dict(zip(("x0", "y0", "z0"), by, strict=True))
    place = [f"place = {first.python(writer, 0)}"]
    return _written(writer, [first, *columns], place, "parts[place] or made(place)", gives)


def _written(writer: PageWriter, columns: Sequence[Asked], place: list[str], rows: str, gives: str) -> Ask:
    """The function; where a value is absent it asks again, with none in its place."""
    asked = range(len(place), len(columns))
    values = [f"v{n} = values[{writer.constant(column.name)}]" for n, column in enumerate(columns)]
    absent = writer.constant(Kept(dict.fromkeys(column.name for column in columns)))
    lines = [
        "try:",
        *(INDENT + line for line in values or ["pass"]),
        f"except {writer.constant(KeyError)}:",
        f"{INDENT}return ask({{**{absent}.subject, **values}})",
        *place,
        f"bits, numbers{''.join(f', x{n}, y{n}, z{n}' for n in asked)} = {rows}",
        *(f"bits &= {columns[n].python(writer, n)}" for n in asked),
        f"return {gives}",
    ]
    execute(writer, ["def ask(values):", *(INDENT + line for line in lines)])
    ask: Ask = writer.namespace["ask"]
    return ask
