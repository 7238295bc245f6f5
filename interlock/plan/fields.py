"""Whether a value is as a declared Field says: every misfit with its path. Nothing is coerced or filled in."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from interlock.contract.stored import is_reference
from interlock.plan.base import Field
from interlock.plan.formats import FORMATS, moment_of

SHOWN = 60
"""How much of a wrong value a reason shows."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Where a value is not as declared, and in what; `path` is dotted from the value that was checked."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason


def misfits_of(fields: Mapping[str, Field], value: Mapping[str, Any], path: str = "") -> Iterator[Misfit]:
    """What is wrong with the declared members of `value`; members that are not declared are not looked at."""
    return _members(fields, value, path, hidden=False)


def misfits(field: Field, value: Any, path: str = "", *, hidden: bool = False) -> Iterator[Misfit]:
    """What is wrong with one value; nothing, when it is as `field` says.

    A value is not quoted if it is `hidden`, or sensitive by its field.
    """
    return _value(field, value, path, hidden=hidden)


def _members(fields: Mapping[str, Field], value: Mapping[str, Any], path: str, *, hidden: bool) -> Iterator[Misfit]:
    for name, field in fields.items():
        inner = f"{path}.{name}" if path else name
        if value.get(name) is not None:
            yield from _value(field, value[name], inner, hidden=hidden)
        elif not field.optional and field.default is None:
            yield Misfit(inner, "null where a value is required" if name in value else "missing")


def _value(field: Field, value: Any, path: str, *, hidden: bool) -> Iterator[Misfit]:
    hidden = hidden or field.sensitive
    if field.stored:
        if not is_reference(value):
            yield Misfit(path, f"not a reference to a stored {field.type}" + ("" if hidden else f": {_shown(value)}"))
        return
    if not _TYPES[field.type](value):
        yield Misfit(path, f"not {_ARTICLES[field.type]}" + ("" if hidden else f": {_shown(value)}"))
        return
    for reason in _reasons(field, value):
        yield Misfit(path, f"{'the value' if hidden else _shown(value)} {reason}")
    if field.type == "list" and field.items is not None:
        for index, item in enumerate(value):
            yield from _value(field.items, item, f"{path}.{index}" if path else str(index), hidden=hidden)
    if field.type == "object" and field.fields is not None:
        yield from _members(field.fields, value, path, hidden=hidden)
    if field.json_schema is not None:
        from interlock.plan.schemas import schema_misfits  # noqa: PLC0415 - a tenth of a second that few plans need

        for inner, reason in schema_misfits(field.json_schema, value):
            place = ".".join(part for part in (path, inner) if part)
            yield Misfit(place, "the value does not fit its schema" if hidden else reason)


def only_declared(fields: Mapping[str, Field], value: Mapping[str, Any]) -> dict[str, Any]:
    """The declared part of `value` at every depth; a null is left out as if it were not there, a default stands in."""
    kept = {name: declared(field, value[name]) for name, field in fields.items() if value.get(name) is not None}
    defaults = {name: field.default for name, field in fields.items() if field.default is not None}
    return defaults | kept


def declared(field: Field, value: Any) -> Any:
    """The declared part of one value; a reference stays as it is."""
    if field.stored:
        return value
    if field.fields is not None and isinstance(value, dict):
        return only_declared(field.fields, value)
    if field.items is not None and isinstance(value, list):
        return [declared(field.items, item) for item in value]
    return value


def _reasons(field: Field, value: Any) -> Iterator[str]:
    if field.enum and not any(same(value, allowed) for allowed in field.enum):
        yield f"is not one of {', '.join(repr(allowed) for allowed in field.enum)}"
    if field.type == "string" and field.pattern and not _pattern(field.pattern).search(value):
        yield f"does not match {as_written(field.pattern)!r}"
    if field.type == "string" and field.format and not FORMATS[field.format](value):
        yield f"is not a valid {field.format}"
    if field.max_length is not None and field.type in ("string", "list") and len(value) > field.max_length:
        yield f"is longer than {field.max_length}"
    if field.type == "datetime" and moment_of(value, field.timezone).tzinfo is None:  # type: ignore[union-attr]
        yield "has no offset, and no `timezone` is declared"
    yield from _bounds(field, value)


def _bounds(field: Field, value: Any) -> Iterator[str]:
    measure = _MEASURES.get(field.type)
    if measure is None:
        return
    if field.min is not None and measure(value, field) < measure(field.min, field):
        yield f"is below {field.min}"
    if field.max is not None and measure(value, field) > measure(field.max, field):
        yield f"is above {field.max}"


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1 is not true, and "1" is not 1, at any depth."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(part, other[name]) for name, part in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(isinstance(one, bool) == isinstance(other, bool) and one == other)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "date": lambda value: isinstance(value, str) and FORMATS["date"](value),
    "datetime": lambda value: isinstance(value, str) and moment_of(value) is not None,
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}

_ARTICLES = {name: f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in _TYPES}

_MEASURES: dict[str, Callable[[Any, Field], Any]] = {
    "integer": lambda value, _: value,
    "number": lambda value, _: value,
    "date": lambda value, _: value,
    "datetime": lambda value, field: moment_of(value, field.timezone or "UTC"),
}


def as_written(pattern: str) -> str:
    """The pattern that an author has written, which a plan has of the whole text."""
    return pattern.removeprefix("^(?:").removesuffix(")$")


@lru_cache(maxsize=1024)
def _pattern(text: str) -> Any:
    return re2.compile(text)
