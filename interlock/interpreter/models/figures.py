"""The figures in a text, and which of them stand in no source. Equal numbers are equal however they are written."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from interlock.text.numerals import numerals
from interlock.text.spelled import spelled_out

_FIGURE = re.compile(r"\d+(?:[,_' \u00a0\u202f](?=\d{3}(?!\d))\d{3})*(?:\.\d+)?")
_MARKER = re.compile(r"(?m)^[ \t]*(?:#{1,6}[ \t]*)?\d{1,2}[.)、](?=[ \t])")
_ARTICLE = "一"
"""Alone it is a word of its own more often than a number, as in 给我一个单号; `one` is none either."""

_SEPARATORS = re.compile(r"[,_' \u00a0\u202f]")


def figures_in(text: str) -> dict[str, Decimal]:
    """Every run of digits in `text`, as written, with its value; numbers of a list at the start of a line are none."""
    folded = unicodedata.normalize("NFKC", text)
    body = _MARKER.sub(lambda marker: " " * len(marker[0]), folded)
    found = {match[0]: Decimal(_SEPARATORS.sub("", match[0])) for match in _FIGURE.finditer(body)}
    counted = {body[one.start : one.end].strip(): one.value for one in numerals(body)}
    return found | {written: value for written, value in counted.items() if written != _ARTICLE}


def unsourced(text: str, sources: Iterable[Any], *, in_words: bool = False) -> list[str]:
    """The figures of `text` that stand in none of `sources`, JSON values, in the order of the text.

    `in_words` counts figures in English words too.
    """
    written = figures_in(text) | (_in_words(text) if in_words else {})
    if not written:
        return []
    texts = list(_texts(sources))
    known = {value for source in texts for value in _values(source)}
    known |= {value for source in texts for value in _in_words(source).values()} if in_words else set()
    return [figure for figure, value in written.items() if value not in known]


def _in_words(text: str) -> dict[str, Decimal]:
    return {one.written: one.value for one in spelled_out(unicodedata.normalize("NFKC", text))}


def _values(text: str) -> Iterator[Decimal]:
    for value in figures_in(text).values():
        yield value
        yield value.copy_negate()


def _texts(values: Iterable[Any]) -> Iterator[str]:
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield str(value)
