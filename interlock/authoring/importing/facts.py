"""What a schema says of a value beside its type: allowed values, bounds, formats, patterns, lengths."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.authoring.importing import prose
from interlock.authoring.importing.regular import as_whole

if TYPE_CHECKING:
    from interlock.authoring.importing.gathering import Gathered
    from interlock.authoring.importing.operations import Shape

FORMATS = frozenset({"email", "ipv4", "ipv6", "time", "uri", "uuid"})
"""Formats that keep their name."""
SILENT = frozenset({"int32", "int64", "float", "double", "password", "date", "date-time"})
"""Formats that a type says already, or whose digits JSON keeps."""
MOST_VALUES = 200
MOST_DIGITS = 30
_NUMBER = re.compile(r"[-+]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?")


def facts_of(found: Gathered, shape: Shape) -> Shape:
    """`shape` with the keys of a Field that `found` calls for."""
    facts: dict[str, Any] = {}
    notes: list[str] = list(shape.notes)
    null = shape.nullable
    kind = shape.type
    if kind == "string":
        kind = _format(found, facts, notes)
        _pattern(found, facts, notes, kind)
    if kind in ("string", "list"):
        _lengths(found, facts, kind)
    if kind in ("integer", "number"):
        _bounds(found, facts, notes, kind)
    if kind in ("string", "integer", "number", "boolean", "date", "datetime"):
        null |= _allowed(found, facts, notes, kind)
    if (part := found.first("default")) is not None:
        default = json.dumps(part.value["default"], ensure_ascii=False)
        notes.append(f"the service's default is {prose.line(default, 60)}")
    return replace(shape, type=kind, facts=facts, notes=tuple(notes), nullable=null)


def _format(found: Gathered, facts: dict[str, Any], notes: list[str]) -> str:
    """The type that a text has by its format."""
    name = found.text("format")
    if name in ("date", "date-time"):
        return name.replace("-", "")
    if name == "password":
        facts["sensitive"] = True
    elif name in FORMATS:
        facts["format"] = name
    elif name and name not in SILENT:
        notes.append(f"format {prose.line(name, 40)}")
    return "string"


def _pattern(found: Gathered, facts: dict[str, Any], notes: list[str], kind: str) -> None:
    written = found.text("pattern")
    if not written:
        return
    pattern = as_whole(written) if kind == "string" and prose.is_clean(written) else ""
    if pattern:
        facts["pattern"] = pattern
    else:
        notes.append(f"a pattern that was not taken over: {prose.line(written, 100)}")


def _lengths(found: Gathered, facts: dict[str, Any], kind: str) -> None:
    least, most = ("minLength", "maxLength") if kind == "string" else ("minItems", "maxItems")
    low, high = number(found, least), number(found, most)
    if isinstance(high, int) and high >= 0:
        facts["max_length"] = high
    if isinstance(low, int) and low > 0 and "pattern" not in facts and (high is None or low <= high):
        facts["schema"] = {least: low}


def _bounds(found: Gathered, facts: dict[str, Any], notes: list[str], kind: str) -> None:
    low, above = _bound(found, "minimum", "exclusiveMinimum")
    high, below = _bound(found, "maximum", "exclusiveMaximum")
    if kind == "integer":
        low = None if low is None else math.floor(low) + 1 if above else math.ceil(low)
        high = None if high is None else math.ceil(high) - 1 if below else math.floor(high)
    elif excluded := {
        key: bound for key, bound, is_ in (("exclusiveMinimum", low, above), ("exclusiveMaximum", high, below)) if is_
    }:
        facts["schema"] = excluded
    if low is not None and high is not None and low > high:
        notes.append(f"no number is at least {low} and at most {high}")
        return
    facts |= {key: bound for key, bound in (("min", low), ("max", high)) if bound is not None}


def _bound(found: Gathered, key: str, exclusive: str) -> tuple[int | float | None, bool]:
    """The smallest or largest number, and whether it is excluded itself."""
    part = found.first(exclusive)
    if part is None or isinstance(part.value[exclusive], bool):
        bound = number(found, key)
        return bound, bound is not None and part is not None and part.value[exclusive] is True
    bound = number(found, exclusive)
    return bound, bound is not None


def _allowed(found: Gathered, facts: dict[str, Any], notes: list[str], kind: str) -> bool:
    """The only values allowed; whether null is one of them."""
    part = found.first("enum")
    if part is not None:
        values = [one.value for one in part.items("enum")]
    elif (part := found.first("const")) is not None:
        values = [part.value["const"]]
    else:
        return False
    kept = [_as(kind, value) for value in values if value is not None]
    if not kept or len(kept) > MOST_VALUES or None in kept:
        notes.append("its allowed values were not taken over")
    else:
        facts["enum"] = list(dict.fromkeys(kept))
        for key in ("pattern", "format", "schema", "max_length"):
            facts.pop(key, None)
    return None in values


def _as(kind: str, value: Any) -> Any:
    """An allowed value as its type has it; None where it has another."""
    if kind == "string" and isinstance(value, int | str):
        text = json.dumps(value) if isinstance(value, int) else value
        return text if prose.is_clean(text) else None
    fits = {"boolean": isinstance(value, bool), "integer": _is_whole(value), "number": _is_number(value)}
    return value if fits.get(kind) else None


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**MOST_DIGITS


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and "e" not in repr(value))


def number(found: Gathered, key: str) -> int | float | None:
    """The number under a key, also one that YAML has kept as text; none that a spec could not hold to the digit."""
    part = found.first(key)
    if part is None:
        return None
    value = part.value[key]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        part.get(key).unexpected("a number")
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return value if _is_number(value) else None
