"""Cells and variables in Procedures: each is filled before it is read, on some path at least; cells by one call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from interlock.compiler.apart import contrary, guards_of, loops_around, relation, stands_in, steps_by_path
from interlock.compiler.coordinates import Meeting, followed, undone
from interlock.compiler.fillings import MOST_STEPS, Filling, filled_by
from interlock.compiler.givers import givers_of
from interlock.compiler.lost_answers import LOOK_UP, may_be_lost, undone_by_its_own
from interlock.compiler.order import normal
from interlock.compiler.running_order import all_run, in_running_order
from interlock.compiler.shapes import at_path
from interlock.compiler.sites import scopes_of
from interlock.compiler.unfilled import STALE, reason, remedy
from interlock.compiler.walk import all_steps
from interlock.expressions import paths_of
from interlock.spec.durations import milliseconds

if TYPE_CHECKING:
    from interlock.compiler.cell_reads import Filled
    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location


def check_coordinates(project: Project, findings: Findings) -> None:
    """All Procedures of the bundle."""
    for unit in in_running_order(project.procedures):
        if unit.steps is None or unit.incomplete:
            continue
        coordinates = followed(unit)
        report = _Report(unit, findings)
        for meeting in coordinates.met:
            report.meeting(meeting)
        for step in coordinates.undoing:
            report.undoing(step)


class _Report:
    """What is told of one Procedure; of each step, and all cells of a tool or one variable, once."""

    def __init__(self, unit: Unit, findings: Findings) -> None:
        self._unit = unit
        self._findings = findings
        self._told: set[tuple[Path, Filled]] = set()
        self._givers = givers_of(unit)
        self._below: dict[str, str] | None = None
        self._pairs: dict[tuple[Path, Path], bool] = {}

    def meeting(self, met: Meeting) -> None:
        """One read at its place in the walk."""
        what, filling = met.read.filled, met.filling
        if (met.step, what) in self._told or not self._is_known(what):
            return
        if not filling.steps:
            self._unfilled(met)
        elif what[0] == "cells" and (rivals := self._rivals(met)) is not None:
            self._two(met, rivals)
        elif not filling.sure and met.read.needed and not self._is_guarded(met):
            self._perhaps(met)
        elif met.read.max_age and met.age_ms > milliseconds(met.read.max_age):
            self._too_old(met)
        else:
            return
        self._told.add((met.step, what))

    def _is_known(self, what: Filled) -> bool:
        """Whether it is there at all; what is not is told where names are checked."""
        return what in self._givers if what[0] == "vars" else self._unit.find("tools", what[1]) is not None

    def undoing(self, step: Written) -> None:
        """What undoes a step runs when all else has been done or has failed: any call may have filled its cells."""

        def before(what: Filled) -> Filling:
            if what in filled_by(step):
                return undone_by_its_own(self._unit, step)
            steps = self._before_undoing(step, what)
            return Filling(steps, sure=bool(steps))

        for met in undone(self._unit, step, before):
            self.meeting(met)

    def _before_undoing(self, step: Written, what: Filled) -> tuple[Path, ...]:
        around = loops_around(self._unit, step.path)
        found = []
        for path in [step.path for step in self._givers.get(what, ())][:MOST_STEPS]:
            loops = loops_around(self._unit, path)
            seen = loops == around[: len(loops)]
            related = path == step.path or relation(self._unit, path, step.path) != "exclusive"
            if seen and related and not stands_in(path, "compensate"):
                found.append(path)
        return tuple(found)

    # -- nothing has filled it ----------------------------------------------------------------------------------------

    def _unfilled(self, met: Meeting) -> None:
        root, name = met.read.filled
        place, also = self._place(met)
        steps = [step.path for step in self._givers.get(met.read.filled, ())]
        if not steps:
            message = f"`{met.read}` is never filled: no step of this procedure calls {name!r}"
            hint = self._elsewhere(name) or f"add `- call: {name}` before it"
            self._findings.error("cell-never-filled", message, place, also=also, hint=hint)
            return
        if met.filling.gone is not None:
            other, why = met.filling.gone, STALE
        else:
            other, why = reason(self._unit, met.step, steps)
        also = (*also, (self._step(other), why))
        if root == "vars":
            message = f"nothing can have given `{met.read}` a value before this: it is always none here"
            self._findings.error("variable-not-set-yet", message, place, also=also, hint=remedy(met.read, why))
            return
        message = f"nothing can have filled `{met.read}` before this"
        self._findings.error("cell-not-filled-yet", message, place, also=also, hint=remedy(met.read, why))

    def _elsewhere(self, tool: str) -> str:
        if self._below is None:
            self._below = {}
            for child in all_run(self._unit)[1:]:
                for step in all_steps(child):
                    if step.action == "call":
                        self._below.setdefault(step.model.call, child.name)
        child_name = self._below.get(tool)
        hint = "what procedure {!r} fills is its own: let it give the value back by `result`"
        return hint.format(child_name) if child_name is not None else ""

    # -- more than one call may have filled it ------------------------------------------------------------------------

    def _rivals(self, met: Meeting) -> tuple[Path, Path] | None:
        calls = met.filling.steps
        if met.rival is not None and not self._has_its_own(calls, met.rival):
            return calls[0], met.rival
        for index, one in enumerate(calls):
            for other in calls[:index]:
                if self._are_rivals(other, one):
                    return other, one
        return None

    def _has_its_own(self, calls: tuple[Path, ...], rival: Path) -> bool:
        """Whether a pass of a loop has filled it for itself, which nothing beside the loop can touch."""
        around = len(loops_around(self._unit, rival))
        return all(len(loops_around(self._unit, call)) > around for call in calls)

    def _are_rivals(self, one: Path, other: Path) -> bool:
        """Whether both may have run, and not with the same arguments one after the other; worked out once."""
        if (one, other) not in self._pairs:
            self._pairs[one, other] = self._both_count(one, other)
        return self._pairs[one, other]

    def _both_count(self, one: Path, other: Path) -> bool:
        how = relation(self._unit, one, other)
        if how != "sequence":
            return how == "parallel"
        steps = steps_by_path(self._unit)
        return bool(steps[one].model.with_ != steps[other].model.with_)

    def _two(self, met: Meeting, rivals: tuple[Path, Path]) -> None:
        place, also = self._place(met)
        message = f"two calls of {met.read.path[1]!r} may have filled `{met.read}`, and nothing says which is meant"
        calls = tuple((place, "one of them") for place in sorted(self._unit.key(*path, "call") for path in rivals))
        hint = "take the value from one step: `steps.<id>.result`, bound by `with` where the argument is `from: caller`"
        self._findings.error("two-producers", message, place, also=(*also, *calls), hint=hint)

    # -- it may be missing --------------------------------------------------------------------------------------------

    def _is_guarded(self, met: Meeting) -> bool:
        """Whether the step runs only where the cell is there: it asks for it, or for what its call asks for."""
        guards = guards_of(self._unit, met.step)
        root, name = met.read.filled
        if any(re.search(rf"\b{root}\.{name}\b", guard) for guard in guards):
            return True
        decided = met.filling.why is None or met.filling.why[2]
        mine = {normal(guard) for guard in guards}
        theirs = [{normal(guard) for guard in guards_of(self._unit, one)} - mine for one in met.filling.steps]
        return decided and (not all(theirs) or self._either_way(met.filling.steps, theirs))

    def _either_way(self, calls: tuple[Path, ...], more: list[set[str]]) -> bool:
        """Whether one of two calls is always made; `more` are the conditions under which each is and the read is not.

        Neither may be made where a condition cannot be decided, nor count where its failure is caught.
        """
        single = [next(iter(guards)) for call, guards in zip(calls, more, strict=True) if self._only_by(call, guards)]
        return any(contrary(one, other) for index, one in enumerate(single) for other in single[:index])

    def _only_by(self, call: Path, guards: set[str]) -> bool:
        around = (step for at, step in steps_by_path(self._unit).items() if call[: len(at)] == at)
        if len(guards) != 1 or any(step.model.catch for step in around):
            return False
        paths = paths_of(next(iter(guards)), template=False)
        return all(path[0] in ("input", "config") and self._is_there(path) for path in paths)

    def _is_there(self, path: tuple[str, ...]) -> bool:
        scope = scopes_of(self._unit).base
        shapes = [at_path(scope[path[0]], ".".join(path[1:end])) for end in range(2, len(path) + 1)]
        return all(
            one is not None and one.kind != "any" and not (one.may_be_none or one.may_be_missing) for one in shapes
        )

    def _perhaps(self, met: Meeting) -> None:
        place, also = self._place(met)
        if met.filling.why is not None:
            path, words, _ = met.filling.why
            also = (*also, (self._unit.key(*path), words))
        if met.read.path[0] == "vars":
            message = f"`{met.read}` may be none here, and the run would stop"
            hint = f"run this only `when: {met.read} is not none`, or give it a value on every path"
            self._findings.warning("variable-may-be-unset", message, place, also=also, hint=hint)
            return
        if may_be_lost(met.filling):
            message = f"`{met.read}` may be missing here, and nothing would be undone"
            hint = LOOK_UP
        else:
            message = f"`{met.read}` may be missing here, and the run would stop"
            hint = f"run this only `when: {met.read} is defined`, or fill it on every path"
        self._findings.warning("cell-may-be-missing", message, place, also=also, hint=hint)

    def _too_old(self, met: Meeting) -> None:
        place, also = self._place(met)
        message = f"`{met.read}` is always older here than its `max_age` of {met.read.max_age}"
        also = (*also, (self._step(met.filling.steps[0]), "this fills it, before the waits between"))
        hint = f"call {met.read.path[1]!r} again after the wait, or allow a greater age"
        self._findings.error("cell-too-old", message, place, also=also, hint=hint)

    def _step(self, path: Path) -> Location:
        return self._unit.key(*path, steps_by_path(self._unit)[path].action)

    def _place(self, met: Meeting) -> tuple[Location, Also]:
        """Where it is told: at what the procedure itself has written; what a tool reads stands beside it."""
        site = met.read.site
        read = site.unit.value(*site.path)
        if site.owner is None or site.owner is self._unit.steps:
            return read, ()
        step = steps_by_path(self._unit).get(met.step)
        if step is None:
            return self._unit.key("result"), ((read, "it is read here"),)
        return self._unit.key(*met.step, step.action), ((read, "it is read here"),)
