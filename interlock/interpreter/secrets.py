"""The values that are known to be sensitive, and what is kept without them.

They are masked wherever they stand: in texts of people, tools and the engine, whole and in whatever case. Of a record
the names stay as they are, whatever a value happens to be.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from interlock.plan.marks import MASK, Mark, Marks
from interlock.text.known_words import KnownWords, merged

Span: TypeAlias = tuple[int, int]

NAMES = frozenset(
    {"schema", "record_id", "kind", "session", "run", "plan", "status", "timings", "request_id", "language", "number"}
    | {"at", "id", "name", "tool", "step", "slot", "argument", "param", "call", "receipt", "flow", "event", "effect"}
    | {"verdict", "outcome", "role", "model", "stage", "type", "action", "procedure", "chosen_by", "ending"}
)
"""Keys of records whose values are names and words of the spec and the engine, not of people."""

PATHS = frozenset({"source", "reads", "path"})
"""Keys of records under which a text, or each text of a list, is a path."""

VALUES = frozenset({"arguments", "result", "filled", "metadata", "data"})
"""Keys of records whose values are of people and tools, all of them."""

BY_NAME = frozenset({"slots", "conditions", "decisions", "sources"})
"""Keys of records under which entries stand by a name that an author has chosen."""

NUMBER = 4
"""Digits from which on a number is told from others by its value alone."""


class Secrets:
    """The values known to be sensitive."""

    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self._words = KnownWords()

    def learn(self, path: Mark, value: Any) -> None:
        """Know what is sensitive in the value at `path`."""
        for part in self.marks.parts(path, value):
            self.know(part)

    def know(self, value: Any) -> None:
        """Know a value, or all values in it."""
        self._words.add(form for leaf in leaves(value) for form in _forms(leaf))

    def text(self, text: str) -> str:
        """The text with each known value masked."""
        return _replaced(text, self._words.spans(text), lambda _: MASK)

    def starred(self, text: str, spans: Iterable[Span]) -> str:
        """The text with these words, and each known value, replaced letter by letter."""
        return _replaced(text, merged([*spans, *self._words.spans(text)]), lambda length: "*" * length)

    def kept(self, value: Any, *, record: bool = False) -> Any:
        """A value with all texts and longer numbers in it masked; of a `record` the names stay as they are."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self._member(key, part, record=record) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.kept(part, record=record) for part in value]
        if record or isinstance(value, bool) or not isinstance(value, int | float):
            return value
        return MASK if len(digits := str(value)) >= NUMBER and digits in self._words else value

    def _member(self, key: str, value: Any, *, record: bool) -> Any:
        if not record:
            return self.kept(value)
        if key in NAMES or (key in PATHS and _is_text(value)):
            return value
        if isinstance(value, dict) and key in BY_NAME:
            return {name: self.kept(entry, record=True) for name, entry in value.items()}
        return self.kept(value, record=not (isinstance(value, dict) and key in VALUES))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def leaves(value: Any) -> Iterator[Any]:
    """The texts and numbers in a value."""
    if isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(part)
    elif value is not None and not isinstance(value, bool):
        yield value


def _forms(leaf: Any) -> set[str]:
    """How a value is written in texts: as it is, and within quotes."""
    text = str(leaf)
    return {text, repr(text)[1:-1], json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}


def _replaced(text: str, spans: list[Span], sign: Callable[[int], str]) -> str:
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += text[at:start], sign(end - start)
        at = end
    return "".join(parts) + text[at:]
