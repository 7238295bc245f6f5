"""JSON Schema for what fields cannot say: Draft 2020-12, no outside references, patterns on RE2."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import re2
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

REASON_LENGTH = 200


def schema_misfits(schema: Any, value: Any) -> Iterator[tuple[str, str]]:
    """Path and reason of everything in `value` that breaks `schema`."""
    for path, reason, _ in _breaches(schema, value):
        yield path, reason


def schema_places(schema: Any, value: Any) -> Iterator[str]:
    """The places in `schema` that `value` breaks, in words that hold nothing of the value's own."""
    for _, _, place in _breaches(schema, value):
        yield place


def _breaches(schema: Any, value: Any) -> Iterator[tuple[str, str, str]]:
    try:
        for error in _validator(json.dumps(schema, sort_keys=True)).iter_errors(value):
            place = ".".join(str(part) for part in error.absolute_schema_path)
            yield ".".join(str(part) for part in error.absolute_path), error.message[:REASON_LENGTH], place
    except Unresolvable as problem:
        yield _wrong(f"its schema refers to {problem.ref!r}, which is not in the spec")
    except re2.error as problem:
        yield _wrong(f"its schema has a pattern that RE2 refuses: {problem}")
    except RecursionError:
        yield _wrong("its schema refers to itself without end")


def _wrong(why: str) -> tuple[str, str, str]:
    return "", why, why


def _matches(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not re2.search(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_members(validator: Any, patterns: Mapping[str, Any], value: Any, _: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for pattern, inner in patterns.items():
            for name, member in value.items():
                if re2.search(pattern, name):
                    yield from validator.descend(member, inner, path=name, schema_path=pattern)


def _other_members(validator: Any, inner: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    patterns = schema.get("patternProperties", {})
    for name, member in value.items():
        if name in schema.get("properties", {}) or any(re2.search(pattern, name) for pattern in patterns):
            continue
        if inner is False:
            yield ValidationError(f"{name!r} is not a declared member")
        else:
            yield from validator.descend(member, inner, path=name)


_Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {"pattern": _matches, "patternProperties": _pattern_members, "additionalProperties": _other_members},
)


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    return _Validator(json.loads(schema), registry=Registry())
