"""What may have filled the cells of a tool by some point of a procedure, and what is known after branches meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from interlock.compiler.written import Path

MOST_CALLS = 16
"""Calls remembered of one tool: a mistake shows with the first of them."""

Why: TypeAlias = "tuple[Path, str, bool]"
"""A place and words: why a cell may be missing; whether a condition decides it."""


@dataclass(frozen=True, slots=True)
class Filling:
    """`calls`: those that may have filled the cells last. `sure`: one has. `gone`: the call that made them stale."""

    calls: tuple[Path, ...] = ()
    sure: bool = False
    why: Why | None = None
    gone: Path | None = None

    def unsure(self, why: Why | None) -> Filling:
        """The same, but perhaps missing."""
        return replace(self, sure=False, why=self.why if not self.sure and self.why else why)

    def also(self, other: Filling) -> Filling:
        """One or the other."""
        calls = tuple(dict.fromkeys((*self.calls, *other.calls)))[:MOST_CALLS]
        unsure = next((one.why for one in (self, other) if not one.sure and one.why), None)
        return Filling(calls, self.sure and other.sure, unsure, self.gone or other.gone)


EMPTY = Filling()

Change: TypeAlias = "dict[str, Filling]"
"""What a list of steps has made of the cells that it touches, by tool."""


class Cells:
    """The fillings at the point that a walk has come to. What is changed within a branch can be taken back.

    `before` says, by tool, what stands when the walk begins: nothing, if it is not given.
    """

    def __init__(self, before: Callable[[str], Filling] | None = None) -> None:
        self._before = before
        self._now: dict[str, Filling] = {}
        self._log: list[tuple[str, Filling | None]] = []

    def get(self, tool: str) -> Filling:
        """What may have filled the cells of a tool."""
        if tool not in self._now:
            return self._before(tool) if self._before is not None else EMPTY
        return self._now[tool]

    def set(self, tool: str, filling: Filling) -> None:
        """The cells of a tool are filled otherwise from here on."""
        self._log.append((tool, self._now.get(tool)))
        self._now[tool] = filling

    def put(self, change: Mapping[str, Filling]) -> None:
        """Take in what a branch has changed."""
        for tool, filling in change.items():
            self.set(tool, filling)

    def mark(self) -> int:
        """The point to which `back` may return."""
        return len(self._log)

    def back(self, mark: int) -> Change:
        """Return to a point; what had changed since."""
        change = {tool: self._now[tool] for tool, _ in self._log[mark:]}
        for tool, before in reversed(self._log[mark:]):
            if before is None:
                del self._now[tool]
            else:
                self._now[tool] = before
        del self._log[mark:]
        return change


def either(cells: Cells, ways: Sequence[Change], none_taken: Why | None, other_taken: Why | None = None) -> Change:
    """What holds when one of the ways was taken; `none_taken` says that none may have been, and why."""
    touched: dict[str, list[Filling]] = {}
    for way in ways:
        for tool, filling in way.items():
            touched.setdefault(tool, []).append(filling)
    met: Change = {}
    for tool, fillings in touched.items():
        before = cells.get(tool)
        found = _all(fillings)
        left_out = none_taken or (other_taken if len(fillings) < len(ways) else None)
        if left_out is not None:
            found = found.also(before if before.sure else before.unsure(left_out))
        met[tool] = found
    return met


def together(cells: Cells, lanes: Iterable[Change]) -> Change:
    """What holds when all lanes have been gone through, in whatever order."""
    touched: dict[str, list[Filling]] = {}
    for lane in lanes:
        for tool, filling in lane.items():
            touched.setdefault(tool, []).append(filling)
    met: Change = {}
    for tool, fillings in touched.items():
        found = _all(fillings)
        before = set(cells.get(tool).calls)
        fresh = any(one.sure and before.isdisjoint(one.calls) for one in fillings)
        calls = tuple(call for call in found.calls if call not in before) if fresh else found.calls
        sure = found.gone is None and any(one.sure for one in fillings)
        met[tool] = replace(found, calls=calls, sure=sure)
    return met


def _all(fillings: Sequence[Filling]) -> Filling:
    found = fillings[0]
    for filling in fillings[1:]:
        found = found.also(filling)
    return found
