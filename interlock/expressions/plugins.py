"""Filters and tests that other packages bring, by the entry points `interlock.filters` and `interlock.tests`.

A plug-in is a pure function of a JSON value and literal arguments (`now` comes as a text); a filter gives JSON, a test
a boolean. It is loaded when its name is first met.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Literal

from interlock.expressions.limits import Meter, bounded, spend
from interlock.expressions.operations import MAX_DATA_DEPTH
from interlock.expressions.outcomes import Missing, Several, unfit
from interlock.expressions.problems import ExpressionError, Problem

Group = Literal["filters", "tests"]


@lru_cache(maxsize=256)
def plugin(group: Group, name: str) -> Callable[..., Any] | None:
    """The function of that name, or None when no package brings it."""
    for found in entry_points(group=f"interlock.{group}", name=name):
        function: Callable[..., Any] = found.load()
        return function
    return None


def needed(group: Group, name: str, at: int) -> Callable[..., Any]:
    """The function of that name; raises ExpressionError when there is none."""
    function = plugin(group, name)
    if function is None:
        raise ExpressionError(Problem(f"unknown-{group[:-1]}", f"unknown {group[:-1]} {name!r}", at))
    return function


def plugin_names(group: Group) -> list[str]:
    """The names that installed packages bring, for suggestions."""
    return sorted(found.name for found in entry_points(group=f"interlock.{group}"))


def apply(meter: Meter, function: Callable[..., Any], value: Any, *args: Any) -> Any:
    """Call a plug-in; what it cannot take is unreadable, what it gives must be JSON within the bounds."""
    if value is None or value.__class__ is Several:
        raise unfit(value)
    try:
        result = function(value, *args)
    except (ValueError, TypeError, LookupError, ArithmeticError):
        raise Missing("", "unreadable") from None
    check_json(meter, result, 0)
    return result


def check_json(meter: Meter, value: Any, depth: int) -> None:
    """Refuse what is not JSON, or too much of it."""
    spend(meter, 1)
    if depth > MAX_DATA_DEPTH:
        raise Missing("", "too-large")
    if value.__class__ is str:
        bounded(meter, value)
    elif value.__class__ is list:
        for item in value:
            check_json(meter, item, depth + 1)
    elif value.__class__ is dict:
        for key, item in value.items():
            check_json(meter, key, depth + 1)
            check_json(meter, item, depth + 1)
    elif value is not None and value.__class__ not in (bool, int, float):
        raise Missing("", "type")
