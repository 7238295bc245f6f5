"""What the operators do with JSON values; the compiled code and the explaining interpreter both call these."""

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import floor, isfinite
from typing import Any

from interlock.expressions.limits import MAX_BITS, MAX_TEXT, Meter, bounded, spend
from interlock.expressions.outcomes import Missing, Several, unfit
from interlock.expressions.times import same_instant_order

MAX_DATA_DEPTH = 100
EXACT_IN_FLOAT = 2**53


def fetch(value: Any, key: str | int) -> Any:
    """An attribute of an object or an item of a list; never an attribute of a Python object."""
    if isinstance(value, dict):
        return value[key if key.__class__ is str else str(key)]
    if value.__class__ is list and key.__class__ is int:
        return value[key]
    raise LookupError(key)


def there(start: Any, keys: tuple[str | int, ...]) -> bool:
    """Whether a path can be read; a lazy root may say that it cannot."""
    try:
        for key in keys:
            start = fetch(start, key)
    except LookupError:
        return False
    except Missing as missing:
        if missing.reason != "missing":
            raise
        return False
    return True


def peek(start: Any, keys: tuple[str | int, ...]) -> Any:
    """The value of a path, or None where it cannot be read."""
    try:
        for key in keys:
            start = fetch(start, key)
    except LookupError:
        return None
    except Missing as missing:
        if missing.reason != "missing":
            raise
        return None
    return start


def same(meter: Meter, left: Any, right: Any, depth: int = 0) -> bool:
    """Equality of JSON: 1 equals 1.0, but true is not 1, not even inside lists and objects."""
    kind = left.__class__
    if kind is not right.__class__:
        kinds = {kind, right.__class__}
        if Several in kinds:
            raise Missing("", "ambiguous")
        return kinds == {int, float} and bool(left == right)
    if kind is list or kind is dict:
        if len(left) != len(right):
            return False
        spend(meter, len(left))
        if depth > MAX_DATA_DEPTH:
            raise Missing("", "too-large")
        if kind is list:
            return all(same(meter, one, other, depth + 1) for one, other in zip(left, right, strict=True))
        return all(key in right and same(meter, one, right[key], depth + 1) for key, one in left.items())
    return bool(left == right)


def in_order(left: Any, right: Any) -> tuple[Any, Any]:
    """Two values that Python may order as the language means it: numbers, or texts (instants if both are)."""
    one, other = left.__class__, right.__class__
    if one in (int, float) and other in (int, float):
        return left, right
    if one is str and other is str:
        return same_instant_order(left, right)
    raise unfit(_odd(left, right))


def _odd(left: Any, right: Any) -> Any:
    """Of two values that do not go together the one to blame: none, else an ambiguous one."""
    if left is None or right is None:
        return None
    return right if right.__class__ is Several else left


def less(left: Any, right: Any) -> bool:
    """`left < right`."""
    one, other = in_order(left, right)
    return bool(one < other)


def at_most(left: Any, right: Any) -> bool:
    """`left <= right`."""
    one, other = in_order(left, right)
    return bool(one <= other)


def more(left: Any, right: Any) -> bool:
    """`left > right`."""
    return less(right, left)


def at_least(left: Any, right: Any) -> bool:
    """`left >= right`."""
    return at_most(right, left)


ORDERS: dict[str, Callable[[Any, Any], bool]] = {"<": less, "<=": at_most, ">": more, ">=": at_least}


def contains(meter: Meter, item: Any, box: Any) -> bool:
    """`item in box`: a member of a list, or a part of a text."""
    if box.__class__ is list:
        spend(meter, len(box))
        if item.__class__ is str:
            return item in box
        return any(same(meter, item, member) for member in box)
    if box.__class__ is str and item.__class__ is str:
        spend(meter, len(box) // 64)
        return item in box
    raise unfit(_odd(item, box))


def compare(meter: Meter, op: str, left: Any, right: Any) -> bool:
    """Any comparison by its sign."""
    match op:
        case "==":
            return same(meter, left, right)
        case "!=":
            return not same(meter, left, right)
        case "in":
            return contains(meter, left, right)
        case "not in":
            return not contains(meter, left, right)
        case _:
            return ORDERS[op](left, right)


def fraction(value: Any) -> Fraction:
    """A number as the exact value of its decimal digits."""
    if value.__class__ is int:
        if value.bit_length() > MAX_BITS:
            raise Missing("", "too-large")
        return Fraction(value)
    if value.__class__ is float and isfinite(value):
        return Fraction(Decimal(repr(value)))
    raise unfit(value)


def number_of(value: Fraction) -> int | float:
    """The nearest number that JSON holds: whole numbers beyond a float's precision stay whole."""
    if value.denominator == 1 and abs(value.numerator) >= EXACT_IN_FLOAT:
        return whole(value.numerator)
    try:
        return float(value)
    except OverflowError:
        raise Missing("", "too-large") from None


def whole(value: int) -> int:
    """A computed integer, refused over the bound."""
    if value.bit_length() > MAX_BITS:
        raise Missing("", "too-large")
    return value


def add(left: Any, right: Any) -> int | float:
    """`left + right`, for numbers only."""
    if left.__class__ is int and right.__class__ is int:
        return whole(left + right)
    return number_of(fraction(left) + fraction(right))


def subtract(left: Any, right: Any) -> int | float:
    """`left - right`."""
    if left.__class__ is int and right.__class__ is int:
        return whole(left - right)
    return number_of(fraction(left) - fraction(right))


def multiply(left: Any, right: Any) -> int | float:
    """`left * right`."""
    one, other = fraction(left), fraction(right)
    if left.__class__ is int and right.__class__ is int:
        return whole(left * right)
    return number_of(one * other)


def divide(left: Any, right: Any) -> int | float:
    """`left / right`: whole when it comes out even, else the nearest number with a fraction."""
    one, other = fraction(left), fraction(right)
    if not other:
        raise Missing("", "zero-division")
    result = one / other
    if result.denominator == 1 and left.__class__ is int and right.__class__ is int:
        return result.numerator
    return number_of(result)


def floor_divide(left: Any, right: Any) -> int:
    """`left // right`, a whole number."""
    one, other = fraction(left), fraction(right)
    if not other:
        raise Missing("", "zero-division")
    return whole(floor(one / other))


def remainder(left: Any, right: Any) -> int | float:
    """`left % right`, with the sign of the right side."""
    one, other = fraction(left), fraction(right)
    if not other:
        raise Missing("", "zero-division")
    if left.__class__ is int and right.__class__ is int:
        return int(left % right)
    return number_of(one - other * floor(one / other))


ARITHMETIC: dict[str, Callable[[Any, Any], int | float]] = {
    "+": add, "-": subtract, "*": multiply, "/": divide, "//": floor_divide, "%": remainder,
}  # fmt: skip


def negate(value: Any) -> int | float:
    """`-value`."""
    return subtract(0, value)


def render(meter: Meter, value: Any) -> str:
    """A value as text in a template: texts as they are, numbers digit for digit, lists and objects as JSON."""
    kind = value.__class__
    if kind is str:
        return bounded(meter, value)
    if value is None:
        raise Missing("", "missing")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        raise Missing("", "too-large") from None
    except TypeError:
        raise Missing("", "type") from None
    return bounded(meter, text)


def concat(meter: Meter, *items: Any) -> str:
    """`a ~ b`."""
    return finish([render(meter, item) for item in items])


def finish(parts: list[str]) -> str:
    """The parts of a page as one text, refused over the bound before it is made."""
    if sum(map(len, parts)) > MAX_TEXT:
        raise Missing("", "too-large")
    return "".join(parts)


def joined(meter: Meter, values: list[Any]) -> str:
    """The text of a template without blocks: texts as they are, counted together, everything else rendered."""
    try:
        size = sum(map(len, values))
        text = "".join(values) if size <= MAX_TEXT else None
    except TypeError:
        return finish([render(meter, value) for value in values])
    if text is None:
        raise Missing("", "too-large")
    meter[0] -= len(values) + size // 64  # as `spend`; never less than what they cost one by one
    if meter[0] < 0:
        raise Missing("", "too-large")
    return text


def each(meter: Meter, items: Any) -> list[Any]:
    """The rounds of a loop."""
    if items.__class__ is not list:
        raise unfit(items)
    spend(meter, len(items))
    return items


def place(index: int, count: int) -> dict[str, Any]:
    """What `loop` is in the round with this number, counted from 1."""
    return {"index": index, "first": index == 1, "last": index == count}


def shown(meter: Meter, context: Any, value: Any, path: str) -> str:
    """`value | show`: the title of a code in the reader's language, by the context's own function."""
    if value is None:
        raise Missing("", "missing")
    return bounded(meter, context["$show"](value, path))


def text_of(value: Any) -> str:
    """The text a filter works on."""
    if value.__class__ is not str:
        raise unfit(value)
    return value
