"""Words of others made fit to stand in a spec: clean, short, and with nothing in them that would be computed."""

import re

LONGEST = 2_000
LONGEST_LINE = 300
LONGEST_NOTE = 160

_OPENING = re.compile(r"\{(?=[{%#])")
_BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")


def line(text: str, most: int = LONGEST_LINE) -> str:
    """One line, cut at a sensible length."""
    return cut(" ".join(_clean(text[: 4 * LONGEST]).split()), most)


def note(text: str) -> str:
    """One short line, for a comment."""
    return line(text, LONGEST_NOTE)


def paragraphs(text: str) -> str:
    """Several lines, without white space at their ends, cut at a sensible length."""
    lines = [" ".join(one.split()) for one in _clean(text[: 4 * LONGEST]).splitlines()]
    return cut("\n".join(lines).strip(), LONGEST)


def cut(text: str, most: int) -> str:
    """At most so many characters, with a sign that there were more."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def inert(text: str) -> str:
    """A text in which no template begins."""
    return _OPENING.sub("{ ", text)


def is_clean(text: str) -> bool:
    """Whether a value can stand in a spec to the letter."""
    return _BAD.search(text) is None and "\t" not in text and "\n" not in text


def _clean(text: str) -> str:
    return _BAD.sub(" ", _TAG.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")))
