"""HTML: what a reader sees, by headings; scripts, styles and whatever is hidden are dropped."""

import re
from dataclasses import dataclass, field

from interlock_activities.retrieval.documents import Block, Parsed, Section, decoded
from interlock_activities.retrieval.html_tokens import Tag, tokens

_DROPPED = frozenset(
    ("script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select", "textarea")
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCK_WORDS = """
    p div section article main aside header footer nav li ul ol dl dt dd table tr blockquote pre figure figcaption
    form fieldset address details summary hr br body
"""
_BLOCKS = frozenset(_BLOCK_WORDS.split())
_CELLS = frozenset({"td", "th"})
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_SPACES = re.compile(r"\s+")
_LONGEST_HEADING = 200


class HtmlPage:
    """Reads `.html` and `.htm`."""

    name = "html 1"

    def parse(self, content: bytes) -> Parsed:
        """The title is that of the head, or else the first heading of the first level."""
        reading = _Reading()
        for token in tokens(decoded(content)):
            if isinstance(token, Tag):
                reading.tag(token)
            elif not reading.dropped:
                reading.held.append(token)
        reading.end_section()
        return Parsed(reading.title, tuple(reading.sections))


@dataclass
class _Reading:
    title: str = ""
    sections: list[Section] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    dropped: str = ""
    """The element that is left out."""
    depth: int = 0
    """How many elements of its name are open."""
    preformatted: bool = False

    def tag(self, tag: Tag) -> None:
        """Takes up one tag."""
        if self.dropped:
            if tag.name == self.dropped:
                self.depth += -1 if tag.ends else 1
                self.dropped = self.dropped if self.depth else ""
        elif tag.name in _DROPPED or (tag.name not in _VOID and _is_hidden(tag)):
            self.dropped, self.depth = ("", 0) if tag.ends else (tag.name, 1)
        elif tag.name == "title":
            self._title(tag)
        elif tag.name in _HEADINGS and tag.ends:
            self._heading(_HEADINGS[tag.name])
        elif tag.name in _BLOCKS or tag.name in _HEADINGS:
            self._end_block()
            self.preformatted = tag.name == "pre" and not tag.ends
        elif tag.name in _CELLS:
            self.held.append("\t")

    def end_section(self) -> None:
        """Everything since the last heading is a section, if it is anything."""
        self._end_block()
        if self.blocks:
            self.sections.append(Section(tuple(text for _, text in self.headings), tuple(self.blocks)))
        self.blocks = []

    def _title(self, tag: Tag) -> None:
        if tag.ends:
            self.title = self.title or self._text()[:_LONGEST_HEADING]
            self.held = []
        else:
            self._end_block()

    def _heading(self, level: int) -> None:
        text, self.held = self._text()[:_LONGEST_HEADING], []
        self.end_section()
        self.headings = [(depth, above) for depth, above in self.headings if depth < level]
        if text:
            self.headings.append((level, text))
            self.title = self.title or (text if level == 1 else "")

    def _end_block(self) -> None:
        text = "".join(self.held).strip("\n") if self.preformatted else self._text()
        self.held = []
        if text.strip():
            self.blocks.append(Block(text))

    def _text(self) -> str:
        cells = (_SPACES.sub(" ", cell).strip() for cell in "".join(self.held).split("\t"))
        return " | ".join(cell for cell in cells if cell)


def _is_hidden(tag: Tag) -> bool:
    if "hidden" not in tag.written and "none" not in tag.written:
        return False
    attributes = tag.attributes
    style = _SPACES.sub("", attributes.get("style", "")).lower()
    return "hidden" in attributes or attributes.get("aria-hidden") == "true" or "display:none" in style
