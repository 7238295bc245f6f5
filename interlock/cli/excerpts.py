"""The source line under a finding, with a caret that stands under its column on a terminal."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from interlock.diagnostics import Location

WIDEST = 100
"""Characters of a line that are shown; of a longer one, those around the place."""
BEFORE = 40
"""Characters of a long line that are shown before the place."""

_BREAK = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_WIDE = frozenset("WF")
_WITHOUT_WIDTH = frozenset(("Mn", "Me", "Cf"))


def lines_of(file: str) -> Sequence[str]:
    """The lines of a file as findings count them; none if it cannot be read, for then the finding says why."""
    try:
        return _BREAK.split(Path(file).read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError):
        return ()


def excerpt(place: Location, lines: Sequence[str]) -> tuple[str, str] | None:
    """The line, and the white space before its caret; None if there is no such line to show."""
    if place.line > len(lines):
        return None
    line, column = _window(lines[place.line - 1], place.column - 1)
    return line, "".join(map(_blank, line[:column]))


def printable(text: str) -> str:
    """Without characters that would act on the terminal, or turn the order of what is read."""
    return _CONTROL.sub("\ufffd", text)


def _window(line: str, column: int) -> tuple[str, int]:
    """The part of a line that is shown, and where the column is in it."""
    line = printable(line)
    if len(line) <= WIDEST:
        return line, column
    start = max(min(column - BEFORE, len(line) - WIDEST), 0)
    part = line[start : start + WIDEST]
    head, tail = ("…" if start else ""), ("…" if start + WIDEST < len(line) else "")
    return head + part + tail, column - start + len(head)


def _blank(character: str) -> str:
    """White space as wide as the character on a terminal."""
    if character == "\t":
        return "\t"
    if unicodedata.category(character) in _WITHOUT_WIDTH:
        return ""
    return "\u3000" if unicodedata.east_asian_width(character) in _WIDE else " "
