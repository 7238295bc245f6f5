"""What a search in a message finds: tags with spans of the raw text, and how hits are masked and chosen."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """One finding: `raw` stands at `start:end` of the message and means `tag`; `value` is what was recognised."""

    tag: Hashable
    start: int
    end: int
    raw: str
    value: str


def mask(raw: str, hits: Iterable[Hit]) -> str:
    """`raw` with every hit replaced by spaces of equal length."""
    for hit in hits:
        raw = raw[: hit.start] + " " * (hit.end - hit.start) + raw[hit.end :]
    return raw


def leftmost_longest(hits: Iterable[Hit]) -> list[Hit]:
    """Hits that do not overlap: the leftmost first, of those the longest; hits with one span are all kept."""
    hits = list(hits)
    if len(hits) < 2:
        return hits
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if not kept or hit.start >= kept[-1].end or (hit.start, hit.end) == (kept[-1].start, kept[-1].end):
            kept.append(hit)
    return list(dict.fromkeys(kept))


def longest_first(hits: Iterable[Hit]) -> list[Hit]:
    """Hits that do not overlap: the longest first, then those named first; hits with one span are all kept."""
    kept: dict[tuple[int, int], list[Hit]] = {}
    for hit in sorted(hits, key=lambda hit: hit.start - hit.end):
        span = (hit.start, hit.end)
        if span in kept:
            kept[span].append(hit)
        elif all(hit.end <= start or end <= hit.start for start, end in kept):
            kept[span] = [hit]
    return [hit for span in sorted(kept) for hit in dict.fromkeys(kept[span])]
