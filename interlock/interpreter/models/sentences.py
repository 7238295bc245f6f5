"""Whole sentences: what may be said of a text that broke off."""

import re

_CLOSING = r"[\"'”’」』）)\]】*_]*"
_END = re.compile(rf"(?:[.!?](?={_CLOSING}\s)|(?:(?<![0-9])\.|[!?])(?={_CLOSING}\Z)|[。！？…]){_CLOSING}|\n", re.ASCII)
"""The end of a sentence or a line. A point behind a figure with nothing after it may stand in the middle of one."""


def whole_sentences(text: str) -> str:
    """The text up to the end of its last whole sentence or line; empty if it holds none."""
    end = max((found.end() for found in _END.finditer(text)), default=0)
    return text[:end].rstrip()
