"""Marked places in values, by their path from a root: what stands there is hidden, and so is all that stands in it."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

Mark: TypeAlias = tuple[str, ...]

ANY = "*"
"""In a mark, or in a path, every item of a list and every member of an object."""

MASK = "***"


class Marks:
    """Marks, ready to be held against values. `path` is always where a value stands, from its root."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        self._by_root: dict[str, list[Mark]] = {}
        for mark in sorted(marks):
            self._by_root.setdefault(mark[0], []).append(mark)

    def within(self, path: Mark) -> list[Mark]:
        """The marks within the value at `path`, from there on; the empty one if all of it is marked."""
        return [rest for mark in self._by_root.get(path[0], ()) if (rest := _rest(mark, path)) is not None]

    def touch(self, paths: Iterable[str]) -> bool:
        """Whether anything marked is read at one of these dotted paths."""
        return any(self.within(tuple(path.split("."))) for path in paths)

    def masked(self, path: Mark, value: Any) -> Any:
        """`value` with what is marked replaced."""
        marks = self.within(path)
        return _masked(marks, value) if marks else value

    def parts(self, path: Mark, value: Any) -> Iterator[Any]:
        """What is marked in `value`."""
        marks = self.within(path)
        if marks:
            yield from _parts(marks, value)


def _rest(mark: Mark, path: Mark) -> Mark | None:
    if any(one != other and ANY not in (one, other) for one, other in zip(mark, path, strict=False)):
        return None
    return mark[len(path) :]


def _masked(marks: list[Mark], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, dict) and () not in marks:
        return {name: _masked(inner, part) if (inner := _inside(marks, name)) else part for name, part in value.items()}
    if isinstance(value, list) and () not in marks:
        pairs = ((part, _inside(marks, str(number))) for number, part in enumerate(value))
        return [_masked(inner, part) if inner else part for part, inner in pairs]
    return MASK


def _parts(marks: list[Mark], value: Any) -> Iterator[Any]:
    if () in marks or not isinstance(value, dict | list):
        yield value
        return
    for name, part in value.items() if isinstance(value, dict) else enumerate(value):
        if inner := _inside(marks, str(name)):
            yield from _parts(inner, part)


def _inside(marks: list[Mark], name: str) -> list[Mark]:
    return [mark[1:] for mark in marks if mark[0] in (name, ANY)]
