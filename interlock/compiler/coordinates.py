"""Follows cells and variables along the steps of a procedure: at each place, what may have filled what is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from interlock.compiler.cell_reads import of_site, of_step, of_tool, sites_by_step
from interlock.compiler.fillings import Cells, Filling, either, filled_by, together
from interlock.compiler.lanes import Lanes, lanes_of
from interlock.compiler.sites import own_sites
from interlock.compiler.walk import Written, all_steps, listed_steps
from interlock.spec.durations import is_duration, milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from interlock.compiler.cell_reads import CellRead, Filled
    from interlock.compiler.fillings import Change
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path


@dataclass(frozen=True, slots=True)
class Meeting:
    """A read and what may have filled its cell. `rival`: a call that may do so at the same time.

    `age_ms`: how old the cell is at least, by the waits between.
    """

    step: Path
    read: CellRead
    filling: Filling
    rival: Path | None = None
    age_ms: int = 0


@dataclass(slots=True)
class Coordinates:
    """One walk of a Procedure. `met` is every read of a cell or variable; `undoing` the steps that something undoes.

    `waited_ms` is how long it waits at least, the procedures that it runs among it.
    """

    unit: Unit
    met: list[Meeting] = field(default_factory=list)
    undoing: list[Written] = field(default_factory=list)
    waited_ms: int = 0
    _cells: Cells = field(default_factory=Cells)
    _made: list[tuple[Filled, Path]] = field(default_factory=list)
    _killed: list[Filled] = field(default_factory=list)
    _lanes: list[Lanes] = field(default_factory=list)
    _made_at: dict[Path, int] = field(default_factory=dict)

    def walk(self) -> None:
        """Walk all steps, then what the Procedure gives back."""
        steps = self.unit.steps
        if steps is not None and self._listed(listed_steps(steps)):
            for site in own_sites(self.unit):
                for read in of_site(site):
                    self._meet((), read)

    def undo(self, step: Written) -> None:
        """Walk what undoes a step."""
        self._listed(step.undoing)

    def _listed(self, steps: Sequence[Written]) -> bool:
        """Steps in order; whether anything follows them."""
        return all(self._step(step) for step in steps)

    def _step(self, step: Written) -> bool:
        self._reads(step, after=False)
        mark, made, killed, waited = self._cells.mark(), len(self._made), len(self._killed), self.waited_ms
        on = self._action(step)
        if step.undoing:
            self.undoing.append(step)
        if step.model.when is None and not step.model.catch:
            return on
        change = self._cells.back(mark)
        self.waited_ms = waited
        ways = [change] if on else []
        ways += self._caught(step, made, killed)
        why = ((*step.path, "when"), "this does not hold", True) if step.model.when is not None else None
        other = ((*step.path, "catch"), "it is filled only on one side of this", False) if step.model.catch else None
        self._cells.put(either(self._cells, ways, why, other))
        return bool(ways) or why is not None

    def _caught(self, step: Written, made: int, killed: int) -> list[Change]:
        """What each catch leaves, from whatever had been done when the failure came."""
        partly: Change = {}
        why = ((*step.path, "catch"), "a failure is caught here", False)
        for what, path in self._made[made:]:
            if path != step.path:
                filling = partly.get(what, self._cells.get(what).unsure(why))
                partly[what] = filling.also(Filling((path,), sure=True)).unsure(why)
        for what in self._killed[killed:]:
            partly[what] = partly.get(what, self._cells.get(what)).unsure(why)
        for what in filled_by(step):
            if not (before := self._cells.get(what)).sure:
                partly.setdefault(what, before.unsure(why))
        ways = []
        for steps in step.catches:
            on, change = self._apart(steps, partly)
            ways += [change] if on else []
        return ways

    def _apart(self, steps: Sequence[Written], begin: Change | None = None) -> tuple[bool, Change]:
        """Steps that may be taken or not: whether anything follows them, and what they change; here all is as before.

        How long they wait does not count either: other ways may be shorter.
        """
        mark, waited = self._cells.mark(), self.waited_ms
        self._cells.put(begin or {})
        on = self._listed(steps)
        self.waited_ms = waited
        return on, self._cells.back(mark)

    def _action(self, step: Written) -> bool:
        match step.action:
            case "call":
                self._call(step)
            case "set":
                self._fill(step)
            case "switch":
                return self._switch(step)
            case "parallel":
                return self._parallel(step)
            case "for_each":
                self._loop(step)
            case "do":
                return self._listed(step.inner[0])
            case "wait" if is_duration(step.model.wait):
                self.waited_ms += milliseconds(step.model.wait)
            case "run" if (child := self.unit.procedures.get(step.model.run)) is not None:
                self.waited_ms += child.memo.get("waits", 0)
            case "end" | "fail":
                return False
        return True

    def _call(self, step: Written) -> None:
        tool = self.unit.find("tools", step.model.call)
        if tool is None:
            return
        for name in tool.model.invalidates or ():
            why = ((*step.path, "call"), "this makes it stale", False)
            self._cells.set(("cells", name), Filling(why=why, gone=step.path))
            self._killed.append(("cells", name))
        self._fill(step)
        self._reads(step, after=True)

    def _fill(self, step: Written) -> None:
        for what in filled_by(step):
            self._cells.set(what, Filling((step.path,), sure=True))
            self._made.append((what, step.path))
        self._made_at[step.path] = self.waited_ms

    def _switch(self, step: Written) -> bool:
        ways = []
        for steps in step.inner:
            on, change = self._apart(steps)
            ways += [change] if on else []
        open_end = step.model.switch[-1].when is not None
        why = ((*step.path, "switch"), "no branch holds", True) if open_end else None
        other = ((*step.path, "switch"), "another branch leaves it out", True)
        self._cells.put(either(self._cells, ways, why, other))
        return bool(ways) or open_end

    def _parallel(self, step: Written) -> bool:
        lanes = lanes_of(self.unit, step)
        self._lanes.append(lanes)
        changes, all_on = [], True
        for name, steps in zip(step.model.parallel, step.inner, strict=True):
            lanes.here = name
            on, change = self._apart(steps)
            all_on = all_on and on
            changes.append(change)
        self._lanes.pop()
        self._cells.put(together(self._cells, changes))
        return all_on

    def _loop(self, step: Written) -> None:
        """What a pass fills is its own, and goes with it; what it makes stale may be gone around it too."""
        made, killed = len(self._made), len(self._killed)
        self._apart(step.inner[0])
        del self._made[made:]
        for what in self._killed[killed:]:
            why = ((*step.path, "for_each"), "a pass of this loop makes it stale", False)
            self._cells.set(what, self._cells.get(what).unsure(why))

    def _reads(self, step: Written, *, after: bool) -> None:
        tool = self.unit.find("tools", step.model.call) if step.action == "call" else None
        reads = [read for site in self._sites().get(step.path, ()) for read in of_step(site)]
        for read in (*reads, *(of_tool(tool) if tool is not None else ())):
            if read.after == after:
                self._meet(step.path, read)

    def _sites(self) -> Any:
        if "sites by step" not in self.unit.memo:
            self.unit.memo["sites by step"] = sites_by_step(self.unit)
        return self.unit.memo["sites by step"]

    def _meet(self, step: Path, read: CellRead) -> None:
        filling = self._cells.get(read.filled)
        rival: Path | None = None
        for lanes in self._lanes if read.path[0] == "cells" else ():
            rival = rival or lanes.filled_beside(read.path[1])
            if (emptied := lanes.emptied_beside(read.path[1])) is not None:
                filling = filling.unsure(((*emptied, "call"), "this runs at the same time, and makes it stale", False))
        age_ms = min((self.waited_ms - self._made_at.get(one, self.waited_ms) for one in filling.steps), default=0)
        self.met.append(Meeting(step, read, filling, rival, age_ms))


def followed(unit: Unit) -> Coordinates:
    """The walk of a Procedure; those that it runs come first, for how long they wait counts here too."""
    coordinates = Coordinates(unit)
    coordinates.walk()
    if not any(step.action == "end" for step in all_steps(unit)):
        unit.memo["waits"] = coordinates.waited_ms
    return coordinates


def undone(unit: Unit, step: Written, before: Callable[[Filled], Filling]) -> list[Meeting]:
    """The reads of what undoes a step; `before` says what may have filled something by then."""
    coordinates = Coordinates(unit, _cells=Cells(before))
    coordinates.undo(step)
    return coordinates.met
