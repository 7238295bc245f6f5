"""The procedures that a conversation on a stage has begun: they go on as its time passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic

from interlock.authoring.work_stage import WorkStage
from interlock.authoring.world import W

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.authoring.outside import Outside
    from interlock.interpreter.commands import RunProcedure
    from interlock.interpreter.events import ProcedureEnded
    from interlock.plan.plan import Plan


class Beside(Generic[W]):
    """Procedures by their child id, in the order in which they were begun."""

    def __init__(self, world: W, plans: Iterable[Plan], outside: Outside) -> None:
        self._world = world
        self._outside = outside
        self._plans = {plan.digest: plan for plan in plans}
        self._running: dict[str, WorkStage[W]] = {}

    def begin(self, command: RunProcedure, now_ms: int) -> None:
        """A procedure begins; its input has been verified."""
        stage = WorkStage(
            self._plans[command.digest],
            self._world,
            given=command.input,
            now_ms=now_ms,
            plans=self._plans.values(),
            run_id=command.child_id,
            outside=self._outside,
            language=command.language,
        )
        self._running[command.child_id] = stage
        stage.begin()

    def advance(self, by_ms: int) -> Iterator[ProcedureEnded]:
        """Time passes; how those ended that did."""
        for child, stage in list(self._running.items()):
            stage.advance(by_ms)
            if stage.run.machine.finished:
                del self._running[child]
                yield stage.run.end(child, stage.now_ms)
