"""Walks a procedure, and those that it runs, to find the calls that a guard's condition does not stand before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from interlock.compiler.walk import listed_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from interlock.compiler.assertions import Proof
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location

Trail: TypeAlias = "tuple[Trail, Location, str] | tuple[()]"
"""What must have happened to come here unproved, the last thing first."""

Standing: TypeAlias = "Trail | None"
"""None: the condition has been asserted. Otherwise a way on which it has not."""


class Ended:
    """No way leads on; told by the class itself."""


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
    _above: list[str] = field(default_factory=list)
    _entered: set[str] = field(default_factory=set)

    def walk(self, unit: Unit) -> None:
        """All steps of a Procedure; nothing has been asserted when it begins."""
        if unit.steps is not None:
            _Walk(self, unit, None).listed(listed_steps(unit.steps), ())

    def child(self, child: Unit, at: Written, trail: Trail) -> None:
        """A procedure that is run without the condition; once is enough."""
        if child.steps is not None and child.name not in self._entered:
            self._entered.add(child.name)
            _Walk(self, child, at).listed(listed_steps(child.steps), trail)


class _Walk:
    def __init__(self, guard: Guarded, unit: Unit, at: Written | None) -> None:
        self._guard = guard
        self._proof = guard.proof
        self._unit = unit
        self._at = at

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
        inner = None if self._proof.by(self._unit, when) else standing
        if when is not None and step.inner:
            inner = self._noted(inner, (*step.path, "when"), "this holds")
        ends = [self._action(step, inner)]
        for index, steps in enumerate(step.catches):
            caught = self._noted(inner, (*step.path, "catch", index), "a failure is caught here")
            ends.append(self.listed(steps, caught))
        if when is not None:
            left_out = None if self._proof.by_failure_of(self._unit, when) else standing
            ends.append(self._noted(left_out, (*step.path, "when"), "this does not hold"))
        return _any_of(ends)

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
            return None
        concerned = tool.model.effect in self._guard.effects and tool not in self._guard.spared
        if concerned and standing is not None:
            self._guard.found.append(Unguarded(self._unit, self._at or step, step.path, tool, standing))
        return standing

    def _run(self, step: Written, standing: Standing) -> None:
        child = self._unit.procedures.get(step.model.run)
        if child is not None and standing is not None:
            trail = self._noted(standing, (*step.path, "run"), f"{child.name!r} is run")
            self._guard.child(child, self._at or step, trail or ())

    def _switch(self, step: Written, standing: Standing) -> Standing | type[Ended]:
        ends: list[Standing | type[Ended]] = []
        for index, (branch, steps) in enumerate(zip(step.model.switch, step.inner, strict=True)):
            taken = None if self._proof.by(self._unit, branch.when) else standing
            path = (*step.path, "switch", index)
            ends.append(self.listed(steps, self._noted(taken, path, "this branch is taken")))
            if self._proof.by_failure_of(self._unit, branch.when):
                standing = None
        if step.model.switch[-1].when is not None:
            ends.append(self._noted(standing, (*step.path, "switch"), "no branch holds"))
        return _any_of(ends)

    def _parallel(self, step: Written, standing: Standing) -> Standing | type[Ended]:
        """All branches have ended well when it goes on: one that asserts is enough."""
        ends = [self.listed(steps, standing) for steps in step.inner]
        if any(isinstance(end, type) for end in ends):
            return Ended
        return None if any(end is None for end in ends) else standing

    def _noted(self, standing: Standing, path: Path, words: str) -> Standing:
        return None if standing is None else (standing, self._unit.key(*path), words)


def _any_of(ends: Iterable[Standing | type[Ended]]) -> Standing | type[Ended]:
    """Whichever way was taken; the first that is unproved counts."""
    going = [end for end in ends if not isinstance(end, type)]
    if not going:
        return Ended
    return next((end for end in going if end is not None), None)


def places(trail: Trail) -> Iterator[tuple[Location, str]]:
    """A trail in the order in which it is walked."""
    found = []
    while trail:
        trail, place, words = trail
        found.append((place, words))
    return reversed(found)
