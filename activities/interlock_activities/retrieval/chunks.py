"""From documents to passages of bounded size: blocks together as long as they fit, cut only where one is too long."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from interlock.text.views import INVISIBLE, KINDS, MARK
from interlock_activities.retrieval.documents import Block, Parsed, Section

VERSION: Final = 1
"""Goes up whenever a document is cut otherwise: all are cut anew."""

LONGEST: Final = 1_000
"""Characters of a passage: some 160 English words, or a page of Chinese that is still read at a glance."""

OVERLAP: Final = 150
"""Characters of a cut paragraph that the next passage begins with, in whole sentences."""

_SENTENCE = re.compile(r"[^。！？；!?\n]*?(?:[。！？；!?]+[”’」』）)\"']*\s*|\.(?=\s)\s*|\n|\Z)", re.DOTALL)
_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document. `headings` are searched with it and not part of it; `locator` says where it stands."""

    text: str
    locator: str
    headings: str


def passages(document: Parsed) -> Iterator[Passage]:
    """The passages of a document, in order."""
    for section in document.sections:
        above = [part for part in section.headings if part != document.title]
        headings = storable("\n".join([document.title, *above] if document.title else above))[:LONGEST]
        path = storable(" > ".join(section.headings))[:LONGEST]
        for text, line in _packed(section):
            locator = ", ".join(part for part in (path, f"line {line}" if line else "") if part)
            yield Passage(storable(text), locator, headings)


def storable(text: str) -> str:
    """Without what no database takes: null characters, and halves of surrogate pairs, which a plug-in may give."""
    return text if text.isascii() and "\0" not in text else text.replace("\0", "").encode("utf-8", "replace").decode()


def _packed(section: Section) -> Iterator[tuple[str, int]]:
    held: list[str] = []
    size, first = 0, 0
    for block in section.blocks:
        for text, line in _pieces(block):
            if held and size + len(_GAP) + len(text) > LONGEST:
                yield _GAP.join(held), first
                held, size = [], 0
            if not held:
                first = line
            held.append(text)
            size += len(text) + len(_GAP) * (len(held) > 1)
    if held:
        yield _GAP.join(held), first


def _pieces(block: Block) -> Iterator[tuple[str, int]]:
    """The block, in pieces if it is too long, each with the line that it begins on."""
    if block.fence:
        yield from _code(block)
    elif len(block.text) <= LONGEST:
        yield block.text, block.line
    else:
        yield from _sentences(block)


def _code(block: Block) -> Iterator[tuple[str, int]]:
    """Code between its fences; what is too long is cut between lines, and every piece has fences."""
    mark = re.match(r"`+|~+", block.fence)
    opening, closing = block.fence[:80], mark[0] if mark else "```"
    room = LONGEST - len(opening) - len(closing) - 2
    held: list[str] = []
    size, first = 0, block.line
    for number, line in enumerate(block.text.split("\n"), block.line + 1):
        for part in _hard_cut(line, room):
            if held and size + 1 + len(part) > room:
                yield "\n".join([opening, *held, closing]), first
                held, size, first = [], 0, number
            held.append(part)
            size += len(part) + 1
    yield "\n".join([opening, *held, closing]), first


def _sentences(block: Block) -> Iterator[tuple[str, int]]:
    """Whole sentences as long as they fit; the last ones of a piece begin the next, so that none loses its context."""
    held: list[str] = []
    size, line, first = 0, block.line, block.line
    for sentence in _SENTENCE.findall(block.text):
        for part in _hard_cut(sentence, LONGEST):
            if size + len(part) > LONGEST:
                yield "".join(held).strip(), first
                held = _end_of(held, LONGEST - len(part))
                size = sum(map(len, held))
                first = line - "".join(held).count("\n") if line else 0
            held.append(part)
            size += len(part)
            line += part.count("\n") if line else 0
    if rest := "".join(held).strip():
        yield rest, first


def _end_of(parts: list[str], room: int) -> list[str]:
    """The last parts that are no longer than the overlap, and leave room for what follows."""
    kept, size = 0, 0
    for part in reversed(parts):
        size += len(part)
        if size > min(OVERLAP, room):
            break
        kept += 1
    return parts[len(parts) - kept :]


def _hard_cut(text: str, room: int) -> Iterator[str]:
    """Text that nothing divides: cut at a space if there is one, and never within what is written as one character."""
    start = 0
    while len(text) - start > room:
        end = start + room
        space = text.rfind(" ", start + room // 2, end)
        end = space + 1 if space > 0 else _edge(text, start, end)
        yield text[start:end]
        start = end
    yield text[start:]


def _edge(text: str, start: int, end: int) -> int:
    """The last place up to `end` where a character ends with all its marks; `end` itself where there is none near."""
    for at in range(end, max(start, end - 32), -1):
        if not KINDS[text[at]] & (MARK | INVISIBLE) and not KINDS[text[at - 1]] & INVISIBLE:
            return at
    return end
