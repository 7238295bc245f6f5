"""Every expression, text and value template in a plan, found by the names of the fields that hold them."""

from collections.abc import Iterator
from typing import Any

from interlock.plan.base import Part
from interlock.plan.plan import Plan
from interlock.plan.templates import paths_in
from interlock.plan.tools import Server

EXPRESSIONS = frozenset({"when", "that", "until"})
TEXTS = frozenset(
    {"title", "text", "otherwise", "ask", "clarify", "note", "usage", "message", "options", "waiting"}
    | {"instructions", "fallback", "guidance", "found", "not_found", "unrecognized", "handoff", "goal"}
)
VALUES = frozenset(
    {"bind", "assume", "values", "value", "default", "then", "template", "each", "key", "time", "gives"}
    | {"requester", "language", "query"}
)

TOLD = frozenset({"args", "payload"})
"""What a response may say of a call, beside its result."""


def expressions_of(plan: Plan) -> set[str]:
    """The distinct bare expressions."""
    return {value for name, value in _fields(plan) if name in EXPRESSIONS and isinstance(value, str) and value}


def texts_of(plan: Plan) -> set[str]:
    """The distinct texts for people, in every language."""
    found: set[str] = set()
    for name, value in _fields(plan):
        if name in TEXTS:
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, dict):
                    found.update(text.values())
    return found


def values_of(plan: Plan) -> Iterator[Any]:
    """Values that may hold templates: each value of a map of them by itself."""
    for name, value in _fields(plan):
        if name in VALUES:
            if isinstance(value, dict):
                yield from value.values()
            yield value


def told_in(plan: Plan) -> frozenset[str]:
    """Which of `TOLD` the responses of the plan read."""
    texts = [response.text for response in plan.responses.values() if response.text is not None]
    return TOLD & {path.partition(".")[0] for text in texts for path in paths_in(text)}


def variables_of(plan: Plan) -> set[str]:
    """The variables that some `set` step gives a value."""
    return {name for key, value in _fields(plan) if key == "values" for name in value}


def _fields(part: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(part, Server):
        return
    if isinstance(part, Part):
        for name in type(part).model_fields:
            value = getattr(part, name)
            yield name, value
            yield from _fields(value)
    elif isinstance(part, dict):
        for value in part.values():
            yield from _fields(value)
    elif isinstance(part, tuple):
        for value in part:
            yield from _fields(value)
