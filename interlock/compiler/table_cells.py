"""The cells of a decision table as authors write them, in YAML or in a CSV file: what they mean, or what is wrong.

An input cell is a literal; a list (any of); `< 5`, `<= 5`, `> 5`, `>= 5`, `[1..5)` for numbers and dates; `!= X` or
`not X` of a literal, list or range; a template `{{ … }}`, compared with `==`; or nothing, `-` or `*` in CSV too, which
is "any". Text in double quotes is that text, whatever it looks like. In a CSV file commas make a list.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from interlock.plan.base import Field
from interlock.plan.columns import Key, key_of, order_of
from interlock.plan.rules import Cell

ORDERED = frozenset({"integer", "number", "date", "datetime"})

Enums: TypeAlias = dict[int, set[Key]]
"""The keys of a column's values, by the identity of the column."""

_NOTHING = frozenset({""})
_ANY = frozenset({"", "-", "*"})
_FEW = 16
_COMPARISON = re.compile(r"(<=|>=|<|>)\s*(.+)", re.DOTALL)
_RANGE = re.compile(r"([\[(])\s*([^\[\]()]+?)\s*\.\.\s*([^\[\]()]+?)\s*([\])])")
_NEGATED = re.compile(r"(?:!=\s*|not\s+)(.+)", re.DOTALL)
_ITEM = re.compile(r'\s*("(?:[^"]|"")*"|[^,"][^,]*?|)\s*(?:,|$)')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?(?:[eE][+-]?\d+)?")
_LOOSE = (
    (re.compile(r"[，、]"), "separate with an ordinary comma `,`"),
    (re.compile(r"[＜＞＝≤≥≠]"), "write <, <=, >, >= or != with ordinary characters"),
    (re.compile(r"^=="), "a cell is compared by equality: write the value alone"),
    (re.compile(r"^=[<>]"), "write <= or >="),
    (re.compile(r"^[\[(]\s*[^,]+,[^,]+[\])]$"), "write a range with two dots: [1..5)"),
    (re.compile(r"^-?[\d.]+\s*(?:-|~|–|to|\.\.\.?)\s*-?[\d.]+$"), "write a range in brackets: [1..5) or [1..5]"),
    (re.compile(r"^-?\d{1,3}(?:[,_ ]\d{3})+$"), "write digits without separators"),
    (re.compile(r"^-?0\d+$"), "no leading zeros; a comma does not group digits, it makes a list"),
)


class Problem(NamedTuple):
    """Why a cell cannot be read: code, message and hint."""

    code: str
    message: str
    hint: str


class _UnreadableError(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def parse_cell(written: Any, column: Field, *, csv: bool = False) -> Cell | Problem | None:
    """The input cell that was written; none for "any"."""
    try:
        return _input(written, column, csv)
    except _UnreadableError as error:
        return Problem("table-cell", str(error), error.hint)


def parse_output(
    written: Any, column: Field, *, csv: bool = False, enums: Enums | None = None
) -> tuple[Any] | Problem | None:
    """The output value that was written, as a tuple of one; none where nothing was written.

    `enums` keeps the values of columns from one cell to the next.
    """
    if written is None or (csv and isinstance(written, str) and not written.strip()):
        return None
    try:
        return (_output(written, column, csv, {} if enums is None else enums),)
    except _UnreadableError as error:
        return Problem("table-cell", str(error), error.hint)


def is_template(value: Any) -> bool:
    """Whether `value` holds a template, so that nothing is known of it before run time."""
    if isinstance(value, str):
        return "{{" in value
    if isinstance(value, dict):
        return any(map(is_template, value.values()))
    return isinstance(value, (list, tuple)) and any(map(is_template, value))


def _input(written: Any, column: Field, csv: bool) -> Cell | None:
    if written is None:
        return None
    if is_template(written):
        if not isinstance(written, str):
            raise _UnreadableError(
                "a list of an input cell cannot hold a template", "give the template a row of its own"
            )
        return Cell(template=written.strip())
    if isinstance(written, str) and written.strip() in (_ANY if csv else _NOTHING):
        return None
    if column.type in {"list", "object"}:
        raise _UnreadableError(
            f"a column of type {column.type} cannot be compared", "use a template, or another column"
        )
    if isinstance(written, str):
        return _text_cell(written.strip() if csv or column.type != "string" else written, column, csv)
    items = written if isinstance(written, list) else [written]
    if not items:
        raise _UnreadableError("an empty list never hits", 'leave the cell out for "any"')
    return Cell(any_of=tuple(_literal(item, column, csv) for item in items))


def _text_cell(text: str, column: Field, csv: bool) -> Cell:
    if text in column.enum:
        return Cell(any_of=(text,))
    stripped = text.strip()
    if stripped[:1] in ("!", "n") and (negated := _NEGATED.fullmatch(stripped)):
        return _positive(negated[1].strip(), column, csv).model_copy(update={"negate": True})
    return _positive(text, column, csv)


def _positive(text: str, column: Field, csv: bool) -> Cell:
    stripped = text.strip()
    first = stripped[:1]
    if first in ("<", ">") and (compared := _COMPARISON.fullmatch(stripped)):
        return _compared(compared[1], compared[2].strip(), column)
    if first in ("[", "(") and (between := _RANGE.fullmatch(stripped)):
        return Cell(
            above=_limit(between[2], column),
            above_inclusive=between[1] == "[",
            below=_limit(between[3], column),
            below_inclusive=between[4] == "]",
        )
    items = _items(text) if csv else [text]
    if csv and any(comma in item for item in items for comma in "，、" if item[0] != '"' and item not in column.enum):
        raise _UnreadableError(f"{text!r} has a full-width comma", "a list takes `,`; a text with it, double quotes")
    return Cell(any_of=tuple(_literal(item, column, csv=True) for item in items))


def _compared(sign: str, text: str, column: Field) -> Cell:
    limit, inclusive = _limit(text, column), sign.endswith("=")
    if sign.startswith("<"):
        return Cell(below=limit, below_inclusive=inclusive)
    return Cell(above=limit, above_inclusive=inclusive)


def _items(text: str) -> list[str]:
    items, at = [], 0
    while at < len(text):
        match = _ITEM.match(text, at)
        if match is None:
            raise _UnreadableError(
                f"{text!r} is no list", "close the double quotes, or double one that stands in a text"
            )
        items.append(match[1])
        at = match.end()
    if "" in items or text.endswith(","):
        raise _UnreadableError(f"{text!r} has an empty item", "take the surplus comma out")
    return items


def _limit(text: str, column: Field) -> Any:
    if column.type not in ORDERED:
        raise _UnreadableError(
            f"a column of type {column.type} has no order to compare by",
            "make it a number or a date, or list its values",
        )
    return _literal(text, column, csv=True)


def _literal(value: Any, column: Field, csv: bool) -> Any:
    """`value` as one of the column's type; from text where `csv`, which says that all values come as text."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        value = value[1:-1].replace('""', '"')
    elif csv and isinstance(value, str):
        value = _from_text(value, column)
    if not _fits(value, column):
        raise _unfit(value, column)
    return value


def _from_text(text: str, column: Field) -> Any:
    if column.type == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if column.type in {"integer", "number"} and (number := _NUMBER.fullmatch(text)):
        return float(text) if number[1] or "e" in text.lower() else int(text)
    return text


def _fits(value: Any, column: Field) -> bool:
    if value is None or column.type in {"list", "object"}:
        return value is None
    if column.type in {"string", "boolean"}:
        return isinstance(value, str if column.type == "string" else bool)
    is_whole = column.type != "integer" or not isinstance(value, float) or value.is_integer()
    return order_of(value, column) is not None and is_whole


def _unfit(value: Any, column: Field) -> _UnreadableError:
    for pattern, hint in _LOOSE:
        if isinstance(value, str) and pattern.search(value):
            return _UnreadableError(f"{value!r} is no {column.type}", hint)
    shown = json.dumps(value) if isinstance(value, bool) else repr(value)
    hints = {"boolean": "write true or false", "date": "write dates as 2026-03-01", "string": "put it in quotes"}
    return _UnreadableError(f"{shown} is no {column.type}", hints.get(column.type, ""))


def _output(written: Any, column: Field, csv: bool, enums: Enums) -> Any:
    if is_template(written):
        return written.strip() if csv else written
    if column.type == "list":
        items = _items(written) if csv and isinstance(written, str) else written
        if not isinstance(items, list):
            raise _UnreadableError(f"{items!r} is no list", "write [a, b]")
        return [_output(item, column.items, csv, enums) for item in items] if column.items else items
    if column.type == "object":
        if not isinstance(written, dict):
            raise _UnreadableError(f"{written!r} is no object", "objects are written in YAML or given by a template")
        return written
    value = _literal(written.strip() if csv and isinstance(written, str) else written, column, csv)
    if column.enum and key_of(value, column) not in _keys(column, enums):
        raise _UnreadableError(f"{value!r} is not among the values of the column", f"allowed are {few(column.enum)}")
    return value


def _keys(column: Field, enums: Enums) -> set[Key]:
    if id(column) not in enums:
        enums[id(column)] = {key_of(one, column) for one in column.enum}
    return enums[id(column)]


def few(values: Sequence[Any]) -> str:
    """The values, or the first of many."""
    return f"{', '.join(map(str, values[:_FEW]))}{', …' if len(values) > _FEW else ''}"
