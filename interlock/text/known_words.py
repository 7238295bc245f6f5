"""A growing set of words, looked for in texts as they stand, whatever their case.

A word of fewer than WHOLE characters counts only where no Latin letter or digit stands beside its own: `1234` is not
found in `51234`. One of a single character is never found.
"""

import re
from collections.abc import Iterable, Iterator

from ahocorasick_rs import AhoCorasick

WHOLE = 6
SHORTEST = 2

_HALVES = re.compile("[\ud800-\udfff]")


class KnownWords:
    """The words so far. Adding one at a time costs the logarithm of their number, each time it is searched again."""

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._lists: list[list[str]] = []
        self._automata: list[AhoCorasick] = []

    def __contains__(self, word: str) -> bool:
        return _lower(word.strip()) in self._words

    def add(self, words: Iterable[str]) -> None:
        """Look for these too."""
        fresh = {low for word in words if len(low := _lower(word.strip())) >= SHORTEST} - self._words
        if not fresh:
            return
        self._words |= fresh
        mine = sorted(fresh)
        while self._lists and len(self._lists[-1]) <= len(mine):
            mine += self._lists.pop()
            self._automata.pop()
        self._lists.append(mine)
        self._automata.append(AhoCorasick(mine))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where any of them stands, in order; those that overlap are one."""
        return merged(self._found(_lower(text)))

    def _found(self, low: str) -> Iterator[tuple[int, int]]:
        for automaton in self._automata:
            for _, start, end in automaton.find_matches_as_indexes(low, overlapping=True):
                if end - start >= WHOLE or _stands_alone(low, start, end):
                    yield start, end


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap or touch as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _stands_alone(low: str, start: int, end: int) -> bool:
    before = start > 0 and _is_latin(low[start]) and _is_latin(low[start - 1])
    behind = end < len(low) and _is_latin(low[end - 1]) and _is_latin(low[end])
    return not (before or behind)


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _lower(text: str) -> str:
    """In lower case, each character in its place; halves of surrogate pairs are all the same."""
    if text.isascii():
        return text.lower()
    text = _HALVES.sub("\ufffd", text)
    low = text.lower()
    return low if len(low) == len(text) else "".join(one if len(one := char.lower()) == 1 else char for char in text)
