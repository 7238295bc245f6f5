"""One case of a procedure's suite on its stage."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from interlock.authoring.expectations import Mismatch, Unfit
from interlock.authoring.telling_work import told_step
from interlock.authoring.work_expectations import work_mismatches
from interlock.authoring.work_stage import WorkPlayed, WorkStage
from interlock.interpreter.commands import CallTool, Generate, RunProcedure, StartTimer
from interlock.interpreter.opening import InvalidMessage
from interlock.spec.durations import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.authoring.stubs import StubbedWorld
    from interlock.authoring.work_coverage import WorkCoverage
    from interlock.interpreter.work.tasks import Awaited
    from interlock.plan.plan import Plan
    from interlock.spec.suite import Case, Turn

    Line = tuple[str, str]


FITS = "what fits the procedure"


class WorkCase:
    """A run, begun at once. Raises Unfit for an input, and later for what is sent, that does not fit."""

    def __init__(
        self,
        plan: Plan,
        case: Case,
        world: StubbedWorld,
        now_ms: int,
        coverage: WorkCoverage,
        plans: Iterable[Plan],
    ) -> None:
        given = case.input or {}
        try:
            self._stage = WorkStage(plan, world, given=given, now_ms=now_ms, plans=plans, run_id=case.id)
        except InvalidMessage as problem:
            raise Unfit("input", FITS, problem.message, ("input",) if case.input else ("id",)) from problem
        self._coverage = coverage
        self._events = 0
        self._start: WorkPlayed | None = self._stage.begin()
        self._records: list[tuple[str, dict[str, Any]]] = []

    def play(self, turn: Turn) -> list[Mismatch]:
        """Play a turn; what is not as expected. A turn without an event is the start."""
        start, self._start = self._start or WorkPlayed(), None
        try:
            played = self._played(turn) or start
        except InvalidMessage as problem:
            key = "receive" if turn.receive else "retry" if turn.retry else "event"
            raise Unfit(key, FITS, problem.message) from problem
        self._records = played.records if played is start else [*start.records, *played.records]
        run = self._stage.run
        self._coverage.add(start)
        self._coverage.add(WorkPlayed() if played is start else played, run.machine.notes.running.values())
        return list(work_mismatches(turn.expect, played, run.state)) if turn.expect else []

    def why(self) -> list[Line]:
        """What the last turn did, and what the run waits for since."""
        lines = [line for path, record in self._records for line in _told(path, record)]
        return [*lines, *self._waits()]

    def _played(self, turn: Turn) -> WorkPlayed | None:
        stage = self._stage
        if turn.receive is not None:
            self._events += 1
            event_id = f"e{self._events}"
            return stage.receive(event_id, turn.receive.event, turn.receive.data or {}, turn.receive.run or "")
        if turn.retry is not None:
            return stage.retry(turn.retry.resolved or {}, turn.retry.run or "")
        if turn.event is not None:
            return stage.cancel()
        return None if turn.advance is None else stage.advance(milliseconds(turn.advance))

    def _waits(self) -> Iterator[Line]:
        for path, run in self._stage.runs.items():
            for one in run.machine.tasks.waiting:
                yield "waits", f"{_below(path, _waiting(one))}"


def _told(path: str, record: dict[str, Any]) -> list[Line]:
    """The lines of a record; of a procedure that is run, with the way to it."""
    if "step" in record:
        record = {**record, "step": _below(path, record["step"])}
    lines = told_step(record)
    return [(subject, _below(path, line, ": ")) for subject, line in lines] if "event" in record and path else lines


def _below(path: str, text: str, sign: str = "/") -> str:
    return f"{path}{sign}{text}" if path else text


def _waiting(one: Awaited) -> str:
    match one:
        case CallTool():
            return f"{one.step}: for {one.tool}"
        case Generate():
            return f"{one.step}: for model {one.role}"
        case StartTimer():
            moment = datetime.fromtimestamp(one.due_ms / 1000, UTC).isoformat(timespec="seconds")
            return f"{one.timer_id.partition('!')[0]}: until {moment}"
        case RunProcedure():
            return f"{one.step}: for procedure {one.procedure}"
        case _:
            return f"{one.wait_id.partition('!')[0]}: for event {one.name}"
