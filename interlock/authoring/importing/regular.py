"""Patterns of JSON Schema, which look for a part of a text, as patterns of a Field, which match the whole of it."""

import re

from interlock.text.patterns import pattern_problem

_CODE = re.compile(r"\\u([0-9A-Fa-f]{4})")
_LONGEST = 1_000
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)


def as_whole(pattern: str) -> str:
    """The pattern for a whole text; "" if RE2 does not take it."""
    if len(pattern) > _LONGEST:
        return ""
    written = _CODE.sub(r"\\x{\1}", pattern)
    tokens = _TOKEN.findall(written)
    begins, ends = tokens[:1] == ["^"], tokens[-1:] == ["$"]
    if _has_branches(tokens):
        inner, begins, ends = f"(?:{written})", False, False
    else:
        inner = "".join(tokens[begins : len(tokens) - ends])
    whole = ("" if begins else "(?s:.*)") + inner + ("" if ends else "(?s:.*)")
    return whole if inner and pattern_problem(whole) is None else ""


def _has_branches(tokens: list[str]) -> bool:
    """Whether the pattern is several that `|` separates, each with anchors of its own."""
    depth = 0
    for sign in tokens:
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and depth == 0:
            return True
    return False
