"""The table of filters: what each takes, gives and does. `default` and `show` are in the table but evaluated apart."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from interlock.expressions import lists, nodes, scalars
from interlock.expressions.nodes import Expr
from interlock.expressions.operations import render
from interlock.expressions.shapes import ANY, BOOLEAN, DATE, DATETIME, INTEGER, NUMBER, STRING, Kind, Shape
from interlock.expressions.times import zone

ArgKind = Literal["string", "needle", "field", "operator", "digits", "offset", "any"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One filter. `takes`: kinds of its input, empty for all; `args`: kinds of its arguments, so many `required`."""

    usage: str
    takes: tuple[Kind, ...]
    run: Callable[..., Any]
    gives: Callable[[Shape], Shape]
    args: tuple[ArgKind, ...] = ()
    required: int = 0

    def accepts(self, args: tuple[Expr, ...]) -> bool:
        """Whether these arguments can be evaluated."""
        number = self.required <= len(args) <= len(self.args)
        return number and all(fits(kind, arg) for kind, arg in zip(self.args, args, strict=False))


def always(shape: Shape) -> Callable[[Shape], Shape]:
    """The result has this shape whatever comes in."""
    return lambda _: shape


def item_of(shape: Shape) -> Shape:
    """An item of the list that comes in; an empty list has none."""
    return replace(shape.item or ANY, may_be_missing=True)


def itself(shape: Shape) -> Shape:
    """The same shape."""
    return shape.sure()


def number_like(shape: Shape) -> Shape:
    """Whole stays whole."""
    return INTEGER if shape.kind == "integer" else NUMBER


def total_of(shape: Shape) -> Shape:
    """Whole items have a whole sum."""
    return number_like(shape.item or ANY)


def _apart(*_: Any) -> Any:
    raise AssertionError("evaluated where the path is known")


NUMERIC: tuple[Kind, ...] = ("integer", "number")
LISTS: tuple[Kind, ...] = ("list",)
TEXTS: tuple[Kind, ...] = ("string",)
STAMPS: tuple[Kind, ...] = ("string", "date", "datetime")

FILTERS: dict[str, Rule] = {
    "show": Rule("show", (), _apart, always(STRING)),
    "default": Rule("default(value)", (), _apart, itself, ("any",), 1),
    "join": Rule("join(', ')", LISTS, lists.join, always(STRING), ("string",)),
    "length": Rule("length", ("list", "string", "object"), lists.length, always(INTEGER)),
    "first": Rule("first", LISTS, lists.first, item_of),
    "last": Rule("last", LISTS, lists.last, item_of),
    "map": Rule("map('field')", LISTS, lists.pick, itself, ("field",), 1),
    "any": Rule("any('field', '==', value)", LISTS, lists.any_of, always(BOOLEAN), ("field", "operator", "any"), 3),
    "all": Rule("all('field', '==', value)", LISTS, lists.all_of, always(BOOLEAN), ("field", "operator", "any"), 3),
    "sum": Rule("sum", LISTS, lists.total, total_of),
    "min": Rule("min", LISTS, lists.smallest, item_of),
    "max": Rule("max", LISTS, lists.largest, item_of),
    "round": Rule("round(2)", NUMERIC, scalars.rounded, always(NUMBER), ("digits",)),
    "abs": Rule("abs", NUMERIC, scalars.absolute, number_like),
    "sort": Rule("sort('field')", LISTS, lists.ordered, itself, ("field",)),
    "unique": Rule("unique", LISTS, lists.unique, itself),
    "lower": Rule("lower", TEXTS, scalars.lower, always(STRING)),
    "upper": Rule("upper", TEXTS, scalars.upper, always(STRING)),
    "trim": Rule("trim", TEXTS, scalars.trim, always(STRING)),
    "replace": Rule("replace('old', 'new')", TEXTS, scalars.replace, always(STRING), ("needle", "string"), 2),
    "number": Rule("number", ("string", "integer", "number"), scalars.number, number_like),
    "string": Rule("string", (), render, always(STRING)),
    "date": Rule("date('+08:00')", STAMPS, scalars.to_date, always(DATE), ("offset",)),
    "datetime": Rule("datetime('+08:00')", STAMPS, scalars.to_datetime, always(DATETIME), ("offset",)),
    "duration": Rule("duration", ("string", "duration"), scalars.to_seconds, always(NUMBER)),
}

TESTS: dict[str, str] = {
    "defined": "is defined",
    "none": "is none",
    "in": "is in [a, b]",
    "within": "is within('24h')",
    "older_than": "is older_than('7d')",
}
"""Test name to its usage."""

OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")
MAX_ROUND_DIGITS = 12
WANTED: dict[ArgKind, str] = {
    "string": "a text",
    "needle": "a text that is not empty",
    "field": "the name of a field in quotes",
    "operator": f"one of {', '.join(map(repr, OPERATORS))}",
    "digits": f"a whole number from 0 to {MAX_ROUND_DIGITS}",
    "offset": "an offset such as '+08:00'",
    "any": "a value",
}
"""What each kind of argument is, in words."""


def fits(kind: ArgKind, node: Expr) -> bool:
    """Whether an argument can be of its kind; some kinds have to be written out."""
    if not isinstance(node, nodes.Literal):
        return kind in ("string", "needle", "any")
    value = node.value
    match kind:
        case "any":
            return True
        case "digits":
            return type(value) is int and 0 <= value <= MAX_ROUND_DIGITS
        case "offset":
            return isinstance(value, str) and zone(value) is not None
        case "operator":
            return value in OPERATORS
        case "field":
            return isinstance(value, str) and all(value.split("."))
        case "needle":
            return isinstance(value, str) and value != ""
        case "string":
            return isinstance(value, str)
