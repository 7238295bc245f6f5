"""Numbers in English words, such as `seventy` or `nine hundred and ninety-nine million`, with their exact values."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_MULTIPLIERS = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORDS = _UNITS | _TENS | _MULTIPLIERS
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_NUMBER = re.compile(rf"(?ai)(?<![\w-])(?:{_WORD})(?:(?:\s+|-|\s+and\s+)(?:{_WORD}))*(?![\w-])")
_SMALL = 12
"""Up to here a single word is more often no figure: one of them, two reasons."""


class Spelled(NamedTuple):
    """A number as it is written, with its value."""

    written: str
    value: Decimal


def spelled_out(text: str) -> Iterator[Spelled]:
    """The numbers in words above twelve, and multiplied ones, in order."""
    for found in _NUMBER.finditer(text):
        words = [word for word in re.split(r"[\s-]+", found[0].lower()) if word != "and"]
        value = _value(words)
        if len(words) > 1 or value > _SMALL:
            yield Spelled(found[0], Decimal(value))


def _value(words: list[str]) -> int:
    """By the usual rule: hundreds multiply what stands before them, greater words all of their group."""
    total = group = 0
    for word in words:
        if word in _MULTIPLIERS and word != "hundred":
            total, group = total + max(group, 1) * _MULTIPLIERS[word], 0
        elif word == "hundred":
            group = max(group, 1) * 100
        else:
            group += _WORDS[word]
    return total + group
