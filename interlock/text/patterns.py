"""Many RE2 patterns found at once."""
from collections.abc import Hashable, Iterable, Sequence

from interlock.text.hits import Hit


def pattern_problem(pattern: str) -> tuple[str, str] | None:
    """Why RE2 or the engine refuses `pattern`: message and hint."""


class Patterns:
    """Built once from (pattern, tag, exact_case). `Hit.value` is verbatim from the identifier view."""

    def __init__(self, patterns: Iterable[tuple[str, Hashable, bool]]) -> None: ...
    def find(self, raw: str) -> list[Hit]: ...
    def whole(self, raw: str) -> list[Hit]: ...


def normalised(value: str, rules: Sequence[str]) -> str:
    """`value` after a slot's `normalise` rules: upper lower no_spaces no_dashes half_width."""
