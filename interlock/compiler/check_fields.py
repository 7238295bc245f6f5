"""Fields, wherever they stand: keys that the type has no use for, bounds, patterns, formats, values that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.findings import suggestion
from interlock.compiler.literals import fits_type, is_zone, misfit, misfit_among, schema_problem
from interlock.compiler.walk import all_steps
from interlock.compiler.written import has_template
from interlock.contract.stored import STORABLE
from interlock.plan.formats import FORMATS
from interlock.text.patterns import pattern_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location
    from interlock.spec.fields import Field

ONLY_WITH = {
    "pattern": ("string",),
    "format": ("string",),
    "max_length": ("string", "list"),
    "min": ("integer", "number", "date", "datetime"),
    "max": ("integer", "number", "date", "datetime"),
    "items": ("list",),
    "fields": ("object",),
    "timezone": ("datetime",),
    "stored": STORABLE,
}
"""The types that a key means something for."""


def check_fields(project: Project, findings: Findings) -> None:
    """All fields of all specs."""
    for unit in project.everything:
        for path, field in fields_of(unit):
            for check in _CHECKS:
                check(unit, path, field, findings)


def fields_of(unit: Unit) -> Iterator[tuple[Path, Field]]:
    """Every field with its path, those within others too."""
    yield from _named(unit.user, ("user",))
    yield from _named((unit.message and unit.message.metadata) or {}, ("message", "metadata"))
    yield from _named(unit.input, ("input",))
    for name, event in unit.events.items():
        yield from _named(event, ("events", name))
    for step in all_steps(unit):
        if step.action == "generate":
            yield from _named(step.model.output or {}, (*step.path, "output"))
    for part in unit.parts("tools").values():
        yield from _named(part.model.input or {}, (*part.path, "input"))
        yield from _named(part.model.output or {}, (*part.path, "output"))
    for part in unit.parts("decisions").values():
        yield from _named(part.model.inputs, (*part.path, "inputs"))
        yield from _named(part.model.outputs, (*part.path, "outputs"))


def _named(fields: Any, path: Path) -> Iterator[tuple[Path, Field]]:
    for name, field in fields.items():
        yield from _with_inner(field, (*path, name))


def _with_inner(field: Field, path: Path) -> Iterator[tuple[Path, Field]]:
    yield path, field
    if field.items is not None:
        yield from _with_inner(field.items, (*path, "items"))
    yield from _named(field.fields or {}, (*path, "fields"))


def _keys(unit: Unit, path: Path, field: Field, findings: Findings) -> None:
    for key, types in ONLY_WITH.items():
        if key in field.model_fields_set and field.type not in types:
            message = f"{key!r} means nothing for type {field.type!r}"
            hint = f"it is for {' and '.join(types)}"
            findings.error("key-without-effect", message, unit.key(*path, key), hint=hint)
    if field.optional and field.default is not None:
        message = "`optional` says nothing beside `default`: a field with a default may be left out"
        findings.error("key-without-effect", message, unit.key(*path, "optional"))


def _pattern(unit: Unit, path: Path, field: Field, findings: Findings) -> None:
    if field.pattern and (problem := pattern_problem(field.pattern)):
        findings.error("bad-pattern", problem[0], unit.value(*path, "pattern"), hint=problem[1])
    if field.format and field.format not in FORMATS:
        message = f"there is no format {field.format!r}"
        findings.error("unknown-format", message, unit.value(*path, "format"), hint=suggestion(field.format, FORMATS))


def _bounds(unit: Unit, path: Path, field: Field, findings: Findings) -> None:
    for key in ("min", "max"):
        bound = getattr(field, key)
        if bound is not None and field.type in ONLY_WITH[key] and not fits_type(field, bound):
            findings.error("type-mismatch", f"{bound!r} is no {field.type}", unit.value(*path, key))
            return
    if field.min is not None and field.max is not None and _above(field.min, field.max):
        message = f"no value is at least {field.min!r} and at most {field.max!r}"
        findings.error("empty-range", message, unit.value(*path, "max"))


def _above(low: Any, high: Any) -> bool:
    return bool(low > high) if isinstance(low, str) == isinstance(high, str) else False


def _values(unit: Unit, path: Path, field: Field, findings: Findings) -> None:
    for index, problem in enumerate(_among(field)):
        if problem is not None:
            findings.error(*problem, unit.value(*path, "enum", index))
    if has_template(field.default):
        message = "the `default` of a field is not computed"
        findings.error("template-not-here", message, unit.value(*path, "default"))
    elif field.default is not None:
        problem = _problem(field, field.default, misfit(field, field.default))
        if problem is not None:
            findings.error(*problem, unit.value(*path, "default"))


def _among(field: Field) -> list[tuple[str, str] | None]:
    """What is wrong with each value of an `enum`, by all else that the field says."""
    if not field.enum:
        return []
    found = misfit_among(field.model_copy(update={"enum": None}), field.enum)
    return [_problem(field, *one) for one in zip(field.enum, found, strict=True)]


def _problem(field: Field, value: Any, misfit: str) -> tuple[str, str] | None:
    if not fits_type(field, value):
        return "type-mismatch", f"{value!r} is no {field.type}"
    return ("misfit", misfit) if misfit else None


def _timezone(unit: Unit, path: Path, field: Field, findings: Findings) -> None:
    if field.timezone:
        check_timezone(field.timezone, unit.value(*path, "timezone"), findings)


def check_timezone(name: str, place: Location, findings: Findings) -> None:
    """Whether there is a time zone of this name."""
    if not is_zone(name):
        findings.error("unknown-timezone", f"there is no time zone {name!r}", place, hint="write it as `Asia/Shanghai`")


def _schema(unit: Unit, path: Path, field: Field, findings: Findings) -> None:
    if field.schema_ is None:
        return
    if error := schema_problem(field.schema_):
        place = unit.value(*path, "schema", *error.absolute_path)
        findings.error("bad-schema", f"not a JSON Schema: {error.message}", place)
    for inner, reference in _references(field.schema_, (*path, "schema")):
        if not reference.startswith("#"):
            message = f"a schema refers to itself only, not to {reference!r}"
            findings.error("bad-schema", message, unit.value(*inner), hint="copy the part into the schema")


def _references(schema: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str):
                yield (*path, key), value
            yield from _references(value, (*path, key))
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from _references(value, (*path, index))


_CHECKS: tuple[Callable[[Unit, Path, Field, Findings], None], ...] = (
    _keys,
    _pattern,
    _bounds,
    _values,
    _timezone,
    _schema,
)
