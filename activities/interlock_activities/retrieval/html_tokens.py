"""HTML taken apart in one pass, in time that grows with its length alone, whatever the markup.

The standard library's parser takes minutes over a megabyte of tags or comments that are never closed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import TypeAlias

_TAG = re.compile(r"<(/?)([A-Za-z][^\s/<>]*+)")
_QUOTE_OR_END = re.compile("[\"'>]")
_ATTRIBUTE = re.compile(r"""([^\s=/>"']++)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s>"']*+))?""")
_RAW = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea", "title", "iframe")}
"""Elements in which nothing but their own end is markup."""

_LONGEST_TAG = 2_000
"""Characters of a tag whose attributes are looked at."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag, its name in small letters."""

    name: str
    ends: bool
    written: str

    @property
    def attributes(self) -> dict[str, str]:
        """Their values by name; the first of a name counts."""
        found: dict[str, str] = {}
        for name, value in _ATTRIBUTE.findall(self.written[:_LONGEST_TAG]):
            found.setdefault(name.lower(), unescape(value.strip("\"'")))
        return found


Token: TypeAlias = Tag | str


def tokens(text: str) -> Iterator[Token]:
    """Tags and the text between them. Comments and declarations are dropped; what is never closed is text."""
    at = 0
    while (start := text.find("<", at)) >= 0:
        if start > at:
            yield unescape(text[at:start])
        tag = _TAG.match(text, start)
        if tag is not None:
            end = _end_of_tag(text, tag.end())
            if end < 0:
                at = start
                break
            name = tag[2].lower()
            yield Tag(name, bool(tag[1]), text[tag.end() : end - 1])
            at = end
            if name in _RAW and not tag[1]:
                closing = _RAW[name].search(text, end)
                at = closing.start() if closing else len(text)
                yield unescape(text[end:at])
        elif text.startswith(("<!", "<?"), start):
            mark = "-->" if text.startswith("<!--", start) else ">"
            closing_at = text.find(mark, start + 2)
            at = closing_at + len(mark) if closing_at >= 0 else len(text)
        else:
            yield "<"
            at = start + 1
    if at < len(text):
        yield unescape(text[at:])


def _end_of_tag(text: str, at: int) -> int:
    """Where the tag ends, quoted attributes jumped over; -1 where no `>` follows."""
    while found := _QUOTE_OR_END.search(text, at):
        if found[0] == ">":
            return found.end()
        closing = text.find(found[0], found.end())
        at = closing + 1 if closing >= 0 else found.end()
    return -1
