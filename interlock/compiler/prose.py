"""Every text for people in a spec, as a whole with all its languages, wherever it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.spec.base import SpecModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.units import Unit
    from interlock.compiler.written import Path

KEYS = frozenset(
    {"title", "ask", "clarify", "note", "else_", "usage", "reply", "refuse", "handoff", "message", "text", "fail"}
)
"""Attributes that hold a Text."""

SKIPPED = frozenset({"value", "with_", "assume", "default", "set", "end", "schema_", "enum", "rules"})
"""Attributes that hold data, in which a key of the same name means nothing."""

_TEXTS = (str, dict)
_HOLDING = (SpecModel, dict, list)
"""What texts may stand within."""


def prose(unit: Unit) -> Iterator[tuple[Path, Any]]:
    """Path and Text, in the order of the models."""
    for key in ("title", "fallback"):
        if getattr(unit, key) is not None:
            yield (key,), getattr(unit, key)
    for parts in unit.own.values():
        for part in parts.values():
            if part.plural != "config":
                yield from _within(part.model, part.path)
    for key, items in unit.lists.items():
        for item in items:
            yield from _within(item.model, (key, item.index))
    yield from _within(unit.user, ("user",))
    yield from _within(unit.input, ("input",))
    yield from _within(unit.events, ("events",))
    if unit.message is not None:
        yield from _within(unit.message, ("message",))


def _within(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, SpecModel):
        yield from _model(value, path)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, _HOLDING):
                yield from _within(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if isinstance(inner, _HOLDING):
                yield from _within(inner, (*path, index))


def _model(model: SpecModel, path: Path) -> Iterator[tuple[Path, Any]]:
    for name, value in model.__dict__.items():
        if value is None or name in SKIPPED:
            continue
        if name in KEYS and isinstance(value, _TEXTS):
            yield (*path, _key(model, name)), value
        elif name == "options":
            yield from (((*path, name, index), text) for index, text in enumerate(value))
        elif isinstance(value, _HOLDING):
            yield from _within(value, (*path, _key(model, name)))


def _key(model: SpecModel, name: str) -> str:
    return type(model).model_fields[name].alias or name
