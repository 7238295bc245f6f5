"""What a search in a message finds: tags with spans of the raw text, and masking them."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """One finding: `raw[start:end]` of the message, said to be `tag`; `value` is its normalised form."""

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
