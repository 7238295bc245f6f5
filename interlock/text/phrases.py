"""Many phrases found at once."""
from collections.abc import Hashable, Iterable
from typing import Literal

from interlock.text.hits import Hit


def phrase_problem(phrase: str, mode: Literal["screen", "plain"] = "plain") -> tuple[str, str] | None:
    """Why `phrase` can never be found: message and hint."""


class Phrases:
    """Built once; the same phrase under several tags gives several hits with one span. `Hit.value` is the phrase as written."""

    def __init__(self, phrases: Iterable[tuple[str, Hashable]], mode: Literal["screen", "plain"] = "plain") -> None: ...
    def scan(self, raw: str) -> list[Hit]: ...
    def first(self, raw: str) -> Hit | None: ...
