"""Values of a kind in a message: date number amount integer range email url quote, and plug-ins by entry point.

A plug-in is a callable `(text, now) -> [(value, start, end)]` under the entry point group `interlock.extractors`;
values are JSON, spans index the raw text, and equal text and time must give an equal answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import entry_points
from itertools import islice, pairwise
from typing import Any, TypeAlias

import re2

from interlock.text.dates import dates
from interlock.text.hits import longest_spans
from interlock.text.numerals import FOUND_AT_MOST, Numeral, as_json, numerals
from interlock.text.patterns import width_folded

GROUP = "interlock.extractors"

Found: TypeAlias = Iterable[tuple[Any, int, int]]
Extractor: TypeAlias = Callable[[str, datetime], Found]

_EMAIL = re2.compile(r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b")
_URL = re2.compile(r"(?i)\b(?:https?://|www\.)[^\s<>\"“”‘’「」『』《》，。；！？、（）【】\x{4e00}-\x{9fff}]+")
_QUOTE = re2.compile('“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|"([^"]+)"|‘([^‘’]+)’|«([^«»]+)»|《([^《》]+)》')
_SIGN = r"(?:US\$|HK\$|[$¥€£]|(?:RMB|CNY|USD|EUR|GBP|HKD|JPY)\b)"
_BEFORE = re2.compile(rf"(?i){_SIGN}\s?$")
_BEHIND = re2.compile(
    rf"(?i)^\s?(?:{_SIGN}|元|块钱?|人民币|美元|美金|欧元|英镑|港[币元]|日元|(?:yuan|dollars?|euros?|pounds?|yen)\b)"
)
_TO = re2.compile(r"^\s*(?:-|–|—|~|〜|到|至|to|and)\s*$")
_AT_LEAST = re2.compile(r"(?i)(?:>=|≥|at least|no less than|不少于|不低于|至少)\s*$")
_AT_MOST = re2.compile(r"(?i)(?:<=|≤|at most|no more than|up to|不超过|不多于|不高于|至多|最多)\s*$")
_OR_MORE = re2.compile(r"(?i)^\s?(?:及?以上|or more|and above)")
_OR_LESS = re2.compile(r"(?i)^\s?(?:及?以下|以内|or less|and below)")
_DASHED = re2.compile(r"(?:^|[^0-9A-Za-z./:#_-])[0-9][0-9.,]{0,20}(-)[0-9][0-9.,]{0,20}(?:$|[^0-9A-Za-z/:#_-])")
_NEARBY = 16
"""How far from a number words are looked for that say what it is."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A JSON value, and the slice of the raw text that it was read from."""

    value: Any
    start: int
    end: int


def extract(kind: str, raw: str, now: datetime) -> list[Extracted]:
    """The first values of `kind`, in order; of those that overlap the longest. Raises KeyError for an unknown kind.

    - `date`: ISO text, relative words counted from `now` in its own time zone;
    - `number`, `integer`: an int, a float that is exactly what was written, or the decimal text where none is;
    - `amount`: a number, those beside a currency sign or name if there are any, the span including it;
    - `range`: `{"from": number or none, "to": number or none}`;
    - `email`, `url`, `quote`: text, of a quote what stands inside the marks.
    """
    spans = {(start, end): value for value, start, end in islice(_extractor(kind)(raw, now), FOUND_AT_MOST)}
    return [Extracted(spans[span], *span) for span in longest_spans(spans)]


def extractor_problem(kind: str) -> tuple[str, str] | None:
    """Why there is no extractor `kind`, as message and hint; none if there is one."""
    if kind in _BUILT_IN:
        return None
    plugged_in = {point.name for point in entry_points(group=GROUP)}
    if kind in plugged_in:
        return None
    names = ", ".join([*_BUILT_IN, *sorted(plugged_in)])
    return f"there is no extractor {kind!r}", f"extractors are {names}; a package adds others as entry points {GROUP!r}"


def could_give(kind: str, value: Any) -> bool:
    """Whether `kind` gives values like this one for some words; of a plug-in nothing is known."""
    if kind in _NUMERIC and not isinstance(value, str):
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole or (isinstance(value, float) and kind != "integer")
    if kind == "range":
        ends = value.values() if isinstance(value, dict) and value.keys() == {"from", "to"} else [""]
        return all(end is None or could_give("number", end) for end in ends)
    if kind == "quote":
        return isinstance(value, str) and bool(value)
    if kind not in _BUILT_IN:
        return True
    found = extract(kind, value, _ANY_TIME) if isinstance(value, str) else []
    return [(one.value, one.start, one.end) for one in found] == [(value, 0, len(str(value)))]


@cache
def _extractor(kind: str) -> Extractor:
    if kind in _BUILT_IN:
        return _BUILT_IN[kind]
    for point in entry_points(group=GROUP, name=kind):
        plug_in: Extractor = point.load()
        return plug_in
    raise KeyError(kind)


def _dates(raw: str, now: datetime) -> Found:
    return dates(width_folded(raw), now.date())


def _numbers(raw: str, _: datetime) -> Found:
    return [(as_json(one.value), one.start, one.end) for one in numerals(width_folded(raw))]


def _integers(raw: str, now: datetime) -> Found:
    return [found for found in _numbers(raw, now) if isinstance(found[0], int)]


def _amounts(raw: str, now: datetime) -> Found:
    text = width_folded(raw).replace("￥", "¥")
    priced = [found for one in numerals(text) if (found := _priced(text, one))]
    return priced or _numbers(raw, now)


def _priced(text: str, one: Numeral) -> tuple[Any, int, int] | None:
    offset = max(0, one.start - _NEARBY)
    before = _BEFORE.search(text[offset : one.start])
    behind = _BEHIND.search(text[one.end : one.end + _NEARBY])
    if not before and not behind:
        return None
    start = offset + before.start() if before else one.start
    return as_json(one.value), start, one.end + (behind.end() if behind else 0)


def _ranges(raw: str, _: datetime) -> Iterator[tuple[Any, int, int]]:
    text = _spaced_dashes(width_folded(raw))
    found = numerals(text)
    for one, other in pairwise(found):
        if one.value <= other.value and _TO.search(text[one.end : other.start]):
            yield {"from": as_json(one.value), "to": as_json(other.value)}, one.start, other.end
    for one in found:
        offset = max(0, one.start - _NEARBY)
        before, behind = text[offset : one.start], text[one.end : one.end + _NEARBY]
        for key, lead, trail in (("from", _AT_LEAST, _OR_MORE), ("to", _AT_MOST, _OR_LESS)):
            led, trailed = lead.search(before), trail.search(behind)
            if led or trailed:
                start = offset + led.start() if led else one.start
                value = {"from": None, "to": None, key: as_json(one.value)}
                yield value, start, one.end + (trailed.end() if trailed else 0)


def _spaced_dashes(text: str) -> str:
    """`10-20` as two numbers with another dash between, of equal length; dates and codes keep theirs."""
    chars = list(text)
    for match in _DASHED.finditer(text):
        chars[match.start(1)] = "–"
    return "".join(chars)


def _emails(raw: str, _: datetime) -> Found:
    return [(match[0], *match.span()) for match in _EMAIL.finditer(width_folded(raw))]


def _urls(raw: str, _: datetime) -> Found:
    for match in _URL.finditer(width_folded(raw)):
        url = match[0].rstrip(".,;:!?'")
        url = url if "(" in url else url.rstrip(")")
        yield url, match.start(), match.start() + len(url)


def _quotes(raw: str, _: datetime) -> Found:
    for match in _QUOTE.finditer(raw.encode("utf-8", "replace").decode()):
        group = next(n for n, text in enumerate(match.groups(), 1) if text)
        yield match[group], *match.span(group)


_BUILT_IN: Mapping[str, Extractor] = {
    "date": _dates,
    "number": _numbers,
    "amount": _amounts,
    "integer": _integers,
    "range": _ranges,
    "email": _emails,
    "url": _urls,
    "quote": _quotes,
}
_NUMERIC = ("number", "amount", "integer")
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)
TIMELESS = _BUILT_IN.keys() - {"date"}
"""Those that give the same whatever the time."""
