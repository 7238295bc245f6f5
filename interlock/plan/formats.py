"""The values of `format`, and dates and times as JSON text: each told by shape and validity, nothing is converted."""

import ipaddress
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import re2

_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?"
_DATE = re2.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
_TIME = re2.compile(rf"^{_CLOCK}$")
_MOMENT = re2.compile(rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[Tt ]{_CLOCK}$")
_UUID = re2.compile(r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
_EMAIL = re2.compile(r"^[^@\s<>()\[\],;:\"\\]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}$")
_URI = re2.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+$")


def moment_of(text: str, timezone: str = "") -> datetime | None:
    """The time that `text` names; in `timezone` when it has no offset of its own. None if it is not one."""
    if not _MOMENT.search(text) or not _accepted(datetime.fromisoformat, text.upper()):
        return None
    moment = datetime.fromisoformat(text.upper())
    return moment.replace(tzinfo=ZoneInfo(timezone)) if timezone and moment.tzinfo is None else moment


def _accepted(parse: Callable[[str], Any], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": lambda text: bool(_DATE.search(text)) and _accepted(date.fromisoformat, text),
    "date-time": lambda text: moment_of(text) is not None,
    "email": lambda text: bool(_EMAIL.search(text)),
    "ipv4": lambda text: _accepted(ipaddress.IPv4Address, text),
    "ipv6": lambda text: _accepted(ipaddress.IPv6Address, text),
    "time": lambda text: bool(_TIME.search(text)) and _accepted(time.fromisoformat, text.upper()),
    "uri": lambda text: bool(_URI.search(text)),
    "uuid": lambda text: bool(_UUID.search(text)),
}
"""Every `format` a field may name, and whether a text has it."""
