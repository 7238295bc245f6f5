"""Markdown: sections by heading, found by heading path and line; front matter and comments are left out."""

import re
from dataclasses import dataclass, field

from interlock_activities.retrieval.documents import Block, Parsed, Section, decoded
from interlock_activities.retrieval.plain_text import paragraphs

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?")
_UNDERLINE = re.compile(r" {0,3}(=++|-++)[ \t]*+")
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)[^`]*+")
_MARKS = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_LONGEST_HEADING = 200
_FRONT = "---"
_COMMENT, _COMMENT_END = "<!--", "-->"


class Markdown:
    """Reads `.md` and `.markdown`."""

    name = "markdown 1"

    def parse(self, content: bytes) -> Parsed:
        """The title is that of the front matter, or else the first heading of the first level."""
        lines = decoded(content).split("\n")
        comments_end = max((number for number, line in enumerate(lines) if _COMMENT_END in line), default=-1)
        reading = _Reading(comments_end)
        start = reading.front_matter(lines)
        number = start
        while number < len(lines):
            number = reading.line(lines, number)
        reading.end_section()
        return Parsed(reading.title, tuple(reading.sections))


@dataclass
class _Reading:
    comments_end: int
    title: str = ""
    sections: list[Section] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    first: int = 1

    def front_matter(self, lines: list[str]) -> int:
        """The number of the first line behind it; its `title` is kept."""
        if lines[0].rstrip() != _FRONT:
            return 0
        for number, line in enumerate(lines[1:], 1):
            if line.rstrip() in (_FRONT, "..."):
                return number + 1
            if line.startswith("title:"):
                self.title = line.removeprefix("title:").strip().strip("'\"")[:_LONGEST_HEADING]
        self.title = ""
        return 0

    def line(self, lines: list[str], number: int) -> int:
        """Reads what begins on a line; the number of the next."""
        line = lines[number]
        if fence := _FENCE.fullmatch(line):
            return self._code(lines, number, fence[1])
        if line.lstrip().startswith(_COMMENT) and number <= self.comments_end:
            return _behind_comment(lines, number)
        if heading := _HEADING.fullmatch(line):
            self._heading(len(heading[1]), _without_closing(heading[2] or ""))
        elif self.held and len(self.held) == 1 and self.held[0].strip() and (under := _UNDERLINE.fullmatch(line)):
            written = self.held.pop()
            self._heading(1 if under[1][0] == "=" else 2, written)
        else:
            if not self.held:
                self.first = number + 1
            self.held.append(line)
            if not line.strip():
                self._end_paragraphs()
        return number + 1

    def end_section(self) -> None:
        """Everything since the last heading is a section, if it is anything."""
        self._end_paragraphs()
        if self.blocks:
            self.sections.append(Section(tuple(text for _, text in self.headings), tuple(self.blocks)))
        self.blocks = []

    def _code(self, lines: list[str], number: int, fence: str) -> int:
        self._end_paragraphs()
        end = number + 1
        while end < len(lines) and not _closes(lines[end], fence):
            end += 1
        text = "\n".join(lines[number + 1 : end])
        if text.strip():
            self.blocks.append(Block(text, number + 1, lines[number].strip()))
        return end + 1

    def _heading(self, level: int, written: str) -> None:
        self.end_section()
        text = _MARKS.sub(lambda match: match[1] or "", written[:_LONGEST_HEADING]).strip()
        self.headings = [(depth, above) for depth, above in self.headings if depth < level]
        if text:
            self.headings.append((level, text))
            self.title = self.title or (text if level == 1 else "")

    def _end_paragraphs(self) -> None:
        self.blocks += paragraphs(self.held, self.first)
        self.held = []


def _behind_comment(lines: list[str], number: int) -> int:
    while _COMMENT_END not in lines[number]:
        number += 1
    return number + 1


def _without_closing(heading: str) -> str:
    """`Title ##` as `Title`; `C#` as it is."""
    text = heading.strip()
    bare = text.rstrip("#")
    return bare if not bare or bare[-1] in " \t" else text


def _closes(line: str, fence: str) -> bool:
    written = line.strip()
    return written.startswith(fence) and not written.strip(fence[0])
