"""The data of a document while it is changed: keys renamed, items of lists taken out, and where all of it stood."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.compiler.shape_words import at_path
from interlock.source import MovedPlaces

if TYPE_CHECKING:
    from interlock.source import Document, KeyPath

GONE: Any = object()
"""Stands for an item of a list that has been left out, until the list is closed up."""


class Rewritten:
    """A copy of a document's data, in `document` with the places as written."""

    def __init__(self, written: Document) -> None:
        self.data: dict[str, Any] = deepcopy(written.data)
        self.document = replace(written, data=self.data, places=MovedPlaces(written.places, self.as_written))
        self._origins: dict[int, tuple[Any, Any]] = {}
        self._shortened: list[list[Any]] = []

    def at(self, path: KeyPath) -> Any:
        """What is at a path now; None where there is nothing."""
        return at_path(self.data, path)

    def put(self, path: KeyPath, value: Any) -> None:
        """Another value at a path, or one where there was none."""
        self.at(path[:-1])[path[-1]] = value

    def rename(self, path: KeyPath, name: str) -> None:
        """Another name for a key, in its place."""
        holder, key = self.at(path[:-1]), path[-1]
        renamed = {name if other == key else other: value for other, value in holder.items()}
        holder.clear()
        holder.update(renamed)
        _, names = self._origins.setdefault(id(holder), (holder, {}))
        names[name] = names.pop(key, key)

    def take_out(self, path: KeyPath) -> None:
        """Without a key, or an item of a list, which keeps its place until the list is closed up."""
        holder, key = self.at(path[:-1]), path[-1]
        if isinstance(holder, list):
            holder[int(key)] = GONE
            self._shortened.append(holder)
        else:
            del holder[key]

    def close_up(self) -> None:
        """Without the items that have been taken out of lists."""
        for shortened in self._shortened:
            _, indices = self._origins.get(id(shortened), (None, range(len(shortened))))
            kept = [index for index, item in enumerate(shortened) if item is not GONE]
            self._origins[id(shortened)] = (shortened, [indices[index] for index in kept])
            shortened[:] = [shortened[index] for index in kept]
        self._shortened = []

    def as_written(self, path: KeyPath) -> KeyPath:
        """The path that the author wrote for what is at `path` now."""
        found: list[str | int] = []
        value: Any = self.data
        for step in path:
            _, origins = self._origins.get(id(value), (None, {}))
            if isinstance(origins, dict):
                found.append(origins.get(step, step))
            else:
                found.append(origins[step] if isinstance(step, int) and step < len(origins) else step)
            value = at_path(value, (step,))
        return tuple(found)
