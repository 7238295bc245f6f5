"""Which arguments hold something that must never come from prose: identifiers, numbers, dates."""

import re

from interlock.spec.fields import Field

TOKENS = frozenset(
    {"id", "ids", "no", "nos", "num", "number", "code", "uuid", "key", "ref", "reference", "account", "iban", "sku"}
)
"""Words within an argument's name that make it an identifier."""

CHARACTERS = ("编号", "单号", "号码", "账号", "帐号", "证号", "编码", "代码")
"""The same in Chinese."""

TYPES = frozenset({"integer", "number", "date", "datetime"})
FORMATS = frozenset({"uuid", "date", "date-time", "email", "ipv4", "ipv6"})

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_identifier(name: str, field: Field) -> bool:
    """By the words of its name or title, its format, or its type."""
    words = {word.lower() for word in _WORD.findall(name)}
    titles = field.title.values() if isinstance(field.title, dict) else [field.title or ""]
    named = any(token in title for title in titles for token in CHARACTERS)
    return bool(words & TOKENS) or named or field.format in FORMATS or field.type in TYPES
