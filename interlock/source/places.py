"""Where the keys, values and characters of a document stand in its file."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from interlock.diagnostics import Location
from interlock.source.align import index_of
from interlock.source.decode import Text

KeyPath = tuple[str | int, ...]

STYLES: Final = ("plain", "single", "double", "literal", "folded")

ScalarSpot: TypeAlias = int
"""Index of the first character, times eight, plus the number of the style: one small object for each scalar."""

MapSpot: TypeAlias = tuple[int, dict[str, tuple[int, "Spot"]]]
ListSpot: TypeAlias = tuple[int, list["Spot"]]
Spot: TypeAlias = "ScalarSpot | MapSpot | ListSpot"


def start_of(spot: Spot) -> int:
    """Index of the first character of a value."""
    return spot >> 3 if isinstance(spot, int) else spot[0]


class Places:
    """Line and column of every key and value of one document, worked out when asked for."""

    __slots__ = ("_data", "_root", "text")

    def __init__(self, text: Text, root: Spot, data: Any) -> None:
        self.text = text
        self._root = root
        self._data = data

    def value(self, path: KeyPath) -> Location:
        """Place of a value; if it is not there, of the nearest value around it."""
        return self.text.at(start_of(self._walked(path)[0]))

    def key(self, path: KeyPath) -> Location:
        """Place of a key, or of a list item; if it is not there, of the nearest key around it."""
        return self.text.at(self._walked(path)[1])

    def inside(self, path: KeyPath, offset: int) -> Location:
        """Place of the character at `offset` of a scalar's text."""
        return self.text.at(self.index_inside(path, offset))

    def index_inside(self, path: KeyPath, offset: int) -> int:
        """Index in the file of the character at `offset` of a scalar's text."""
        spot = self._exact(path)
        value = self._data
        for step in path if isinstance(spot, int) else ():
            value = value[step]
        if not isinstance(spot, int) or not isinstance(value, str):
            return self.start(path)
        return index_of(self.text.content, spot >> 3, STYLES[spot & 7], value, offset)

    def style(self, path: KeyPath) -> str:
        """How the scalar at `path` is written; "" if there is none."""
        spot = self._exact(path)
        return STYLES[spot & 7] if isinstance(spot, int) else ""

    def has(self, path: KeyPath) -> bool:
        """Whether the author wrote a value at `path`."""
        return self._exact(path) is not None

    def start(self, path: KeyPath) -> int:
        """Index in the file of the value at `path`, or of the nearest one around it."""
        return start_of(self._walked(path)[0])

    def paths(self) -> dict[int, KeyPath]:
        """The path of every scalar, by its index in the file."""
        found: dict[int, KeyPath] = {}
        waiting: list[tuple[KeyPath, Spot]] = [((), self._root)]
        while waiting:
            path, spot = waiting.pop()
            if isinstance(spot, int):
                found[spot >> 3] = path
            elif isinstance(spot[1], dict):
                waiting += [((*path, key), child) for key, (_, child) in spot[1].items()]
            else:
                waiting += [((*path, number), child) for number, child in enumerate(spot[1])]
        return found

    def _exact(self, path: KeyPath) -> "Spot | None":
        spot, _, length = self._walked(path)
        return spot if length == len(path) else None

    def _walked(self, path: KeyPath) -> tuple[Spot, int, int]:
        """The spot of the longest existing prefix, the index of its key, and its length; asked very often."""
        spot: Any = self._root
        key, length = start_of(spot), 0
        for step in path:
            if spot.__class__ is int:
                break
            inner = spot[1]
            if inner.__class__ is dict:
                found = inner.get(step)
                if found is None:
                    break
                key, spot = found
            elif step.__class__ is int and 0 <= step < len(inner):
                spot = inner[step]
                key = spot >> 3 if spot.__class__ is int else spot[0]
            else:
                break
            length += 1
        return spot, key, length


class MovedPlaces(Places):
    """The places of a document whose data has been changed since; `as_written` gives what a path of it was before."""

    __slots__ = ("_as_written", "_before")

    def __init__(self, before: Places, as_written: Callable[[KeyPath], KeyPath]) -> None:
        self.text = before.text
        self._before = before
        self._as_written = as_written

    def index_inside(self, path: KeyPath, offset: int) -> int:
        """Index in the file of the character at `offset` of a scalar's text."""
        return self._before.index_inside(self._as_written(path), offset)

    def paths(self) -> dict[int, KeyPath]:
        """The path of every scalar as it was before, by its index in the file."""
        return self._before.paths()

    def _walked(self, path: KeyPath) -> tuple[Spot, int, int]:
        return self._before._walked(self._as_written(path))  # noqa: SLF001 - of its own kind
