"""The pure machine of a procedure's run: events in, commands out, one state. Its only time is that of its events."""

from typing import TYPE_CHECKING, Any

from interlock.contract.calls import FINISHED
from interlock.expressions.outcomes import Missing
from interlock.interpreter.commands import CancelTimer, Command, StartTimer
from interlock.interpreter.events import (
    CancelAsked,
    EventReceived,
    Generated,
    ProcedureEnded,
    RetryAsked,
    TimerDue,
    ToolReturned,
    WorkEvent,
)
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.stages import Stages
from interlock.interpreter.work.ends import Ended, Refused, raise_first
from interlock.interpreter.work.frames import Frame
from interlock.interpreter.work.knowing import known_in
from interlock.interpreter.work.notes import Notes
from interlock.interpreter.work.receiving import admitted, size_of
from interlock.interpreter.work.retrying import prepared
from interlock.interpreter.work.simple import sources, values
from interlock.interpreter.work.state import Json, RunState
from interlock.interpreter.work.tasks import Fork, Scope, Stopped, Tasks, Working
from interlock.interpreter.work.walk import Walk
from interlock.plan.steps import steps_in
from interlock.text.languages import named_language

if TYPE_CHECKING:
    from interlock.interpreter.program import Program
    from interlock.plan.plan import Work

DEADLINE, PARK = "!deadline", "!park"


class WorkMachine:
    """One run under one program. `state` is changed in place; the walk over the steps can be made again from it."""

    def __init__(self, program: "Program", state: RunState) -> None:
        assert program.plan.work is not None
        self.program = program
        self.state = state
        self.notes = Notes(state, known_in(program, state))
        self.stages = Stages()
        self._work: Work = program.plan.work
        self._walk = Walk(state, self.notes)
        self._tasks = Tasks(self._life(), Scope())
        self._timers: dict[str, int] = {}

    # -- for the shell ------------------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether nothing is to come any more."""
        return self.state.status in FINISHED

    @property
    def can_leave(self) -> bool:
        """Whether the state holds all there is: nothing is under way but waits, which begin again in the next run."""
        return self._walk.pausing and self._tasks.quiet

    @property
    def tasks(self) -> Tasks:
        """What is waited for."""
        return self._tasks

    def begin(self, now_ms: int) -> list[Command]:
        """The first commands of a run, or of one that goes on from a state."""
        self._later(now_ms)
        return [*self._clocks(), *self._go_on()]

    def pause(self) -> list[Command]:
        """Let nothing more begin, so that the run can continue in a new one once `can_leave`."""
        self._walk.pausing = True
        return self._go_on()

    def resume(self) -> list[Command]:
        """Go on here after all."""
        self._walk.pausing = False
        self._tasks.resume()
        return self._go_on()

    def use(self, program: "Program") -> None:
        """Take another plan, for the retry that follows."""
        assert program.plan.work is not None
        self.program, self._work = program, program.plan.work
        self.notes.secrets = known_in(program, self.state)

    def handle(self, event: WorkEvent) -> list[Command]:
        """What follows from `event`. Raises InvalidMessage, and changes nothing, for what does not fit."""
        match event:
            case EventReceived():
                self._received(event)
            case RetryAsked():
                return self._retry(event)
            case CancelAsked():
                self._cancel(event)
            case TimerDue() if event.timer_id in (DEADLINE, PARK):
                self._clock(event)
            case TimerDue() | ToolReturned() | Generated() | ProcedureEnded():
                self._later(event.now_ms)
                wait = _id(event)
                if self._tasks.awaits(wait):
                    self._tasks.end(wait, event)
        return self._go_on()

    # -- the life of a run --------------------------------------------------------------------------------------------

    def _life(self) -> Working:
        if self.state.status == "running":
            yield from self._do_the_work()
        if self.state.status == "undoing":
            scope = Scope()  # of its own: that the work was stopped does not stop its undoing
            raise_first((yield Fork([self._undo(scope)], scope)))

    def _frame(self, scope: Scope) -> Frame:
        languages = self.program.plan.languages
        spoken = named_language(languages, self.state.language) or languages[0]
        return Frame(self.program, self.state, scope, self._walk.now_ms, spoken, self.stages, self.notes.secrets)

    def _do_the_work(self) -> Working:
        frame = self._frame(self._tasks.scope)
        try:
            yield from self._walk.steps(self._work.steps, frame)
            frame.at(self._walk.now_ms)
            self._succeed(*self._given(frame), **frame.decided())
        except Ended as end:
            self._succeed(end.result, end.sources)
        except StepFailed as failure:
            if self._tasks.scope.stopped is None:
                self._fail(_as_json(failure), undo=self._work.on_failure == "compensate", for_good=False)
            else:
                self._failed_meanwhile(_as_json(failure))
        except Refused as end:
            self._fail(_as_json(end.failure), undo=end.compensate, for_good=True)
        except Stopped:
            self._stopped()

    def _given(self, frame: Frame) -> tuple[Json, Json]:
        given: Json = {}
        for name, value in self._work.gives.items():
            try:
                given |= values(frame, {name: value})
            except Missing as missing:
                message = f"{name!r} of the result: {missing}"
                raise StepFailed("missing", message, "result", self._file) from missing
        return given, sources(frame, self._work.gives, "value")

    @property
    def _file(self) -> str:
        """Where the head of the procedure is written, which a plan knows no lines of."""
        return self._work.steps[0].at.rsplit(":", 2)[0]

    def _succeed(self, result: Json, sources: Json, **more: Any) -> None:
        self.state.status, self.state.result = "done", result
        self.notes.happened("done", self._walk.now_ms, sources=sources, **more)

    def _fail(self, failure: Json, *, undo: bool, for_good: bool) -> None:
        """What follows a failure that nothing has caught: the run stands still, undoes what it did, or is over."""
        state = self.state
        state.failure = failure = self.notes.kept(failure)
        self.notes.happened("failed", self._walk.now_ms, failure=failure)
        if undo:
            state.status = "undoing"
        elif for_good or self._work.park_ms == 0:
            state.status = "ended"
        else:
            self._park()

    def _park(self) -> None:
        self.state.status = "failed"
        self.state.parked_ms = self._walk.now_ms

    def _failed_meanwhile(self, failure: Json) -> None:
        """What was under way when the run was stopped has failed: that is told, and the run is stopped all the same."""
        self.state.failure = failure = self.notes.kept(failure)
        self.notes.happened("failed", self._walk.now_ms, failure=failure)
        self._stopped()

    def _stopped(self) -> None:
        if self._tasks.scope.reason == "deadline":
            message = f"not done within {self._work.deadline_ms} ms"
            failure = {"kind": "timeout", "step": "deadline", "at": self._file, "message": message}
            self._fail(failure, undo=self._work.on_failure == "compensate", for_good=True)
        elif self._work.on_cancel == "compensate":
            self.state.status = "undoing"
        else:
            self._over()

    def _over(self) -> None:
        """The end of a run that has not done its work."""
        self.state.status = "cancelled" if self.state.cancelled_by is not None else "ended"
        self.notes.happened(self.state.status, self._walk.now_ms)

    def _undo(self, scope: Scope) -> Working:
        """Undo, last things first, what completed or may have; what cannot be undone is told, and stops no other."""
        state = self.state
        frame = self._frame(scope)
        by_id = {step.id: step for step in steps_in(self._work.steps)}
        tried = {one["undoing"] for one in state.undo_failures}
        for instance, entry in reversed([one for one in state.undo.items() if one[0] not in tried]):
            step: Any = by_id[entry["step"]]
            inner = frame.again(scope, entry["pass"]) if entry["pass"] else frame
            try:
                yield from self._walk.steps(step.compensate, inner.with_cells(entry["cells"]))
            except StepFailed as failure:
                state.undo_failures.append({"undoing": instance, **self.notes.kept(_as_json(failure))})
                continue
            del state.undo[instance]
            state.unknown.pop(instance, None)
            self.notes.happened("undone", self._walk.now_ms, step=instance)
        if state.undo_failures and self._work.park_ms:
            self._park()
        else:
            self._over()

    # -- what comes from outside --------------------------------------------------------------------------------------

    def _later(self, now_ms: int) -> None:
        self._walk.now_ms = self.state.last_ms = max(self._walk.now_ms, now_ms)

    def _go_on(self) -> list[Command]:
        commands = self._tasks.advance()
        if isinstance(self._tasks.outcome, Exception):
            raise self._tasks.outcome
        return [*commands, *self._clocks()]

    def _clocks(self) -> list[Command]:
        """The run's own timers: its deadline, and the end of its waiting for `retry`."""
        state = self.state
        parked = state.status == "failed" and state.parked_ms is not None
        wanted = {
            DEADLINE: state.deadline_ms if not self.finished and state.status != "undoing" else None,
            PARK: state.parked_ms + self._work.park_ms if parked and state.parked_ms is not None else None,
        }
        commands: list[Command] = []
        for name, due in wanted.items():
            if self._timers.get(name) == due:
                continue
            if self._timers.pop(name, None) is not None:
                commands.append(CancelTimer(name))
            if due is not None:
                self._timers[name] = due
                commands.append(StartTimer(name, due))
        return commands

    def _clock(self, event: TimerDue) -> None:
        self._later(event.now_ms)
        if self._timers.pop(event.timer_id, None) is None:
            return
        if self.state.status == "failed":
            self._over()
        elif event.timer_id == DEADLINE:
            self.state.deadline_ms = None
            self._tasks.stop(self._tasks.scope, "deadline")

    def _received(self, event: EventReceived) -> None:
        state = self.state
        wait = self._tasks.event_wait(event.name)
        data = admitted(self._work, state, event, awaited=wait is not None)
        if data is None:
            return
        self._later(event.now_ms)
        secrets, path = self.notes.secrets, ("events", event.name)
        if secrets is not None:
            secrets.learn(path, data)
        shown = data if secrets is None else secrets.marks.masked(path, data)
        self.notes.happened("event", event.now_ms, name=event.name, id=event.id, data=shown)
        received = EventReceived(event.id, event.name, data, event.now_ms)
        if wait is not None:
            self._tasks.end(wait, received)
        else:
            box = state.mailbox.setdefault(event.name, [])
            box.append({"id": event.id, "data": data, "at_ms": event.now_ms, "bytes": size_of(data)})

    def _retry(self, event: RetryAsked) -> list[Command]:
        prepared(self.state, event)
        self._later(event.now_ms)
        state = self.state
        self.notes.happened("retry", event.now_ms, by=event.by or None, resolved=event.resolved)
        state.status = "undoing" if state.undo_failures else "running"
        state.failure, state.parked_ms = (state.failure if state.undo_failures else None), None
        state.undo_failures = []
        self._walk = Walk(state, self.notes)
        self._later(event.now_ms)
        self._tasks = Tasks(self._life(), Scope())
        return self._go_on()

    def _cancel(self, event: CancelAsked) -> None:
        self._later(event.now_ms)
        state = self.state
        again = state.cancelled_by is not None
        if self.finished or state.status == "undoing" or (again and state.status == "running"):
            return
        state.cancelled_by = event.by
        self.notes.happened("cancel", event.now_ms, by=event.by or None)
        if state.status == "running":
            self._tasks.stop(self._tasks.scope, "cancelled")
        elif self._work.on_cancel == "compensate" and state.undo and not again:
            state.status, state.parked_ms = "undoing", None
            self._tasks = Tasks(self._life(), Scope())
        else:
            self._over()


def _as_json(failure: StepFailed) -> Json:
    found: Json = {"kind": failure.kind, "step": failure.where, "at": failure.at, "message": failure.message}
    if failure.tool:
        found["tool"] = failure.tool
    if failure.text:
        found["text"] = failure.text
    if failure.lacks:
        found["missing"] = failure.lacks
    return found


def _id(event: TimerDue | ToolReturned | Generated | ProcedureEnded) -> str:
    match event:
        case TimerDue():
            return event.timer_id
        case ToolReturned() | Generated():
            return event.call_id
        case ProcedureEnded():
            return event.child_id
