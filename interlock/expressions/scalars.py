"""Filters over single texts and numbers."""

import re
from decimal import ROUND_HALF_UP, Decimal
from decimal import Context as Digits
from typing import Any

from interlock.expressions.limits import MAX_DIGITS, MAX_TEXT, Meter, bounded
from interlock.expressions.operations import EXACT_IN_FLOAT, fraction, negate, text_of
from interlock.expressions.outcomes import Missing
from interlock.expressions.times import as_date, as_datetime, as_seconds

WHOLE = re.compile(r"[-+]?[0-9]+")
DECIMAL = re.compile(r"[-+]?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]{1,3})?|[-+]?[0-9]+[eE][-+]?[0-9]{1,3}")
ROUNDING = Digits(prec=60, rounding=ROUND_HALF_UP)


def lower(meter: Meter, value: Any) -> str:
    """Small letters."""
    return bounded(meter, text_of(value).lower())


def upper(meter: Meter, value: Any) -> str:
    """Capital letters."""
    return bounded(meter, text_of(value).upper())


def trim(meter: Meter, value: Any) -> str:
    """Without white space at both ends."""
    return bounded(meter, text_of(value).strip())


def replace(meter: Meter, value: Any, old: str, new: str) -> str:
    """Every `old` by `new`; the size is known before the text is made."""
    text, old, new = text_of(value), text_of(old), text_of(new)
    if not old:
        raise Missing("", "unreadable")
    bounded(meter, text)
    if len(text) + text.count(old) * (len(new) - len(old)) > MAX_TEXT:
        raise Missing("", "too-large")
    return bounded(meter, text.replace(old, new))


def number(_: Meter, value: Any) -> int | float:
    """A number, or a text that writes one; never with other digits than the text has."""
    if value.__class__ in (int, float):
        return value
    text = text_of(value).strip() if len(text_of(value)) <= 2 * MAX_DIGITS else ""
    if len(text) <= MAX_DIGITS and WHOLE.fullmatch(text):
        return int(text)
    if len(text) <= MAX_DIGITS and DECIMAL.fullmatch(text):
        found = float(text)
        if Decimal(repr(found)) == Decimal(text):
            return found
    raise Missing("", "unreadable")


def rounded(_: Meter, value: Any, digits: int = 0) -> int | float:
    """Half away from zero, on the decimal digits; without `digits` a whole number."""
    fraction(value)
    if value.__class__ is int:
        return value
    if abs(value) >= EXACT_IN_FLOAT:
        return value if digits else int(value)
    result = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), context=ROUNDING)
    return float(result) if digits else int(result)


def absolute(_: Meter, value: Any) -> int | float:
    """Without its sign."""
    fraction(value)
    return negate(value) if value < 0 else value


def to_date(_: Meter, value: Any, offset: str = "") -> str:
    """See `as_date`."""
    return as_date(value, offset)


def to_datetime(_: Meter, value: Any, offset: str = "") -> str:
    """See `as_datetime`."""
    return as_datetime(value, offset)


def to_seconds(_: Meter, value: Any) -> int | float:
    """See `as_seconds`."""
    return as_seconds(value)
