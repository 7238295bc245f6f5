"""A procedure's run: the machine's commands carried out side by side, until it is done, undone, or stands still."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue, SearchAttributeKey
from temporalio.exceptions import ApplicationError
from temporalio.workflow import ChildWorkflowHandle, ParentClosePolicy

from interlock.client.attributes import DIGEST, SPEC, STATUS
from interlock.contract import messages
from interlock.contract.messages import Malformed, Retry, SentEvent
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
from interlock.interpreter.events import CancelAsked, EventReceived, RetryAsked, TimerDue, WorkEvent
from interlock.interpreter.opening import InvalidMessage
from interlock.interpreter.program import Program
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.receiving import started
from interlock.interpreter.work.retrying import changed_steps
from interlock.interpreter.work.state import RunState
from interlock.telemetry import measures
from interlock_workflows import carried, driver, inbound, plans, work_views
from interlock_workflows.archive import Archive
from interlock_workflows.asking import ask_model
from interlock_workflows.calling import Calls, call_tool
from interlock_workflows.children import given_back, run_child
from interlock_workflows.clock import now_ms
from interlock_workflows.opening import Opening, language_of_starter, run_id_of, starter
from interlock_workflows.queue import Queue
from interlock_workflows.trail import Trail, of_run

Json = dict[str, Any]

FAILED = "procedure_failed"
HISTORY_WITH_CHILDREN = 30_000
"""Events at which a run continues as new although a procedure that it runs would have to end first."""

STATE_TOO_LARGE = "state_too_large"

RULES_WITH_STOPS = 2
"""A run that began under earlier rules lets calls go on that it stops."""


class Procedure:
    """One run of a procedure in one workflow run."""

    def __init__(self, program: Program, state: RunState, opening: Opening, queue: Queue) -> None:
        self._info = workflow.info()
        self._program = program
        self.state = state
        self._refused = opening.refused
        self._stops_calls = opening.rules >= RULES_WITH_STOPS
        self._queue = queue
        self._machine = WorkMachine(program, state)
        self._archive = Archive("number")
        self._archive.take(state.records)
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._children: dict[str, asyncio.Task[None]] = {}
        self._handles: dict[str, ChildWorkflowHandle[Any, Any]] = {}
        self._calls: Calls = {}
        self._others: set[asyncio.Task[None]] = set()
        self._fault: BaseException | None = None
        self._stays_until = 0
        self.leaving = False
        self._trail = Trail("procedure-loop", of_run(program.plan, state), texts=program.plan.trace_text)

    # -- the run ------------------------------------------------------------------------------------------------------

    async def run(self, *, cancelled: bool) -> RawValue:
        """Work to the end; its result. Raises the failure of a run that has not done its work."""
        self._take(self._machine.begin(now_ms()))
        if cancelled or await self._cancelled_meanwhile():
            self.cancel("")
            await self._until_over()
            if not self.leaving:  # what is still to be undone is undone by the next run
                self._left()
                raise asyncio.CancelledError
        self._left()
        return self._end()

    async def _cancelled_meanwhile(self) -> bool:
        try:
            await self._until_over()
        except asyncio.CancelledError:
            return True
        return False

    async def _until_over(self) -> None:
        while not (self._machine.finished or (self._machine.can_leave and self._fits())):
            await workflow.wait_condition(lambda: self._is_moving)
            if self._fault is not None:
                raise self._fault
            if self._is_due and not self.leaving:
                self.leaving = True
                self._take(self._machine.pause())
        self.leaving = not self._machine.finished

    def _fits(self) -> bool:
        """Whether another run can take all over; if not this one goes on, as long as a history may be."""
        if carried.fits(self.state, "work", refused=self._refused):
            return True
        length = workflow.info().get_current_history_length()
        if length > carried.HISTORY_END:
            message = f"the state is too large for a new run, and after {length:,} events this one must end"
            raise inbound.refusal(STATE_TOO_LARGE, message, work_views.ended(self.state))
        self._stays_until, self.leaving = length + carried.STAYS, False
        self._take(self._machine.resume())
        return False

    @property
    def _is_moving(self) -> bool:
        stands = self._machine.finished or self._machine.can_leave
        return stands or self._fault is not None or (self._is_due and not self.leaving)

    @property
    def _is_due(self) -> bool:
        info = workflow.info()
        length = info.get_current_history_length()
        if not info.is_continue_as_new_suggested() or length < self._stays_until:
            return False
        return not (self._children or self._queue.length) or length > HISTORY_WITH_CHILDREN

    def _left(self) -> None:
        """Nothing more happens in this run; one that it goes on in belongs to the same trace."""
        state = self.state
        outcome = "continued" if self.leaving else state.status
        failure = "" if self.leaving or state.failure is None else state.failure["kind"]
        self._trail.end({"interlock.outcome": outcome}, error=failure, stays=self.leaving)
        if not self.leaving:
            measures.counted(workflow.metric_meter(), measures.PROCEDURES, outcome=outcome)

    def _end(self) -> RawValue:
        state = self.state
        if state.status == "done" or self.leaving:
            return given_back(state.result or {}, leaves_effects=state.leaves)
        kind = inbound.CANCELLED if state.status == "cancelled" else FAILED
        raise inbound.refusal(kind, state.ending, work_views.ended(state))

    def carry(self) -> RawValue:
        """All that the next run needs."""
        for timer in self._timers.values():
            timer.cancel()
        return carried.packed(self.state, "work", refused=self._refused)

    # -- commands -----------------------------------------------------------------------------------------------------

    def _take(self, commands: Sequence[Command]) -> None:
        self._trail.saw(self._machine.stages.fresh())
        for command in commands:
            match command:
                case CallTool():
                    self._spawn(self._call(command))
                case Generate():
                    self._spawn(self._ask(command))
                case StartTimer():
                    self._timers[command.timer_id] = self._spawn(self._wait(command))
                case StopCall():
                    if self._stops_calls:  # after the call itself has begun
                        asyncio.get_running_loop().call_soon(self._stop, command)
                case CancelTimer():
                    if (timer := self._timers.pop(command.timer_id, None)) is not None:
                        timer.cancel()
                case RunProcedure():
                    self._children[command.child_id] = self._spawn(self._child(command))
                case CancelProcedure():
                    self._spawn(self._cancel_child(command.child_id))
                case _:
                    raise RuntimeError(f"a procedure asks for {type(command).__name__}")
        self.show()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(self._kept(work))
        self._others.add(task)
        task.add_done_callback(self._others.discard)
        task.add_done_callback(lambda _: work.close())  # one that is cancelled before it begins would be complained of
        return task

    async def _kept(self, work: Coroutine[Any, Any, None]) -> None:
        """A fault of ours must not be lost with its task: it fails the workflow's task, and a mended worker goes on."""
        try:
            await work
        except asyncio.CancelledError:
            raise
        except BaseException as fault:  # noqa: BLE001 - raised again by the run itself
            self._fault = fault

    def _happened(self, event: WorkEvent) -> None:
        self._take(self._machine.handle(event))

    async def _call(self, command: CallTool) -> None:
        ended = await call_tool(self._program.plan, self.state.run_id, command, self._calls)
        call = self._calls.pop(command.call_id, None)
        self._happened(replace(ended, cut_short=call is not None and call.stopped))

    def _stop(self, command: StopCall) -> None:
        """Begin no further attempt of a call."""
        call = self._calls.get(command.call_id)
        if call is not None and not (command.only_reads and call.writes):
            call.stop()

    async def _ask(self, command: Generate) -> None:
        self._happened(await ask_model(self._program.plan, self.state.run_id, command))

    async def _wait(self, command: StartTimer) -> None:
        left = command.due_ms - now_ms()
        if left > 0:
            await workflow.sleep(timedelta(milliseconds=left), summary=command.timer_id[:200])
        self._timers.pop(command.timer_id, None)
        self._happened(TimerDue(command.timer_id, now_ms()))

    async def _child(self, command: RunProcedure) -> None:
        ended = await run_child(command, self.state.run_id, ParentClosePolicy.REQUEST_CANCEL, self._handles)
        self._children.pop(command.child_id, None)
        self._handles.pop(command.child_id, None)
        self._happened(ended)

    async def _cancel_child(self, child_id: str) -> None:
        """Told by signal, a procedure ends by itself and says what it leaves; one that has not begun never begins."""
        child = self._handles.get(child_id)
        if child is not None:
            await child.signal("cancel", {})
        elif (waiting := self._children.get(child_id)) is not None:
            waiting.cancel()

    # -- what comes from outside --------------------------------------------------------------------------------------

    def event(self, sent: SentEvent) -> Json:
        """Something is sent in."""
        self._tell(EventReceived(sent.id, sent.name, sent.data, now_ms()))
        return self.status()

    def cancel(self, by: str) -> Json:
        """Somebody wants the run to end."""
        self._tell(CancelAsked(now_ms(), by))
        return self.status()

    async def retry(self, asked: Retry) -> Json:
        """Go on at the failed step, perhaps under another plan."""
        program = await self._another(asked.plan) if asked.plan else self._program
        if self.leaving:
            raise inbound.refusal(inbound.DRAINING, "the procedure continues in a new run; send the same again")
        before = self._program
        self._use(program)
        try:
            self._tell(RetryAsked(now_ms(), asked.by, asked.resolved))
        except ApplicationError:
            self._use(before)
            raise
        return self.status()

    def _use(self, program: Program) -> None:
        self._program, self.state.plan_digest = program, program.digest
        self._machine.use(program)

    async def _another(self, digest: str) -> Program:
        wanted = "" if digest == "latest" else digest
        resolved = await driver.resolve_plan(self._info.workflow_type, wanted, attempts=3)
        program = plans.program_of(resolved)
        if program.plan.name != self._program.plan.name or program.plan.work is None:
            raise inbound.refusal("wrong_plan", f"plan {program.digest[:12]} is of {program.plan.name!r}")
        changed = changed_steps(self.state, self._program.plan, program.plan)
        if changed:
            message = (
                f"plan {program.digest[:12]} changes steps that are done, or what those that have begun are known by:"
                f" {', '.join(changed)}"
            )
            raise inbound.refusal("plan_changes_finished_steps", message, {"steps": changed})
        return program

    def _tell(self, event: WorkEvent) -> None:
        try:
            self._happened(event)
        except InvalidMessage as problem:
            raise inbound.invalid(problem) from None

    def refuse(self, signal: str, code: str, message: str) -> None:
        """Keep that a signal was not obeyed."""
        self._refused.append({"signal": signal, "code": code, "message": message, "at_ms": now_ms()})
        del self._refused[:-50]

    # -- what it shows ------------------------------------------------------------------------------------------------

    def status(self) -> Json:
        """The answer of the query `status`."""
        previous = self._info.continued_run_id
        return work_views.status(self._machine, self._program.plan, previous)

    def steps(self) -> list[Json]:
        """The answer of the query `steps`."""
        return work_views.steps(self._machine, self._program.plan)

    def record(self, number: int | None) -> Json | None:
        """The answer of the query `record`: of one number, or the last ones."""
        if number is None:
            return {"run": self.state.run_id, "steps": self.state.records, "refused": self._refused}
        return self._archive.find(number)

    def records(self, after: int) -> Json:
        """The answer of the query `records`: those after a number, some at a time."""
        return {"records": self._archive.after(after), "last": self.state.record_number}

    def outbox(self, after: int | None) -> list[Json]:
        """What was said, later than number `after`."""
        return [entry for entry in self.state.said if entry["number"] > (after or 0)]

    def plan(self) -> Json:
        """The answer of the query `plan`."""
        plan = self._program.plan
        return {"spec": plan.name, "bundle": plan.bundle, "digest": self.state.plan_digest, "format": plan.format}

    def show(self) -> None:
        """Keep what can be asked of the run, and bring Temporal's pages up to date where something changes."""
        fresh = self._machine.notes.fresh()
        self._archive.take(fresh)
        for step in fresh:
            measures.calls_made(workflow.metric_meter(), step.get("calls", ()))
        workflow.set_current_details(work_views.details(self._machine, self._program.plan))
        _attribute(SPEC, self._program.plan.name)
        _attribute(DIGEST, self.state.plan_digest)
        _attribute(STATUS, self.state.status)


def opened(program: Program, given: Any, info: workflow.Info) -> RunState:
    """The state of a new run, from what its starter sent."""
    try:
        return started(
            program,
            run_id=run_id_of(info),
            given=messages.procedure_input(given),
            now_ms=now_ms(),
            language=language_of_starter(),
            given_by=starter(info),
        )
    except Malformed as problem:
        raise inbound.malformed(problem) from None
    except InvalidMessage as problem:
        raise inbound.invalid(problem) from None


def _attribute(key: SearchAttributeKey[str], value: str) -> None:
    if workflow.info().typed_search_attributes.get(key) != value:
        workflow.upsert_search_attributes([key.value_set(value)])
