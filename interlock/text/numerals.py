"""Numbers in a message, in digits or Chinese numerals, with thousands separators and multipliers; exact values."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

import re2

from interlock.text.patterns import width_folded

Number: TypeAlias = int | float | str

_DIGITS = {char: n for n, chars in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九")) for char in chars}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10**4, "亿": 10**8}
HAN_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_WORDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9} | _UNITS | _GROUPS | {"百万": 10**6, "千万": 10**7}
_WRITTEN = re2.compile(
    r"(?P<sign>[-+−]?)(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
    r"(?:\s?(?P<unit>百万|千万|[百千万亿]|(?i:thousand|million|billion)\b))?"
)
_HAN = re2.compile(HAN_NUMERAL + "+")
_GLUE = frozenset("-/.:,_#@")
LONGEST = 40
"""Digits; nothing longer is a number."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """An exact number and where it stands."""

    value: Decimal
    start: int
    end: int


def as_json(value: Decimal) -> Number:
    """An integer, a float where it is exactly what was written, or else the decimal text."""
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else str(value)


def numerals(text: str) -> list[Numeral]:
    """The numbers in a width-folded text, in order; digits that are part of a word, date, time or version are none."""
    return sorted([*_written(text), *_in_han(text)], key=lambda numeral: numeral.start)


def _written(text: str) -> Iterator[Numeral]:
    for match in _WRITTEN.finditer(text):
        start, end = match.span()
        digits_end = match.end("digits")
        sign = match["sign"]
        if sign and start and (text[start - 1].isalnum() or text[start - 1] in _GLUE):
            start, sign = start + 1, ""
            if sign_joins(text, start):
                continue
        if len(match["digits"]) > LONGEST or _is_part(text, start, digits_end):
            continue
        value = Decimal(match["digits"].replace(",", "")) * _WORDS.get((match["unit"] or "").lower(), 1)
        yield Numeral(-value if sign in {"-", "−"} else value, start, end)


def sign_joins(text: str, start: int) -> bool:
    """Whether the sign before `start` joins two parts of something longer: `2026-03`, `PO-12`."""
    before = text[start - 2 : start - 1]
    return before.isascii() and before.isalnum()


def _is_part(text: str, start: int, end: int) -> bool:
    before, behind = text[start - 1 : start], text[end : end + 1]
    if _is_word(before) or (before in _GLUE and _is_word(text[start - 2 : start - 1]) and start > 1):
        return True
    return _is_word(behind) or (behind != "" and behind in _GLUE and _is_word(text[end + 1 : end + 2]))


def _is_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _in_han(text: str) -> Iterator[Numeral]:
    for match in _HAN.finditer(text):
        start, end = match.span()
        if start and text[start - 1].isdigit():
            continue
        value = han_number(match[0]) if end - start <= LONGEST else None
        if value is not None and (end - start > 1 or match[0] in _DIGITS):
            yield Numeral(Decimal(value), start, end)


def han_number(written: str) -> int | None:
    """The number that Chinese numerals say, by place (`三百二十`) or digit by digit (`二〇二六`); none if neither."""
    if all(char in _DIGITS for char in written):
        return int("".join(str(_DIGITS[char]) for char in written))
    total = group = digit = 0
    last_unit = 0
    for char in written:
        if char in _DIGITS:
            if digit and char not in "零〇":
                return None
            digit, last_unit = _DIGITS[char], (10 if char in "零〇" else last_unit)
        elif char in _UNITS:
            group += (digit or 1) * _UNITS[char]
            digit, last_unit = 0, _UNITS[char]
        else:
            total = (total + group + digit) * _GROUPS[char] if char == "亿" else total + (group + digit) * _GROUPS[char]
            group, digit, last_unit = 0, 0, _GROUPS[char]
    return total + group + digit * (last_unit // 10 if last_unit > 10 else 1)
