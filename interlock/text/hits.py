"""What a search in a message finds: tags with spans of the raw text, and how hits are masked and chosen."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, NamedTuple

named = tuple.__new__
"""Makes a NamedTuple of its class and a tuple, at half the cost of calling the class, which is a function in Python."""


class Hit(NamedTuple):
    """One finding: `raw` stands at `start:end` of the message and means `tag`; `value` is what was recognised."""

    tag: Any
    start: int
    end: int
    raw: str
    value: str


def mask(raw: str, hits: Iterable[Hit]) -> str:
    """`raw` with every hit replaced by spaces of equal length."""
    parts: list[str] = []
    at = 0
    for start, end in sorted({(hit.start, hit.end) for hit in hits}):
        if end > at:
            parts += raw[at:start], " " * (end - max(start, at))
            at = end
    return "".join(parts) + raw[at:]


def leftmost_longest(hits: Iterable[Hit]) -> list[Hit]:
    """Hits that do not overlap: the leftmost first, of those the longest; hits with one span are all kept."""
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if not kept or hit.start >= kept[-1].end or (hit.start, hit.end) == (kept[-1].start, kept[-1].end):
            kept.append(hit)
    return list(dict.fromkeys(kept))


def longest_first(hits: Iterable[Hit]) -> list[Hit]:
    """Hits that do not overlap, in order: the longest win, then those named first; hits with one span are all kept."""
    by_span: dict[tuple[int, int], list[Hit]] = {}
    for hit in hits:
        by_span.setdefault((hit.start, hit.end), []).append(hit)
    return [hit for span in longest_spans(by_span) for hit in dict.fromkeys(by_span[span])]


def longest_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that do not overlap, in order, chosen longest first and then as given."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        at = bisect_left(kept, (start, end))
        if (at == 0 or kept[at - 1][1] <= start) and (at == len(kept) or end <= kept[at][0]):
            kept.insert(at, (start, end))
    return kept
