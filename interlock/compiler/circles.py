"""Which parts or specs stand on a circle of those that need each other, in time that grows with their number only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from interlock.compiler.units import Part, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Member = TypeVar("Member", Part, Unit)


def on_circles(parts: Iterable[Member], needs: Callable[[Member], Iterable[Member]]) -> set[Member]:
    """The parts that need themselves, directly or through others: Tarjan's components, without recursion."""
    search: _Search[Member] = _Search(needs)
    for part in parts:
        search.walk(part)
    return search.found


class _Search(Generic[Member]):
    def __init__(self, needs: Callable[[Member], Iterable[Member]]) -> None:
        self._needs: Callable[[Member], Iterable[Member]] = needs
        self._number: dict[Member, int] = {}
        self._lowest: dict[Member, int] = {}
        self._open: dict[Member, None] = {}
        self.found: set[Member] = set()

    def walk(self, start: Member) -> None:
        if start in self._number:
            return
        way = [(start, self._enter(start))]
        while way:
            part, following = way[-1]
            inner = next(following, None)
            if inner is None:
                way.pop()
                self._leave(part)
                if way:
                    self._reaches(way[-1][0], self._lowest[part])
            elif inner not in self._number:
                way.append((inner, self._enter(inner)))
            elif inner in self._open:
                self._reaches(part, self._number[inner])
                if inner is part:
                    self.found.add(part)

    def _enter(self, part: Member) -> Iterator[Member]:
        self._number[part] = self._lowest[part] = len(self._number)
        self._open[part] = None
        return iter(self._needs(part))

    def _reaches(self, part: Member, number: int) -> None:
        self._lowest[part] = min(self._lowest[part], number)

    def _leave(self, part: Member) -> None:
        """Close the component that begins with the part: whoever was entered since then belongs to it."""
        if self._lowest[part] != self._number[part]:
            return
        members = []
        while part in self._open:
            members.append(self._open.popitem()[0])
        if len(members) > 1:
            self.found.update(members)
