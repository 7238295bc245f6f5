"""Dates in a message, in Chinese and English, written out or relative to now.

Read are `2026-03-01` (and with `/` or `.`), `2026年3月1日`, `二〇二六年三月一日`, `1 March 2026`, `March 1st, 2026`,
`3月1日` and `March 1` (of this year), today and its neighbours, `3天前`, `in 2 weeks`, `3 days ago`. `03/04/2026` is
not read, because who writes it decides what it says; nor are weekdays, and months and years alone.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from interlock.text.numerals import HAN_NUMERAL, han_number

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_HAN = f"{HAN_NUMERAL}{{1,3}}"
_WRITTEN = [
    re.compile(pattern, re.ASCII | re.IGNORECASE)
    for pattern in (
        (
            r"\b(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{1,2})-|/(?P<month2>[0-9]{1,2})/|\.(?P<month3>[0-9]{1,2})\.)"
            r"(?P<day>[0-9]{1,2})(?:\b|T)"
        ),
        (
            rf"(?:(?P<year>[0-9]{{4}}|[零〇一二三四五六七八九]{{4}})\s?年\s?)?(?P<month>[0-9]{{1,2}}|{_HAN})\s?月\s?"
            rf"(?P<day>[0-9]{{1,2}}|{_HAN})\s?[日号號]"
        ),
        rf"\b{_MONTH}\s+{_DAY}(?:,?\s+(?P<year>[0-9]{{4}}))?\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>[0-9]{{4}}))?\b",
    )
]
_NEAR = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0,
    "明天": 1, "明日": 1, "后天": 2, "大后天": 3,
    "the day before yesterday": -2, "day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1,
    "the day after tomorrow": 2, "day after tomorrow": 2,
}  # fmt: skip
_NEARBY = re.compile(
    r"(?ai)大前天|前天|昨[天日]|今[天日]|明[天日]|大?后天"
    r"|\b(?:the )?day before yesterday\b|\b(?:the )?day after tomorrow\b|\b(?:yesterday|today|tomorrow)\b"
)
_COUNTED = re.compile(
    rf"(?ai)(?P<n>[0-9]{{1,4}}|{_HAN})\s?(?P<unit>天|个?星期|周)(?:之|以)?(?P<way>前|后)"
    r"|\b(?P<in>in )(?P<n2>[0-9]{1,4}) (?P<unit2>day|week)s?\b|\b(?P<n3>[0-9]{1,4}) (?P<unit3>day|week)s? ago\b"
)


def dates(text: str, today: date) -> Iterator[tuple[str, int, int]]:
    """ISO dates with their spans in a width-folded text, in no order; they may overlap."""
    for pattern in _WRITTEN:
        for match in pattern.finditer(text):
            found = _calendar(match.groupdict(), today)
            if found:
                yield found.isoformat(), *_without_mark(text, *match.span())
    for match in _NEARBY.finditer(text):
        yield (today + timedelta(days=_NEAR[match[0].lower()])).isoformat(), *match.span()
    for match in _COUNTED.finditer(text):
        found = _counted(match.groupdict(), today)
        if found:
            yield found.isoformat(), *match.span()


def _without_mark(text: str, start: int, end: int) -> tuple[int, int]:
    return (start, end - 1) if text[end - 1] == "T" else (start, end)


def _calendar(parts: dict[str, str | None], today: date) -> date | None:
    month = parts["month"] or parts.get("month2") or parts.get("month3") or ""
    number = _MONTHS.index(month[:3].lower()) + 1 if month[:3].lower() in _MONTHS else _number(month)
    year = today.year if parts["year"] is None else _number(parts["year"])
    try:
        return date(year, number, _number(parts["day"] or ""))
    except ValueError:
        return None


def _counted(parts: dict[str, str | None], today: date) -> date | None:
    count = _number(parts["n"] or parts["n2"] or parts["n3"] or "")
    unit = parts["unit"] or parts["unit2"] or parts["unit3"] or ""
    days = count * (1 if unit.lower() in {"天", "day"} else 7)
    try:
        return today + timedelta(days=days if parts["way"] == "后" or parts["in"] else -days)
    except OverflowError:
        return None


def _number(written: str) -> int:
    """The number, or 0, which is no year, month or day."""
    return int(written) if written.isascii() and written.isdigit() else han_number(written) or 0
