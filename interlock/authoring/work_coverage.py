"""What a suite covered of its procedure: steps, branches, catches, passes, compensations, rows and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.authoring.coverage import BESIDE, Counted, rows_of, tools_of
from interlock.plan.steps import CallStep, DoStep, ForEachStep, RunStep, Step, SwitchStep, steps_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.authoring.work_stage import WorkPlayed
    from interlock.plan.plan import Plan

WORK_KINDS = ("steps", "branches", "catches", "passes", "compensations", "rows", "tools")


class WorkCoverage(Counted):
    """Counts how often each part of a procedure was used; those of procedures that it runs are not its own."""

    def __init__(self, plan: Plan) -> None:
        assert plan.work is not None
        steps = tuple(steps_in(plan.work.steps))
        super().__init__(WORK_KINDS, {kind: dict(_parts(plan, steps, kind)) for kind in WORK_KINDS})
        self._tools = {name: tool.at for name, tool in plan.tools.items()}
        self._behind = {inner[0].at: place for step in steps for place, inner in _lists(step) if inner}
        self._catches = {step.at: step.catch for step in steps if step.catch}

    def add(self, played: WorkPlayed, running: Iterable[dict[str, Any]] = ()) -> None:
        """Take what a turn has led to into account, with the notes of steps that have begun and wait."""
        self.used.update(self._tools[call.tool] for path, call in played.called if not path)
        for path, record in played.records:
            if not path:
                self.used.update(self._places(record))
        for note in running:
            self.used.update(self._places(note))

    def _places(self, record: dict[str, Any]) -> Iterator[str]:
        for decided in (record.get("decisions") or {}).values():
            yield from decided.get("rows") or ()
        if "at" not in record:
            return
        if record["at"] in self._behind:
            yield self._behind[record["at"]]
        outcome = record.get("outcome")
        if outcome != "skipped":
            yield record["at"]
        if outcome == "failed":
            yield from self._caught(record)

    def _caught(self, record: dict[str, Any]) -> Iterator[str]:
        """The catch that took the failure of a step, the first that names its kind."""
        for catch in self._catches.get(record["at"], ()):
            if not catch.errors or record["error"]["kind"] in catch.errors:
                yield catch.at
                return


def _lists(step: Step) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """The lists within a step that count as parts, each with the place that it is known by."""
    match step:
        case SwitchStep():
            yield from ((branch.at, branch.do) for branch in step.branches)
        case ForEachStep():
            yield _body(step), step.do
        case CallStep() | RunStep() | DoStep() if step.compensate:
            yield _undoing(step), step.compensate
        case _:
            return


def _body(step: ForEachStep) -> str:
    return f"{step.at}{BESIDE}pass"


def _undoing(step: CallStep | RunStep | DoStep) -> str:
    return f"{step.at}{BESIDE}compensation"


def _parts(plan: Plan, steps: tuple[Step, ...], kind: str) -> Iterator[tuple[str, str]]:
    match kind:
        case "rows":
            yield from rows_of(plan)
        case "tools":
            yield from tools_of(plan)
        case _:
            yield from (part for step in steps for part in _parts_of(step, kind))


def _parts_of(step: Step, kind: str) -> Iterator[tuple[str, str]]:
    name = f"step {step.id}"
    if kind == "steps":
        yield step.at, name
    elif kind == "catches":
        yield from ((catch.at, f"catch {number} of {name}") for number, catch in enumerate(step.catch, 1))
    elif kind == "branches" and isinstance(step, SwitchStep):
        yield from ((branch.at, f"branch {number} of {name}") for number, branch in enumerate(step.branches, 1))
    elif kind == "passes" and isinstance(step, ForEachStep):
        yield _body(step), f"pass of {name}"
    elif kind == "compensations" and isinstance(step, CallStep | RunStep | DoStep) and step.compensate:
        yield _undoing(step), f"compensation of {name}"
