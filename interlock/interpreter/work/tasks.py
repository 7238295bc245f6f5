"""Tasks side by side: generators that wait for ends, fork into others, and are stopped between two effects.

A task yields commands and waits for the ends of all of them; or a `Fork`, and waits for its tasks; or `Pause`, and goes
on when the run does not leave after all.
Everything happens in the order of the events, so that a replay takes the same way.
"""

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

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
from interlock.interpreter.events import ToolReturned

Reason: TypeAlias = Literal["sibling", "timeout", "deadline", "cancelled"]
"""Why a task is to begin nothing more: another branch has failed, its time is over, or the run is cancelled."""

Working: TypeAlias = Generator[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class AwaitEvent:
    """Waits for an event of that name; whoever has waited longest, by `place`, is the first to receive one."""

    wait_id: str
    name: str
    place: int


Awaited: TypeAlias = CallTool | Generate | StartTimer | RunProcedure | AwaitEvent


@dataclass(frozen=True, slots=True)
class Pause:
    """The task stands between two steps while the run is about to continue in a new one."""


@dataclass(eq=False, slots=True)
class Scope:
    """What stops together. `reason` is set once; whoever is inside an outer scope that stops, stops too.

    `cut_short`: a call within it has had fewer attempts than it is allowed.
    """

    outer: "Scope | None" = None
    reason: Reason | None = None
    cut_short: bool = False

    @property
    def stopped(self) -> Reason | None:
        """Why nothing more may begin here, if so."""
        scope: Scope | None = self
        while scope is not None:
            if scope.reason is not None:
                return scope.reason
            scope = scope.outer
        return None

    def cut(self) -> None:
        """A call within it, and whatever it is inside of, is cut short."""
        scope: Scope | None = self
        while scope is not None:
            scope.cut_short = True
            scope = scope.outer

    def is_inside(self, other: "Scope") -> bool:
        """Whether this is `other`, or stands within it."""
        scope: Scope | None = self
        while scope is not None and scope is not other:
            scope = scope.outer
        return scope is not None


class Stopped(Exception):  # noqa: N818 - an end, not an error
    """A task has ended because its scope is stopped."""


@dataclass(slots=True)
class Fork:
    """Work to be done side by side, at most `most` at a time, in a scope of its own that may have a time-out.

    The task that yields it is sent the outcomes in order: what each returned, or the exception that ended it, which is
    `Stopped` for one that was never begun. The first one that ends by an exception stops the others, unless it is
    one of those that are `borne`.
    """

    work: Sequence[Working]
    scope: Scope
    most: int = 1_000_000
    borne: tuple[type[Exception], ...] = ()
    timer: StartTimer | None = None
    outcomes: list[Any] = field(default_factory=list)
    begun: int = 0
    running: int = 0


@dataclass(eq=False, slots=True)
class _Task:
    work: Working
    scope: Scope
    fork: Fork | None = None
    parent: "_Task | None" = None
    index: int = 0
    waits: list[Awaited] = field(default_factory=list)
    ends: dict[str, Any] = field(default_factory=dict)
    paused: bool = False


class Tasks:
    """All tasks of a run. `advance` ends when every task waits; what is to be done then stands in `commands`."""

    def __init__(self, root: Working, scope: Scope) -> None:
        self.scope = scope
        self.commands: list[Command] = []
        self.outcome: Any = None
        self.ended = False
        self._waiting: dict[str, _Task] = {}
        self._timers: dict[str, tuple[_Task, Fork]] = {}
        self._paused = 0
        self._ready: deque[tuple[_Task, Any]] = deque([(_Task(root, scope), None)])

    @property
    def waiting(self) -> list[Awaited]:
        """What is waited for, in order."""
        tasks = dict.fromkeys(self._waiting.values())
        return [one for task in tasks for one in task.waits if _id(one) not in task.ends]

    @property
    def quiet(self) -> bool:
        """Whether no effect is under way: every task is paused, or waits for a time or an event."""
        return not self._ready and all(_can_be_left(task) for task in self._waiting.values())

    def awaits(self, wait_id: str) -> bool:
        """Whether a task waits for the end of that id."""
        return wait_id in self._waiting or wait_id in self._timers

    def event_wait(self, name: str) -> str | None:
        """The id of the longest wait for an event of that name."""
        waits = [one for one in self.waiting if isinstance(one, AwaitEvent) and one.name == name]
        return min(waits, key=lambda one: one.place).wait_id if waits else None

    def end(self, wait_id: str, end: Any) -> None:
        """What was waited for has come."""
        if wait_id in self._timers:
            _, fork = self._timers.pop(wait_id)
            self.stop(fork.scope, "timeout")
            return
        task = self._waiting.pop(wait_id)
        task.ends[wait_id] = end
        if isinstance(end, ToolReturned) and end.cut_short:
            task.scope.cut()
        if len(task.ends) == len(task.waits):
            ends = [task.ends[_id(one)] for one in task.waits]
            task.waits, task.ends = [], {}
            stopped = any(isinstance(one, ToolReturned) and one.ending == "stopped" for one in ends)
            self._ready.append((task, Stopped() if stopped else ends))

    def stop(self, scope: Scope, reason: Reason) -> None:
        """Let nothing more begin in a scope; what changes nothing ends at once, effects under way are awaited."""
        if scope.reason is not None:
            return
        scope.reason = reason
        for task in list(dict.fromkeys(self._waiting.values())):
            if task.scope.is_inside(scope):
                self._interrupt(task, reason)
                calls = [one for one in task.waits if isinstance(one, CallTool) and one.call_id not in task.ends]
                self.commands += [StopCall(one.call_id, reason == "sibling") for one in calls if not one.finishes]

    def resume(self) -> None:
        """Let the paused tasks go on."""
        for task in [one for one in self._waiting.values() if one.paused]:
            self._wake(task, None)

    def advance(self) -> list[Command]:
        """Let every task go on that can; the commands that come of it."""
        while self._ready:
            task, sent = self._ready.popleft()
            try:
                wanted = task.work.throw(sent) if isinstance(sent, Stopped) else task.work.send(sent)
            except StopIteration as stop:
                self._finished(task, stop.value)
            except Exception as failure:  # noqa: BLE001 - handed to whoever waits for the task
                self._finished(task, failure)
            else:
                self._wants(task, wanted)
        commands, self.commands = self.commands, []
        return commands

    def _wants(self, task: _Task, wanted: Any) -> None:
        if isinstance(wanted, Fork):
            self._forked(task, wanted)
        elif isinstance(wanted, Pause):
            task.paused = True
            self._waiting[_pause_of(task)] = task
        else:
            task.waits = list(wanted)
            for one in task.waits:
                self._waiting[_id(one)] = task
                if not isinstance(one, AwaitEvent):
                    self.commands.append(one)
            if task.scope.stopped is not None:
                self._interrupt(task, task.scope.stopped)

    def _forked(self, parent: _Task, fork: Fork) -> None:
        fork.outcomes = [Stopped() for _ in fork.work]
        if fork.timer is not None:
            self._timers[fork.timer.timer_id] = (parent, fork)
            self.commands.append(fork.timer)
        self._fill(parent, fork)

    def _fill(self, parent: _Task, fork: Fork) -> None:
        """Begin as much as may run at once; when nothing runs any more, the parent goes on."""
        while fork.begun < len(fork.work) and fork.running < fork.most and fork.scope.stopped is None:
            self._ready.append((_Task(fork.work[fork.begun], fork.scope, fork, parent, fork.begun), None))
            fork.begun += 1
            fork.running += 1
        if fork.running == 0:
            if fork.timer is not None and self._timers.pop(fork.timer.timer_id, None) is not None:
                self.commands.append(CancelTimer(fork.timer.timer_id))
            self._ready.append((parent, fork.outcomes))

    def _finished(self, task: _Task, outcome: Any) -> None:
        fork, parent = task.fork, task.parent
        if fork is None or parent is None:
            self.outcome, self.ended = outcome, True
            return
        fork.outcomes[task.index] = outcome
        fork.running -= 1
        if isinstance(outcome, Exception) and not isinstance(outcome, (Stopped, *fork.borne)):
            self.stop(fork.scope, "sibling")
        self._fill(parent, fork)

    def _interrupt(self, task: _Task, reason: Reason) -> None:
        if task.paused:
            self._wake(task, Stopped())
        elif _changes_nothing(task):
            for one in task.waits:
                del self._waiting[_id(one)]
                if isinstance(one, StartTimer):
                    self.commands.append(CancelTimer(one.timer_id))
            task.waits, task.ends = [], {}
            self._ready.append((task, Stopped()))
        elif reason != "sibling":
            self.commands += [CancelProcedure(one.child_id) for one in task.waits if isinstance(one, RunProcedure)]

    def _wake(self, task: _Task, sent: Any) -> None:
        """A paused task goes on, or is stopped."""
        task.paused = False
        del self._waiting[_pause_of(task)]
        self._ready.append((task, sent))


def _pause_of(task: _Task) -> str:
    return f"pause {id(task)}"


def _id(awaited: Awaited) -> str:
    match awaited:
        case CallTool() | Generate():
            return awaited.call_id
        case StartTimer():
            return awaited.timer_id
        case RunProcedure():
            return awaited.child_id
        case AwaitEvent():
            return awaited.wait_id


def _changes_nothing(task: _Task) -> bool:
    """Whether nothing outside can change while it waits: what a model still says is heard by nobody."""
    return all(isinstance(one, StartTimer | AwaitEvent | Generate) for one in task.waits)


def _can_be_left(task: _Task) -> bool:
    return task.paused or all(isinstance(one, StartTimer | AwaitEvent) for one in task.waits)
