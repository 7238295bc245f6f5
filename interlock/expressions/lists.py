"""Filters over lists; each visits every item at most a few times and counts the visits."""

import json
from collections.abc import Callable, Iterator
from functools import cmp_to_key
from typing import Any

from interlock.expressions.limits import MAX_TEXT, Meter, spend
from interlock.expressions.operations import compare, fetch, less, number_of, render, text_of, whole
from interlock.expressions.operations import fraction as exact
from interlock.expressions.outcomes import Missing, Several, unfit


def items_of(meter: Meter, value: Any) -> list[Any]:
    """The list a filter works on, its items counted as work."""
    if value.__class__ is not list:
        raise unfit(value)
    spend(meter, len(value))
    return value


def field_of(item: Any, path: str) -> Any:
    """A field of one item by its dotted path."""
    for key in path.split("."):
        try:
            item = fetch(item, int(key) if key.isascii() and key.isdigit() else key)
        except LookupError:
            raise Missing(path, "missing") from None
    return item


def join(meter: Meter, value: Any, separator: str = "") -> str:
    """The items as one text."""
    parts, size, separator = [], 0, text_of(separator)
    for item in items_of(meter, value):
        parts.append(render(meter, item))
        size += len(parts[-1]) + len(separator)
        if size > MAX_TEXT:
            raise Missing("", "too-large")
    return separator.join(parts)


def length(_: Meter, value: Any) -> int:
    """The number of items, attributes or characters."""
    if isinstance(value, str | list | dict) and value.__class__ is not Several:
        return len(value)
    raise unfit(value)


def first(meter: Meter, value: Any) -> Any:
    """The first item; missing when there is none."""
    return _end_of(meter, value, 0)


def last(meter: Meter, value: Any) -> Any:
    """The last item; missing when there is none."""
    return _end_of(meter, value, -1)


def _end_of(meter: Meter, value: Any, index: int) -> Any:
    items = items_of(meter, value)
    if not items:
        raise Missing("", "missing")
    return items[index]


def pick(meter: Meter, value: Any, path: str) -> list[Any]:
    """`map('field')`: one field of every item."""
    return [field_of(item, path) for item in items_of(meter, value)]


def _verdicts(meter: Meter, value: Any, path: str, op: str, other: Any) -> Iterator[bool]:
    for item in items_of(meter, value):
        yield compare(meter, op, field_of(item, path), other)


def any_of(meter: Meter, value: Any, path: str, op: str, other: Any) -> bool:
    """Whether the comparison holds for an item; items are asked in order, up to the first."""
    return any(_verdicts(meter, value, path, op, other))


def all_of(meter: Meter, value: Any, path: str, op: str, other: Any) -> bool:
    """Whether the comparison holds for every item; items are asked in order, up to the first where it does not."""
    return all(_verdicts(meter, value, path, op, other))


def total(meter: Meter, value: Any) -> int | float:
    """The sum: whole numbers are added as such, fractions by their decimal digits."""
    items = items_of(meter, value)
    if all(item.__class__ is int for item in items):
        return whole(sum(items))
    spend(meter, 9 * len(items))
    return number_of(sum(map(exact, items), start=exact(0)))


def smallest(meter: Meter, value: Any) -> Any:
    """The least item; missing when there is none."""
    return _extreme(meter, value, less)


def largest(meter: Meter, value: Any) -> Any:
    """The greatest item; missing when there is none."""
    return _extreme(meter, value, lambda left, right: less(right, left))


def _extreme(meter: Meter, value: Any, before: Callable[[Any, Any], bool]) -> Any:
    items = items_of(meter, value)
    if not items:
        raise Missing("", "missing")
    best = items[0]
    for item in items:
        if before(item, best):
            best = item
    return best


def ordered(meter: Meter, value: Any, path: str = "") -> list[Any]:
    """`sort`, or `sort('field')`: stable, least first; all must be numbers, or all texts."""
    items = items_of(meter, value)
    spend(meter, len(items) * len(items).bit_length())
    keys = [field_of(item, path) for item in items] if path else items
    by_key = cmp_to_key(_before_or_after)
    if len(items) == 1:
        less(keys[0], keys[0])
    return [item for _, item in sorted(zip(keys, items, strict=True), key=by_key)]


def _before_or_after(left: tuple[Any, Any], right: tuple[Any, Any]) -> int:
    return less(right[0], left[0]) - less(left[0], right[0])


def unique(meter: Meter, value: Any) -> list[Any]:
    """Every item once, in order of appearance."""
    seen: dict[Any, Any] = {}
    for item in items_of(meter, value):
        seen.setdefault(_identity(meter, item), item)
    return list(seen.values())


def _identity(meter: Meter, item: Any) -> Any:
    """A key that is equal for equal JSON values only."""
    if item.__class__ is bool or item is None:
        return (item,)
    if isinstance(item, str | int | float):
        return item
    try:
        text = json.dumps(item, sort_keys=True)
    except (ValueError, TypeError, RecursionError):
        raise Missing("", "too-large") from None
    spend(meter, len(text) // 64)
    return ("json", text)
