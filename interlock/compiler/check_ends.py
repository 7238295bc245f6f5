"""How steps of a procedure end: steps after the end, catches of what cannot come, waits that outlast their time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from interlock.compiler.call_ends import failures
from interlock.compiler.check_effects import writes
from interlock.compiler.walk import all_steps, listed_steps
from interlock.compiler.written import has_template
from interlock.spec.durations import is_duration, milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

NEVER_IN_WORK = frozenset({"ambiguous"})
"""Failures of calls that read what somebody says."""

OF_A_RUN = frozenset({"error", "cancelled", "missing"})
OF_VALUES = frozenset({"error", "missing"})
"""How computing a value may fail."""


@dataclass(slots=True)
class Fate:
    """How some steps may end: whether anything follows them, and the kinds of errors that may leave them."""

    on: bool = True
    raised: set[str] = field(default_factory=set)


def check_ends(project: Project, findings: Findings) -> None:
    """All Procedures of the bundle."""
    for unit in project.procedures:
        if unit.steps is None:
            continue
        ends = _Ends(unit, findings)
        ends.listed(listed_steps(unit.steps))
        for step in all_steps(unit):
            ends.listed(step.undoing)
            if step.action == "wait":
                _wait(unit, step, findings)
        _times(unit, findings)


class _Ends:
    """One walk over the steps of a procedure; what it finds on its way is told once."""

    def __init__(self, unit: Unit, findings: Findings) -> None:
        self._unit = unit
        self._findings = findings

    def listed(self, steps: Sequence[Written]) -> Fate:
        """Steps in order: nothing follows one that always ends the run."""
        fate = Fate()
        for index, step in enumerate(steps):
            its = self._step(step)
            if not fate.on:
                continue
            fate.raised |= its.raised
            if not its.on and index < len(steps) - 1:
                also = ((self._unit.value(*step.path), "this always ends the procedure"),)
                place = self._unit.value(*steps[index + 1].path)
                self._findings.error("unreachable", "this step is never reached", place, also=also)
            fate.on = its.on
        return fate

    def _step(self, step: Written) -> Fate:
        fate = self._action(step)
        if step.model.when is not None:
            fate.on = True
            fate.raised.add("error")
        if step.model.timeout is not None:
            fate.raised.add("timeout")
        return self._caught(step, fate) if step.model.catch else fate

    def _action(self, step: Written) -> Fate:
        inner = [self.listed(steps) for steps in step.inner]
        raised = {kind for fate in inner for kind in fate.raised}
        match step.action:
            case "switch":
                open_end = step.model.switch[-1].when is not None
                return Fate(open_end or any(fate.on for fate in inner), raised | {"error"})
            case "parallel" | "do":
                return Fate(all(fate.on for fate in inner), raised)
            case "for_each":
                return Fate(on=True, raised=raised | OF_VALUES)
            case "end" | "fail":
                return Fate(
                    on=False, raised=set(OF_VALUES) if has_template(getattr(step.model, step.action)) else set()
                )
            case _:
                return Fate(on=True, raised=self._simple(step))

    def _simple(self, step: Written) -> set[str]:
        model = step.model
        match step.action:
            case "call":
                return self._call(step)
            case "run":
                return set(OF_A_RUN)
            case "set" | "wait":
                return set(OF_VALUES) if has_template(getattr(model, step.action)) else set()
            case "receive":
                return set()
            case "generate":
                return {*OF_VALUES, "model"}
            case _:
                return set(OF_VALUES)

    def _call(self, step: Written) -> set[str]:
        tool = self._unit.find("tools", step.model.call)
        kinds = set(failures(tool)) - NEVER_IN_WORK
        if tool is None or writes(tool):
            kinds.add("unknown")
        return kinds

    def _caught(self, step: Written, fate: Fate) -> Fate:
        left, on, raised = set(fate.raised), fate.on, set()
        taken: set[str] = set()
        for index, (catch, steps) in enumerate(zip(step.model.catch, step.catches, strict=True)):
            comes = left & set(catch.errors) if catch.errors is not None else set(left)
            self._never((*step.path, "catch", index), catch, comes, taken)
            handled = self.listed(steps)
            on = on or (bool(comes) and handled.on)
            raised |= handled.raised
            taken |= comes
            left -= comes
        return Fate(on, left | raised)

    def _never(self, path: Path, catch: Any, comes: set[str], taken: set[str]) -> None:
        for position, kind in enumerate(catch.errors or ()):
            if kind not in comes:
                why = "an earlier entry takes it" if kind in taken else "nothing here can end so"
                place = self._unit.value(*path, "errors", position)
                self._findings.warning("catch-never", f"`{kind}` never comes to this catch: {why}", place)
        if catch.errors is None and not comes:
            self._findings.warning("catch-never", "nothing is left to catch here", self._unit.value(*path))


def _wait(unit: Unit, step: Written, findings: Findings) -> None:
    written, place = step.model.wait, unit.value(*step.path, "wait")
    if not is_duration(written) and not has_template(written) and not findings.told(place):
        hint = "write a duration as `4h`, or a template that gives a time: '{{ input.due }}'"
        findings.error("bad-wait", f"{written!r} is neither a duration nor a time", place, hint=hint)


def _times(unit: Unit, findings: Findings) -> None:
    """What lasts longer than whatever bounds it."""
    limits: dict[Path, tuple[Path, str]] = {}
    if unit.work is not None and unit.work.deadline is not None:
        limits[()] = (("deadline",), unit.work.deadline)
        if unit.work.park is not None:
            _too_late(unit, ("park",), unit.work.park, limits[()], findings)
    for step in all_steps(unit):
        bound = _nearest(limits, step.path)
        for path, written in _lasting(step):
            _too_late(unit, path, written, bound, findings)
        if step.model.timeout is not None:
            limits[step.path] = ((*step.path, "timeout"), step.model.timeout)
        if step.action == "call" and step.model.repeat is not None:
            repeat = step.model.repeat
            _too_late(
                unit,
                (*step.path, "repeat", "every"),
                repeat.every,
                ((*step.path, "repeat", "timeout"), repeat.timeout),
                findings,
            )


def _lasting(step: Written) -> Iterator[tuple[Path, str]]:
    model, path = step.model, step.path
    if step.action == "wait" and is_duration(model.wait):
        yield (*path, "wait"), model.wait
    if model.timeout is not None:
        yield (*path, "timeout"), model.timeout
    if step.action == "call" and model.repeat is not None:
        yield (*path, "repeat", "timeout"), model.repeat.timeout


def _nearest(limits: dict[Path, tuple[Path, str]], path: Path) -> tuple[Path, str] | None:
    """The bound of the innermost step around, or of the whole; what undoes a step is bound by nothing."""
    for length in range(len(path) - 1, -1, -1):
        if path[length] == "compensate" and isinstance(path[length - 1], int):
            return None
        if path[:length] in limits:
            return limits[path[:length]]
    return None


def _too_late(unit: Unit, path: Path, written: str, bound: tuple[Path, str] | None, findings: Findings) -> None:
    if bound is None or milliseconds(written) < milliseconds(bound[1]):
        return
    where, limit = bound
    message = f"`{path[-1]}` of {written} comes to nothing: the time is up after {limit}"
    also = ((unit.value(*where), f"the `{where[-1]}`"),)
    findings.warning("too-late", message, unit.value(*path), also=also)
