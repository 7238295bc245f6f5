"""Dates, instants and durations as the texts they are in JSON: reading, comparing with now, writing canonically."""

import re
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import Any

from interlock.expressions.outcomes import Missing, unfit

DURATION = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)")
MILLISECONDS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
OFFSET = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")
LONGEST = 40
"""No ISO date-time is longer."""


def milliseconds(text: str) -> int | None:
    """A duration such as `500ms` or `7d`, or None if the text is none."""
    match = DURATION.fullmatch(text)
    return int(match[1]) * MILLISECONDS[match[2]] if match else None


def zone(text: str) -> timezone | None:
    """A fixed offset such as `+08:00`, or None. Zone names are data of the system, so not known here."""
    match = OFFSET.fullmatch(text)
    if match is None:
        return None
    minutes = int(match[2]) * 60 + int(match[3])
    return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))


def instant(text: str) -> datetime | None:
    """A date with a time in ISO 8601, or None; without an offset it is naive."""
    if not 16 <= len(text) <= LONGEST or text[10] not in "Tt " or not text.isascii():
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def day(text: str) -> date | None:
    """A date `2026-05-01`, or None."""
    if len(text) != 10 or text[4] != "-" or not text.isascii():
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def midnight(text: str, where: tzinfo | None) -> datetime | None:
    """The begin of a day."""
    found = day(text)
    return datetime.combine(found, time(), where) if found else None


def moment(now: Any) -> Any:
    """The root `now` as the text expressions see."""
    return now.isoformat() if isinstance(now, datetime) else now


def age(now: Any, value: Any) -> timedelta:
    """How long ago a date or instant was; a date began at midnight where `now` is."""
    here = now if isinstance(now, datetime) else instant(str(now))
    if not isinstance(value, str):
        raise unfit(value)
    if here is None:
        raise Missing("", "type")
    then = instant(value) or midnight(value, here.tzinfo)
    if then is None or then.tzinfo is None:
        raise Missing("", "unreadable")
    return here - then


def within(now: Any, value: Any, limit: int) -> bool:
    """At most `limit` milliseconds away from now, back or ahead."""
    return abs(age(now, value)) <= timedelta(milliseconds=limit)


def older_than(now: Any, value: Any, limit: int) -> bool:
    """More than `limit` milliseconds ago."""
    return age(now, value) > timedelta(milliseconds=limit)


def as_date(value: Any, offset: str = "") -> str:
    """The day of a date or instant, seen at `offset` (default: the instant's own)."""
    text = _text(value)
    then, where = instant(text), zone(offset)
    if then is not None:
        if where is not None and then.tzinfo is not None:
            then = _moved(then, where)
        return then.date().isoformat()
    found = day(text)
    if found is None:
        raise Missing("", "unreadable")
    return found.isoformat()


def as_datetime(value: Any, offset: str = "") -> str:
    """An instant in canonical form; `offset` moves it, or says where a text without one was written."""
    text = _text(value)
    where = zone(offset)
    then = instant(text) or midnight(text, None)
    if then is None or (then.tzinfo is None and where is None):
        raise Missing("", "unreadable")
    if where is not None:
        then = then.replace(tzinfo=where) if then.tzinfo is None else _moved(then, where)
    return then.isoformat()


def as_seconds(value: Any) -> int | float:
    """A duration as a number of seconds."""
    found = milliseconds(_text(value))
    if found is None:
        raise Missing("", "unreadable")
    return found // 1_000 if found % 1_000 == 0 else found / 1_000


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise unfit(value)
    return value


def _moved(then: datetime, where: timezone) -> datetime:
    try:
        return then.astimezone(where)
    except OverflowError:
        raise Missing("", "too-large") from None


def same_instant_order(left: str, right: str) -> tuple[Any, Any]:
    """What to compare when two texts are ordered: the instants if both are such, else the texts themselves."""
    one, other = instant(left), instant(right)
    if one is None or other is None:
        return left, right
    if (one.tzinfo is None) != (other.tzinfo is None):
        raise Missing("", "unreadable")
    return one, other
