"""What an unquoted scalar means in YAML 1.2, and which ones are refused because their text would not survive."""

import math
import re
from typing import Any

NUMERIC = frozenset("0123456789+-.")
"""What everything begins with that any YAML reader could take for a number or a date."""

WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}
"""The unquoted words that are not text."""

VARIANTS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "Null": "null", "NULL": "null"}
"""Words that YAML takes for the ones above, and so changes."""

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,999}")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
_NUMBER = re.compile(
    r"[-+]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"
    r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t]+[0-9:.+\-Z \t]*)?")


def plain(text: str) -> tuple[Any, str]:
    """The value of an unquoted scalar, and what its text would be changed to ("" when it survives)."""
    if text in WORDS:
        return WORDS[text], ""
    if text in VARIANTS:
        return text, f"{VARIANTS[text]}"
    if text[0] not in NUMERIC:
        return text, ""
    if _INTEGER.fullmatch(text):
        return int(text), ""
    if _FLOAT.fullmatch(text) and repr(float(text)) == text:
        return float(text), ""
    if _DATE.fullmatch(text):
        return text, "a date"
    return text, _read_as(text) if _NUMBER.fullmatch(text) else ""


def _read_as(text: str) -> str:
    bare = text.replace("_", "").lower()
    if bare.endswith("nan"):
        return "not-a-number"
    if re.match(r"[-+]?0[xob]", bare):
        return f"the number {int(bare, 0)}" if len(bare) < 100 else "a number"
    number = float(bare.replace(".inf", "inf"))
    if math.isinf(number):
        return "infinity"
    return f"the number {number:.15g}" if abs(number) < 1e15 else "another number"


def remedy(text: str) -> str:
    """What to write instead of an unquoted scalar that would not survive."""
    quoted = "quote it: '" + text + "'"
    if text in VARIANTS:
        return f"write {VARIANTS[text]}, or {quoted}"
    if re.fullmatch(r"-?(?:[0-9]+\.[0-9]*|\.[0-9]+)", text):
        return f"{quoted}; or, for a number, write {float(text)!r}"
    return quoted
