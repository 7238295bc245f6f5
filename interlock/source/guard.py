"""From YAML events to plain data with places; what a spec may not use is refused where it stands."""

import re
from typing import TYPE_CHECKING, Any

from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from interlock.diagnostics import Diagnostic, Location
from interlock.source import habits, scalars
from interlock.source.decode import MOST_FINDINGS, Text
from interlock.source.places import ScalarSpot, Spot

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_DEPTH = 64
MOST_NODES = 100_000

_STYLE = {None: 0, "": 0, "'": 1, '"': 2, "|": 3, ">": 4}
_WHITE = frozenset(" \t")
_COMMENT = re.compile(r"[ \t]+#")


class StopReading(Exception):  # noqa: N818 -- not an error: the findings say what is wrong
    """Nothing more can be said about this file."""


class Guard:
    """Reads the one document of a text. Its findings and what it noticed by the way are filled while it reads."""

    most_nodes = MOST_NODES

    def __init__(self, text: Text) -> None:
        self._text = text
        self._content = text.content
        self._following: Callable[[], Any] = CParser(text.content.encode()).get_event
        self._nodes = 0
        self.findings: list[Diagnostic] = []
        self.refused: set[int] = set()
        """Indices of the values that were refused; more complaints about them would be noise."""
        self.commented: list[int] = []
        """Indices of the unquoted scalars that a comment follows."""
        self.several_lines: list[tuple[int, int]] = []
        """First and last index of the scalars over several lines."""

    def read(self) -> tuple[Any, Spot] | None:
        """The document's data and places; None if there is none. Raises `yaml.YAMLError` and `StopReading`."""
        following = self._following
        following()
        if type(following()) is StreamEndEvent:
            return None
        found = self._node(following(), 0, in_list=False)
        following()
        event = following()
        if type(event) is DocumentStartEvent:
            self._report("several-documents", "a second document in one file", event, "give it a file of its own")
        return found

    def _node(self, event: Any, depth: int, *, in_list: bool) -> tuple[Any, Spot]:
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event, in_list)
        self._count(event)
        if depth >= MOST_DEPTH:
            self._stop("too-deep", f"nested deeper than {MOST_DEPTH} levels", event, "flatten it")
        if kind is AliasEvent:
            self._alias(event)
            return None, event.start_mark.index << 3
        if event.anchor is not None or event.tag is not None:
            self._marked(event)
        return self._sequence(event, depth) if kind is SequenceStartEvent else self._mapping(event, depth, in_list)

    def _count(self, event: Any) -> None:
        self._nodes += 1
        if self._nodes > self.most_nodes:
            self._stop("too-many-nodes", f"more than {self.most_nodes:,} values in one file", event, "split the file")

    def _scalar(self, event: Any, in_list: bool) -> tuple[Any, ScalarSpot]:
        self._nodes += 1
        if self._nodes > self.most_nodes:
            self._count(event)
        value = event.value
        first, last = event.start_mark, event.end_mark
        index, end = first.index, last.index
        style = _STYLE[event.style]
        if event.anchor is not None or event.tag is not None:
            self._marked(event)
        if end - index != len(value) + (2 if style else 0) and first.line != last.line:
            self.several_lines.append((index, end))
            self._add(habits.joined(self._text, index, end, style))
        if style:
            if not value.isprintable():
                self._add(habits.escaped(self._text, index, value))
            return value, index << 3 | style
        if self._content[end : end + 1] in _WHITE and _COMMENT.match(self._content, end):
            self.commented.append(index)
        if value[:1] in scalars.NUMERIC or value in scalars.WORDS or value in scalars.VARIANTS:
            value = self._typed(event)
        elif not value.isascii():
            self._add(habits.full_width(self._text, index, value, in_list=in_list))
        return value, index << 3

    def _typed(self, event: Any) -> Any:
        value, read_as = scalars.plain(event.value)
        if read_as:
            self.refused.add(event.start_mark.index)
            message = f"unquoted {event.value!r} would not survive: YAML reads {read_as}"
            self._report("unsafe-scalar", message, event, scalars.remedy(event.value))
        return value

    def _sequence(self, event: Any, depth: int) -> tuple[list[Any], Spot]:
        following = self._following
        data: list[Any] = []
        spots: list[Spot] = []
        spot: Spot
        in_list = bool(event.flow_style)
        while (kind := type(item := following())) is not SequenceEndEvent:
            if kind is ScalarEvent:
                value, spot = self._scalar(item, in_list)
            else:
                value, spot = self._node(item, depth + 1, in_list=in_list)
            data.append(value)
            spots.append(spot)
        return data, (event.start_mark.index, spots)

    def _mapping(self, event: Any, depth: int, in_list: bool) -> tuple[dict[str, Any], Spot]:
        following = self._following
        data: dict[str, Any] = {}
        spots: dict[str, tuple[int, Spot]] = {}
        spot: Spot
        start = event.start_mark.index
        flow = event.flow_style
        if in_list and self._content[start] != "{":
            self._pair(event)
        while type(first := following()) is not MappingEndEvent:
            key = self._key(first, start, depth)
            second = following()
            if type(second) is ScalarEvent:
                value, spot = self._scalar(second, in_list=False)
            else:
                value, spot = self._node(second, depth + 1, in_list=False)
            if key is None:
                continue
            if flow and value is None and type(second) is ScalarEvent:
                self._split(first, second)
            if key in data:
                self._twice(key, first, spots[key][0])
                continue
            data[key] = value
            spots[key] = (first.start_mark.index, spot)
        return data, (start, spots)

    def _key(self, event: Any, start: int, depth: int) -> str | None:
        """The text of a key; None if it can name nothing, and then its value is read for its findings only."""
        index = event.start_mark.index
        if type(event) is not ScalarEvent:
            if self._content.startswith("{{", start) and index == start + 1:
                hint = "quote the whole value: '{{ … }}'"
                self._report(
                    "unquoted-template", "a value that begins with {{ needs quotes", self._text.at(start), hint
                )
            elif type(event) is AliasEvent:
                self._alias(event)
            else:
                self._report("non-string-key", "a key must be text, not a list or a map", event)
            self._pass_over(event, depth)
            self.refused.add(start)
            return None
        if event.anchor is not None or event.tag is not None:
            self._marked(event)
        key: str = event.value
        if event.style:
            return key
        if key == "<<":
            self._report("merge-key", "YAML merge key '<<'", event, "write the keys out")
            return None
        if key[:1] in scalars.NUMERIC or key in scalars.WORDS or key in scalars.VARIANTS:
            value, read_as = scalars.plain(key)
            if not read_as and isinstance(value, str):
                return key
            self._report("non-string-key", f"the key {key!r} is not text for YAML", event, f"quote it: '{key}'")
        return key

    def _pass_over(self, event: Any, depth: int) -> None:
        """Read a key that can name nothing, without a word about what is in it."""
        said = len(self.findings)
        self._node(event, depth + 1, in_list=False)
        del self.findings[said:]

    def _split(self, key: Any, value: Any) -> None:
        """A key of a flow map without a colon: nearly always a text that a comma split."""
        if ":" in self._content[key.end_mark.index : value.end_mark.index]:
            return
        self.refused.add(value.start_mark.index)
        if "：" in key.value:
            message = f"full-width colon in {key.value!r}: it separates nothing"
            self._report("full-width-colon", message, key, "write ': ' with a space after it")
        else:
            message = f"{key.value!r} has no value: did a comma split your text?"
            self._report("split-text", message, key, "quote the text, or write the keys on lines of their own")

    def _pair(self, event: Any) -> None:
        message = "a colon makes a map of this list item"
        self._report("pair-in-list", message, event, "quote it if it is text; write '{key: value}' if it is a map")

    def _twice(self, key: str, event: Any, first: int) -> None:
        place = self._text.at(event.start_mark.index)
        also = ((self._text.at(first), f"{key!r} stands here first"),)
        self._add([Diagnostic("duplicate-key", f"duplicate key {key!r}", place, hint="keep one of the two", also=also)])

    def _alias(self, event: Any) -> None:
        hint = f"write the value out; if it is text, quote it: '*{event.anchor}'"
        self._report("yaml-alias", f"YAML alias '*{event.anchor}'", event, hint)
        self.refused.add(event.start_mark.index)

    def _marked(self, event: Any) -> None:
        self.refused.add(event.start_mark.index)
        if event.anchor is not None:
            hint = "write the value where it is used; if it is text, quote it"
            self._report("yaml-anchor", f"YAML anchor '&{event.anchor}'", event, hint)
        if event.tag is not None:
            hint = "delete it; if it is text, quote the whole value"
            self._report("yaml-tag", f"YAML tag {event.tag!r}", event, hint)

    def _stop(self, code: str, message: str, event: Any, hint: str) -> None:
        self._report(code, message, event, hint)
        raise StopReading

    def _report(self, code: str, message: str, at: Any, hint: str = "") -> None:
        place = at if isinstance(at, Location) else self._text.at(at.start_mark.index)
        self._add([Diagnostic(code, message, place, hint=hint)])

    def _add(self, findings: list[Diagnostic]) -> None:
        self.findings += findings
        if len(self.findings) >= MOST_FINDINGS:
            raise StopReading
