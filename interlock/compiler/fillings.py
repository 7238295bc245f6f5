"""What may have filled cells and variables by some point of a procedure, and what is known after branches meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from interlock.compiler.cell_reads import Filled
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

MOST_STEPS = 16
"""Steps remembered: a mistake shows with the first of them."""

Why: TypeAlias = "tuple[Path, str, bool]"
"""A place and words: why a cell may be missing; whether a condition decides it."""


@dataclass(frozen=True, slots=True)
class Filling:
    """`steps`: those that may have filled it last. `sure`: one has. `gone`: the call that made it stale."""

    steps: tuple[Path, ...] = ()
    sure: bool = False
    why: Why | None = None
    gone: Path | None = None

    def unsure(self, why: Why | None) -> Filling:
        """The same, but perhaps missing."""
        return replace(self, sure=False, why=self.why if not self.sure and self.why else why)

    def also(self, other: Filling) -> Filling:
        """One or the other."""
        steps = tuple(dict.fromkeys((*self.steps, *other.steps)))[:MOST_STEPS]
        unsure = next((one.why for one in (self, other) if not one.sure and one.why), None)
        return Filling(steps, self.sure and other.sure, unsure, self.gone or other.gone)


EMPTY = Filling()

Change: TypeAlias = "dict[Filled, Filling]"
"""What a list of steps has made of what it fills."""


class Cells:
    """The fillings at the point that a walk has come to. What is changed within a branch can be taken back.

    `before` says what stands when the walk begins: nothing, if it is not given.
    """

    def __init__(self, before: Callable[[Filled], Filling] | None = None) -> None:
        self._before = before
        self._now: dict[Filled, Filling] = {}
        self._log: list[tuple[Filled, Filling | None]] = []

    def get(self, what: Filled) -> Filling:
        """What may have filled it."""
        if what not in self._now:
            return self._before(what) if self._before is not None else EMPTY
        return self._now[what]

    def set(self, what: Filled, filling: Filling) -> None:
        """It is filled otherwise from here on."""
        self._log.append((what, self._now.get(what)))
        self._now[what] = filling

    def put(self, change: Mapping[Filled, Filling]) -> None:
        """Take in what a branch has changed."""
        for what, filling in change.items():
            self.set(what, filling)

    def mark(self) -> int:
        """The point to which `back` may return."""
        return len(self._log)

    def back(self, mark: int) -> Change:
        """Return to a point; what had changed since."""
        change = {what: self._now[what] for what, _ in self._log[mark:]}
        for what, before in reversed(self._log[mark:]):
            if before is None:
                del self._now[what]
            else:
                self._now[what] = before
        del self._log[mark:]
        return change


def either(cells: Cells, ways: Sequence[Change], none_taken: Why | None, other_taken: Why | None = None) -> Change:
    """What holds when one of the ways was taken; `none_taken` says that none may have been, and why."""
    touched: dict[Filled, list[Filling]] = {}
    for way in ways:
        for what, filling in way.items():
            touched.setdefault(what, []).append(filling)
    met: Change = {}
    for what, fillings in touched.items():
        before = cells.get(what)
        found = _all(fillings)
        left_out = none_taken or (other_taken if len(fillings) < len(ways) else None)
        if left_out is not None:
            found = found.also(before if before.sure else before.unsure(left_out))
        met[what] = found
    return met


def together(cells: Cells, lanes: Iterable[Change]) -> Change:
    """What holds when all lanes have been gone through, in whatever order."""
    touched: dict[Filled, list[Filling]] = {}
    for lane in lanes:
        for what, filling in lane.items():
            touched.setdefault(what, []).append(filling)
    met: Change = {}
    for what, fillings in touched.items():
        found = _all(fillings)
        before = set(cells.get(what).steps)
        fresh = any(one.sure and before.isdisjoint(one.steps) for one in fillings)
        steps = tuple(step for step in found.steps if step not in before) if fresh else found.steps
        sure = found.gone is None and any(one.sure for one in fillings)
        met[what] = replace(found, steps=steps, sure=sure)
    return met


def _all(fillings: Sequence[Filling]) -> Filling:
    found = fillings[0]
    for filling in fillings[1:]:
        found = found.also(filling)
    return found


def filled_by(step: Written) -> list[Filled]:
    """What a step fills."""
    match step.action:
        case "call":
            return [("cells", step.model.call)]
        case "set":
            return [("vars", name) for name in step.model.set]
        case _:
            return []
