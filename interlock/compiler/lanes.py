"""The branches of a `parallel`, as a read in one of them sees them: what those beside may do to its cell meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from interlock.compiler.apart import stands_in
from interlock.compiler.walk import every

if TYPE_CHECKING:
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

Calls: TypeAlias = "dict[str, dict[str, Path]]"
"""By tool and branch the first call; two branches are enough to know one beside any."""

ENOUGH = 2


@dataclass(slots=True)
class Lanes:
    """`here` is the branch that a walk is in; `fills` and `empties` are calls that fill cells, or make them stale."""

    here: str = ""
    fills: Calls = field(default_factory=dict)
    empties: Calls = field(default_factory=dict)

    def filled_beside(self, tool: str) -> Path | None:
        """A call of another branch that may fill the cells of a tool."""
        return self._beside(self.fills, tool)

    def emptied_beside(self, tool: str) -> Path | None:
        """A call of another branch that makes them stale."""
        return self._beside(self.empties, tool)

    def _beside(self, calls: Calls, tool: str) -> Path | None:
        return next((path for name, path in calls.get(tool, {}).items() if name != self.here), None)


def lanes_of(unit: Unit, step: Written) -> Lanes:
    """The branches of a step; a pass of a loop within them fills for itself, and empties for all.

    What undoes a step runs when all of them have ended.
    """
    lanes = Lanes()
    for name, steps in zip(step.model.parallel, step.inner, strict=True):
        for inner in every(steps):
            within = inner.path[len(step.path) + 2 :]
            tool = unit.find("tools", inner.model.call) if inner.action == "call" else None
            if tool is None or stands_in(within, "compensate"):
                continue
            if not stands_in(within, "for_each"):
                _add(lanes.fills, tool.name, name, inner.path)
            for emptied in tool.model.invalidates or ():
                _add(lanes.empties, emptied, name, inner.path)
    return lanes


def _add(calls: Calls, tool: str, name: str, path: Path) -> None:
    found = calls.setdefault(tool, {})
    if len(found) < ENOUGH:
        found.setdefault(name, path)
