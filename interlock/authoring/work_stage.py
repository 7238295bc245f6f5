"""A procedure without a server: its run and those of the procedures it runs, in one world under one clock."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal

from interlock.authoring.outside import Outside
from interlock.authoring.world import W
from interlock.interpreter.commands import (
    CallTool,
    CancelProcedure,
    CancelTimer,
    Command,
    Generate,
    RunProcedure,
    StartTimer,
    StopCall,
)
from interlock.interpreter.events import (
    CancelAsked,
    EventReceived,
    ProcedureEnded,
    RetryAsked,
    TimerDue,
    WorkEvent,
)
from interlock.interpreter.opening import InvalidMessage
from interlock.interpreter.program import Program, link
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.receiving import started
from interlock.plan.steps import CallStep, steps_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from interlock.plan.plan import Plan

    Json = dict[str, Any]


class Run:
    """One run on the stage. `path` leads to it by the `run` steps of those above it; that of the first is empty."""

    def __init__(
        self,
        program: Program,
        path: str,
        run_id: str,
        given: Mapping[str, Any],
        now_ms: int,
        language: str = "",
        given_by: Json | None = None,
    ) -> None:
        assert program.plan.work is not None
        self.program = program
        self.path = path
        self.state = started(program, run_id=run_id, given=given, now_ms=now_ms, language=language, given_by=given_by)
        self.machine = WorkMachine(program, self.state)
        self.above: tuple[Run, str] | None = None
        self.calls_at = {step.at for step in steps_in(program.plan.work.steps) if isinstance(step, CallStep)}

    def end(self, child: str, now_ms: int) -> ProcedureEnded:
        """What whoever runs it as `child` is told of its end."""
        state = self.state
        if state.status == "done":
            return ProcedureEnded(child, "done", now_ms, state.result or {}, run_id=state.run_id, left=state.leaves)
        ending: Literal["cancelled", "failed"] = "cancelled" if state.status == "cancelled" else "failed"
        return ProcedureEnded(child, ending, now_ms, message=state.ending, run_id=state.run_id, left=state.leaves)


@dataclass
class WorkPlayed:
    """What one event led to: the calls of steps, all that were called, and the records, each with its run's path."""

    calls: list[CallTool] = field(default_factory=list)
    called: list[tuple[str, CallTool]] = field(default_factory=list)
    records: list[tuple[str, Json]] = field(default_factory=list)


class WorkStage(Generic[W]):
    """A run, played event by event. Times are milliseconds since the epoch, and pass only by `advance`.

    `plans` are those of the procedures that may be run, found by their digest.
    """

    def __init__(
        self,
        plan: Plan,
        world: W,
        *,
        given: Mapping[str, Any],
        now_ms: int,
        plans: Iterable[Plan] = (),
        run_id: str = "stage",
        outside: Outside | None = None,
        language: str = "",
    ) -> None:
        assert plan.work is not None
        self.world = world
        self.now_ms = now_ms
        self._outside = outside or Outside()
        self._plans = {one.digest: one for one in plans}
        self._timers: dict[tuple[str, str], tuple[int, int]] = {}
        self._begun = 0
        self._played = WorkPlayed()
        self.run = Run(link(plan), "", run_id, self._outside.given(plan.work.input, given), now_ms, language)
        self.runs = {"": self.run}

    def begin(self) -> WorkPlayed:
        """The run begins."""
        self._settle((self.run, one) for one in self.run.machine.begin(self.now_ms))
        return self._taken()

    def receive(self, event_id: str, name: str, data: Mapping[str, Any], run: str = "") -> WorkPlayed:
        """An event is sent in. Raises InvalidMessage for what does not fit."""
        return self._told(run, EventReceived(event_id, name, dict(data), self.now_ms))

    def retry(self, resolved: Mapping[str, Any], run: str = "") -> WorkPlayed:
        """Go on where it stands still. Raises InvalidMessage where it does not, or unknown effects are left open."""
        return self._told(run, RetryAsked(self.now_ms, resolved=dict(resolved)))

    def cancel(self) -> WorkPlayed:
        """Somebody wants the run to end."""
        return self._told("", CancelAsked(self.now_ms))

    def advance(self, by_ms: int) -> WorkPlayed:
        """Time passes; timers fire in order, each at its own time."""
        end = self.now_ms + by_ms
        while self._timers and (due := min(self._timers.values())[0]) <= end:
            self.now_ms = max(self.now_ms, due)
            self._settle(())
        self.now_ms = end
        return self._taken()

    def _told(self, path: str, event: WorkEvent) -> WorkPlayed:
        run = self.runs.get(path)
        if run is None:
            raise InvalidMessage("unknown-run", f"no procedure is run by {path!r}")
        if run.machine.finished:
            raise InvalidMessage("run-over", f"the run is over: it is {run.state.status!r}")
        self._settle(self._handled(run, event))
        return self._taken()

    def _taken(self) -> WorkPlayed:
        played, self._played = self._played, WorkPlayed()
        return played

    def _settle(self, commands: Iterable[tuple[Run, Command]]) -> None:
        """Carry out commands, and what follows from them, until everything waits; it takes no time."""
        todo = deque(commands)
        while True:
            while todo:
                todo += self._carried_out(*todo.popleft())
            due = min(self._timers, key=lambda one: self._timers[one], default=None)
            if due is None or self._timers[due][0] > self.now_ms:
                return
            del self._timers[due]
            todo += self._handled(self.runs[due[0]], TimerDue(due[1], self.now_ms))

    def _carried_out(self, run: Run, command: Command) -> list[tuple[Run, Command]]:
        match command:
            case CallTool():
                tool = run.program.plan.tools[command.tool]
                made, came = self._outside.answered(self.world, tool, command, self.now_ms)
                self._played.called.append((run.path, made))
                if command.at in run.calls_at:
                    self._played.calls.append(made)
                return self._handled(run, came)
            case Generate():
                return self._handled(run, self.world.write(command, self.now_ms))
            case StartTimer():
                self._begun += 1
                self._timers[run.path, command.timer_id] = (command.due_ms, self._begun)
            case StopCall():
                pass  # a call takes no time here: its end is on its way
            case CancelTimer():
                self._timers.pop((run.path, command.timer_id), None)
            case RunProcedure():
                return self._begun_below(run, command)
            case CancelProcedure():
                child = self.runs[_below(run, command.child_id)]
                return self._handled(child, CancelAsked(self.now_ms))
            case _:
                raise RuntimeError(f"a procedure asks for {type(command).__name__}")
        return []

    def _begun_below(self, run: Run, command: RunProcedure) -> list[tuple[Run, Command]]:
        """A procedure begins under the plan that its runner was checked against; one with a wrong input has failed."""
        path, program = _below(run, command.child_id), link(self._plans[command.digest])
        try:
            run_id = f"{run.state.run_id}/{command.child_id}"
            given_by = {"run": run.state.run_id, "step": command.child_id}
            child = Run(program, path, run_id, command.input, self.now_ms, command.language, given_by)
        except InvalidMessage as problem:
            ended = ProcedureEnded(command.child_id, "failed", self.now_ms, message=problem.message)
            return self._handled(run, ended)
        child.above = (run, command.child_id)
        self.runs[path] = child
        return self._after(child, child.machine.begin(self.now_ms))

    def _handled(self, run: Run, event: WorkEvent) -> list[tuple[Run, Command]]:
        return self._after(run, run.machine.handle(event))

    def _after(self, run: Run, commands: Iterable[Command]) -> list[tuple[Run, Command]]:
        """What an event leads to in its run, and above it if the run has ended."""
        self._played.records += [(run.path, record) for record in run.machine.notes.fresh()]
        found = [(run, command) for command in commands]
        if run.machine.finished and run.above is not None:
            above, run.above = run.above, None
            found += self._handled(above[0], run.end(above[1], self.now_ms))
        return found


def _below(run: Run, child: str) -> str:
    return f"{run.path}/{child}" if run.path else child
