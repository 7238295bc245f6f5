"""Values that are written out: held against their fields by the very check that a run makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from interlock.compiler.lower_fields import field_values
from interlock.compiler.shapes import may_become, whole_shape
from interlock.expressions.shapes import shape_of
from interlock.plan.base import Field as PlanField
from interlock.plan.fields import misfits
from interlock.plan.formats import FORMATS
from interlock.text.patterns import pattern_problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jsonschema.exceptions import SchemaError

    from interlock.spec.fields import Field


def misfit(field: Field, value: Any) -> str:
    """In what a value of the right type is not as the field says; empty if it is, or if the field itself is wrong."""
    return misfit_among(field, [value])[0]


def misfit_among(field: Field, values: Sequence[Any]) -> list[str]:
    """The same for several values."""
    if not _is_sound(field):
        return [""] * len(values)
    declared = PlanField(**field_values(field))
    return [next((str(one) for one in misfits(declared, value)), "") for value in values]


def fits_type(field: Field, value: Any) -> bool:
    """Whether a value can be one of the field's type; a date or time is one that there is."""
    if not may_become(shape_of(value), whole_shape(field)):
        return False
    if field.type not in ("date", "datetime") or not is_zone(field.timezone):
        return True
    return not any(misfits(PlanField(type=field.type, timezone=field.timezone), value))


def is_zone(name: str) -> bool:
    """Whether there is a time zone of this name, or none is named."""
    try:
        return not name or bool(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False


def schema_problem(schema: dict[str, Any]) -> SchemaError | None:
    """What is wrong with a JSON Schema."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a tenth of a second that few specs need
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - as above

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return error
    return None


def _is_sound(field: Field) -> bool:
    """Whether a value can be held against a field, and those within it."""
    inner = [*(field.fields or {}).values(), *([field.items] if field.items is not None else ())]
    return (
        not field.stored  # no reference can be written
        and not (field.pattern and pattern_problem(field.pattern))
        and (not field.format or field.format in FORMATS)
        and is_zone(field.timezone)
        and all(bound is None or fits_type(field, bound) for bound in (field.min, field.max))
        and (field.schema_ is None or schema_problem(field.schema_) is None)
        and all(map(_is_sound, inner))
    )
