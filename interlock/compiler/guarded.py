"""Walks a procedure, and those that it runs, to find the calls that a guard's condition does not stand before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from interlock.compiler.handed_on import all_of_run, handed_on, own_of_run
from interlock.compiler.trails import OF_ITS_OWN, Ended, any_of
from interlock.compiler.walk import listed_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.compiler.assertions import Proof
    from interlock.compiler.keyed_calls import Read
    from interlock.compiler.trails import Standing, Trail
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path


@dataclass(frozen=True, slots=True)
class Unguarded:
    """A call that may be made without the condition. `at` is the step of the guard's own procedure that leads there."""

    unit: Unit
    at: Written
    call: Path
    tool: Part
    trail: Trail


@dataclass(slots=True)
class Guarded:
    """One walk for one guard; `found` is what it could not prove."""

    proof: Proof
    effects: frozenset[str]
    spared: frozenset[Part]
    found: list[Unguarded] = field(default_factory=list)
    _told: set[tuple[str, Path]] = field(default_factory=set)
    _same: dict[str, frozenset[Read]] = field(default_factory=dict)

    def walk(self, unit: Unit) -> None:
        """All steps of a Procedure; nothing has been asserted when it begins."""
        if unit.steps is not None:
            _Walk(self, unit, None, all_of_run(unit)).listed(listed_steps(unit.steps), ())

    def child(self, child: Unit, at: Written, trail: Trail, same: frozenset[Read]) -> None:
        """A procedure that is run without the condition, where `same` is what the guard's procedure reads too.

        It is walked again where it is run with less of that: what all its runs have in common is what can be relied on.
        """
        common = same & self._same.get(child.name, same)
        if child.steps is not None and common != self._same.get(child.name):
            self._same[child.name] = common
            _Walk(self, child, at, common).listed(listed_steps(child.steps), trail)

    def unproved(self, one: Unguarded) -> None:
        """A call that is not proved; however often a procedure is walked, it is told once."""
        known = (one.unit.name, one.call)
        if known not in self._told:
            self._told.add(known)
            self.found.append(one)


class _Walk:
    def __init__(self, guard: Guarded, unit: Unit, at: Written | None, same: frozenset[Read]) -> None:
        self._guard = guard
        self._proof = guard.proof
        self._unit = unit
        self._at = at
        self._same = same
        self._own = sorted(own_of_run(unit, guard.proof.condition) - same)

    def listed(self, steps: Sequence[Written], standing: Standing) -> Standing | type[Ended]:
        """Steps in order."""
        for step in steps:
            after = self._step(step, standing)
            if isinstance(after, type):
                return Ended
            standing = after
        return standing

    def _step(self, step: Written, standing: Standing) -> Standing | type[Ended]:
        when = step.model.when
        inner = self._where_it_holds(standing, when, (*step.path, "when"))
        if inner is standing and when is not None and step.inner:
            inner = self._noted(inner, (*step.path, "when"), "this holds")
        ends = [self._action(step, inner)]
        for index, steps in enumerate(step.catches):
            caught = self._noted(inner, (*step.path, "catch", index), "a failure is caught here")
            ends.append(self.listed(steps, caught))
        if when is not None:
            ends.append(self._where_it_does_not(standing, when, (*step.path, "when"), "this does not hold"))
        return any_of(ends)

    def _action(self, step: Written, standing: Standing) -> Standing | type[Ended]:
        match step.action:
            case "end" | "fail":
                return Ended
            case "call":
                after = self._call(step, standing)
            case "run":
                self._run(step, standing)
                after = standing
            case "switch":
                return self._switch(step, standing)
            case "parallel":
                return self._parallel(step, standing)
            case "for_each":
                self.listed(step.inner[0], standing)
                after = standing
            case "do":
                done = self.listed(step.inner[0], standing)
                if isinstance(done, type):
                    return Ended
                after = done
            case _:
                return standing
        self.listed(step.undoing, self._noted(after, (*step.path, "compensate"), "it is undone"))
        return after

    def _call(self, step: Written, standing: Standing) -> Standing:
        tool = self._unit.find("tools", step.model.call)
        if tool is None:
            return standing
        checks = tool.model.requires or ()
        asserted = any(
            self._proof.is_named(tool.unit, check.condition)
            or (check.call is None and self._proof.by(tool.unit, check.that))
            for check in checks
        )
        if asserted:
            standing = self._asserted(standing, (*step.path, "call"))
        concerned = tool.model.effect in self._guard.effects and tool not in self._guard.spared
        if concerned and standing is not None:
            self._guard.unproved(Unguarded(self._unit, self._at or step, step.path, tool, standing))
        return standing

    def _run(self, step: Written, standing: Standing) -> None:
        child = self._unit.procedures.get(step.model.run)
        if child is not None and standing is not None:
            trail = self._noted(standing, (*step.path, "run"), f"{child.name!r} is run")
            self._guard.child(child, self._at or step, trail or (), handed_on(step, self._same))

    def _switch(self, step: Written, standing: Standing) -> Standing | type[Ended]:
        ends: list[Standing | type[Ended]] = []
        for index, (branch, steps) in enumerate(zip(step.model.switch, step.inner, strict=True)):
            path = (*step.path, "switch", index)
            taken = self._where_it_holds(standing, branch.when, (*path, "when"))
            ends.append(self.listed(steps, self._noted(taken, path, "this branch is taken")))
            standing = self._where_it_does_not(standing, branch.when, (*path, "when"))
        if step.model.switch[-1].when is not None:
            ends.append(self._noted(standing, (*step.path, "switch"), "no branch holds"))
        return any_of(ends)

    def _parallel(self, step: Written, standing: Standing) -> Standing | type[Ended]:
        """All branches have ended well when it goes on: one that asserts is enough."""
        ends = [self.listed(steps, standing) for steps in step.inner]
        if any(isinstance(end, type) for end in ends):
            return Ended
        return None if any(end is None for end in ends) else standing

    def _where_it_holds(self, standing: Standing, text: str | None, path: Path) -> Standing:
        return self._asserted(standing, path) if self._proof.by(self._unit, text) else standing

    def _where_it_does_not(self, standing: Standing, text: str | None, path: Path, words: str = "") -> Standing:
        if self._proof.by_failure_of(self._unit, text):
            return self._asserted(standing, path)
        return self._noted(standing, path, words) if words else standing

    def _asserted(self, standing: Standing, path: Path) -> Standing:
        """Asserted, if what the condition reads here is what it reads in the procedure of the guard."""
        if not self._own:
            return None
        return self._noted(standing, path, f"{OF_ITS_OWN} `{'.'.join(self._own[0])}` of {self._unit.name!r}")

    def _noted(self, standing: Standing, path: Path, words: str) -> Standing:
        return None if standing is None else (standing, self._unit.key(*path), words)
