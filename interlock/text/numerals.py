"""Numbers in a message, in digits or Chinese numerals, with thousands separators and multipliers; exact values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import islice
from typing import TypeAlias

Number: TypeAlias = int | float | str

FOUND_AT_MOST = 200
LOOKED_AT_MOST = 2_000
"""Groups of digits of one message that are looked at; most of a flood of them are parts of something else."""
LONGEST = 40
"""Characters; nothing longer is a number."""

_EXACT = Context(prec=2 * LONGEST)
"""Arithmetic that rounds nothing of that length; Python's own keeps 28 digits."""

_DIGITS = {
    char: n
    for n, chars in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九"))
    for char in chars
}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10**4, "亿": 10**8}
_MULTIPLIERS = {
    "百": 10**2, "千": 10**3, "万": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8,
    "thousand": 10**3, "million": 10**6, "billion": 10**9,
}  # fmt: skip
_WRITTEN = re.compile(
    r"(?ai)(?P<sign>[-+−]?)(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
    r"(?P<unit>\s?(?:百万|千万|[百千万亿]|(?:thousand|million|billion)\b))?"
)
HAN_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_HAN = re.compile(HAN_NUMERAL + "+")
_COUNTED = frozenset("个個件单票箱托柜天周月年元块岁次位人名台只份吨斤克米条张本批项号到至")
_GLUE = frozenset("-/.:,_#@")


@dataclass(frozen=True, slots=True)
class Numeral:
    """An exact number, and where it stands."""

    value: Decimal
    start: int
    end: int


def as_json(value: Decimal) -> Number:
    """An integer; or a float where that is exactly what was written; or else the decimal text."""
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else str(value)


def numerals(text: str) -> list[Numeral]:
    """The first numbers in a width-folded text, in order. Digits of a word, date, time or version are none."""
    found = [*islice(_written(text), FOUND_AT_MOST), *islice(_in_han(text), FOUND_AT_MOST)]
    return sorted(found, key=lambda numeral: numeral.start)


def _written(text: str) -> Iterator[Numeral]:
    for match in islice(_WRITTEN.finditer(text), LOOKED_AT_MOST):
        start, (first, end) = match.start(), match.span("digits")
        is_negative = match["sign"] in {"-", "−"}
        if first > start and start and _is_word(text[start - 1]):
            start, is_negative = first, False
        if first - start + len(match["digits"]) > LONGEST or _is_part(text, first, end):
            continue
        unit = _MULTIPLIERS.get((match["unit"] or "").strip().lower(), 1)
        value = _EXACT.multiply(Decimal(match["digits"].replace(",", "")), Decimal(unit))
        yield Numeral(value.copy_negate() if is_negative else value, start, match.end())


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether letters or digits stand directly beside, or joined by one sign as in `2026-03`, `PO-12` or `10:30`."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    return (
        _is_word(before[-1:])
        or _is_word(behind[:1])
        or (before[-1:] in _GLUE and _is_word(before[:-1]))
        or (behind[:1] in _GLUE and _is_word(behind[1:]))
    )


def _is_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _in_han(text: str) -> Iterator[Numeral]:
    for match in islice(_HAN.finditer(text), LOOKED_AT_MOST):
        start, end = match.span()
        behind_digit = start > 0 and text[start - 1].isdigit()
        value = None if behind_digit or not _counts(match[0], text[end : end + 1]) else han_number(match[0])
        if value is not None:
            yield Numeral(Decimal(value), start, end)


def _counts(written: str, behind: str) -> bool:
    """Whether numerals count something, and are not just part of a word: `查一下`, `千万不要`, `一一`."""
    if len(written) > LONGEST or (written[0] not in _DIGITS and written[0] != "十"):
        return False
    if len(written) == 1:
        return behind != "" and behind in _COUNTED
    return len(written) > 2 or any(char not in _DIGITS for char in written)


def han_number(written: str) -> int | None:
    """What Chinese numerals say, by place (`三百二十`) or digit by digit (`二〇二六`); none if they say no number."""
    if all(char in _DIGITS for char in written):
        return int("".join(str(_DIGITS[char]) for char in written))
    total = group = digit = last = 0
    for char in written:
        if char in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[char]
            last = 1 if digit == 0 else last
        elif char in _UNITS:
            group += (digit or 1) * _UNITS[char]
            digit, last = 0, _UNITS[char]
        else:
            whole = total + group + digit if char == "亿" else group + digit
            total = whole * _GROUPS[char] + (0 if char == "亿" else total)
            group, digit, last = 0, 0, _GROUPS[char]
    return total + group + digit * max(1, last // 10)
