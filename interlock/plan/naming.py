"""Names that say what a value is: the documented words by which an argument is taken for an identifier."""

import re

IDENTIFIER_WORDS = frozenset(
    {"account", "code", "guid", "iban", "id", "identifier", "ids", "key", "no", "nos", "nr", "num", "number", "numbers"}
    | {"ref", "reference", "serial", "sku", "token", "uuid"}
)
"""Words of a name, split at underscores and capitals."""

IDENTIFIER_CHARACTERS = ("编号", "单号", "号码", "账号", "帐号", "证号", "编码", "代码", "标识")
"""The same in Chinese, anywhere in a name."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def names_identifier(name: str) -> bool:
    """Whether a name says that it holds an identifier."""
    words = {word.lower() for word in _WORD.findall(name)}
    return not words.isdisjoint(IDENTIFIER_WORDS) or any(part in name for part in IDENTIFIER_CHARACTERS)
