"""Which arguments hold something that must never come from prose: identifiers, numbers, dates."""

from interlock.plan.naming import names_identifier
from interlock.spec.fields import Field

TYPES = frozenset({"integer", "number", "date", "datetime"})
FORMATS = frozenset({"uuid", "date", "date-time", "ipv4", "ipv6"})


def is_identifier(name: str, field: Field) -> bool:
    """By the words of its name or title, its format, or its type."""
    titles = field.title.values() if isinstance(field.title, dict) else [field.title or ""]
    named = names_identifier(name) or any(names_identifier(title) for title in titles)
    return named or field.format in FORMATS or field.type in TYPES
