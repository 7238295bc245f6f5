"""From written fields and texts to those of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.plan.base import EVERY_LANGUAGE
from interlock.plan.base import Field as PlanField
from interlock.spec.durations import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from interlock.plan.base import Text
    from interlock.spec.fields import Field


def text(written: Any) -> Text:
    """A text by language; one string is the same in all."""
    return {EVERY_LANGUAGE: written} if isinstance(written, str) else dict(written)


def maybe_text(written: Any) -> Text | None:
    """A text, if there is one."""
    return None if written is None else text(written)


def texts(written: Iterable[Any] | None) -> tuple[Text, ...]:
    """Texts in order."""
    return tuple(text(item) for item in written or ())


def maybe_ms(duration: str | None) -> int | None:
    """A duration in milliseconds, if there is one."""
    return None if duration is None else milliseconds(duration)


def fields(written: Mapping[str, Field] | None) -> dict[str, PlanField]:
    """Fields by name."""
    return {name: PlanField(**field_values(field)) for name, field in (written or {}).items()}


def field_values(field: Field) -> dict[str, Any]:
    """What a plan's Field, or a part that is one, takes over from the written one; a pattern is of the whole text."""
    return {
        "type": field.type,
        "title": maybe_text(field.title),
        "description": field.description,
        "enum": tuple(field.enum or ()),
        "pattern": f"^(?:{field.pattern})$" if field.pattern else "",
        "format": field.format,
        "min": field.min,
        "max": field.max,
        "max_length": field.max_length,
        "timezone": field.timezone,
        "items": None if field.items is None else PlanField(**field_values(field.items)),
        "fields": None if field.fields is None else fields(field.fields),
        "optional": field.optional,
        "default": field.default,
        "sensitive": field.sensitive,
        "stored": field.stored,
        "json_schema": field.schema_,
    }


def is_sensitive(field: Field) -> bool:
    """Whether a field, or one within it, is declared so."""
    inner = [*(field.fields or {}).values(), *([field.items] if field.items is not None else ())]
    return field.sensitive or any(map(is_sensitive, inner))
