"""Server-sent events out of bytes: a small strict reader that knows lines, `event` and `data`, and has a limit."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from interlock_activities.failures import failed

_LINE_END = re.compile(rb"\r\n|\n|\r(?=[^\n])")
"""A lone return counts once it is seen that no newline follows."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name, empty if it has none, and its data."""

    name: str
    data: str


class Events:
    """Is fed bytes as they come. An event that the stream breaks off in is none."""

    def __init__(self, max_bytes: int) -> None:
        self._limit = max_bytes
        self._left = bytearray()
        self._looked = 0
        self._name = b""
        self._data: list[bytes] = []
        self._size = 0
        self._first = True

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that are whole now; raises Failure for one that is too large or not UTF-8."""
        self._left += chunk
        start = 0
        while found := _LINE_END.search(self._left, self._looked):
            line = bytes(self._left[start : found.start()])
            start = self._looked = found.end()
            event = self._line(line)
            if event is not None:
                yield event
        del self._left[:start]
        self._looked = max(0, len(self._left) - 1)
        if len(self._left) > self._limit:
            raise self._too_large()

    def _line(self, line: bytes) -> Event | None:
        if self._first:
            line, self._first = line.removeprefix(codecs.BOM_UTF8), False
        if not line:
            return self._event()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value
        elif field == b"data":
            self._data.append(value)
            self._size += len(value)
            if self._size > self._limit:
                raise self._too_large()
        return None

    def _event(self) -> Event | None:
        name, data = self._name, self._data
        self._name, self._data, self._size = b"", [], 0
        if not data:
            return None
        try:
            return Event(name.decode(), b"\n".join(data).decode())
        except UnicodeDecodeError:
            raise failed("an event is not UTF-8") from None

    def _too_large(self) -> Exception:
        return failed(f"an event of more than {self._limit:,} bytes", retryable=False)
