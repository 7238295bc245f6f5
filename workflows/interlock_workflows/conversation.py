"""A session: the order of its turns, the door that closes before it continues as new, the plan that it is pinned to."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue, SearchAttributeKey
from temporalio.exceptions import ApplicationError

from interlock.client.attributes import DIGEST, SPEC, STATUS
from interlock.contract import strict_json
from interlock.contract.calls import BEING_OPENED, PLAN_UNREADABLE, UNKNOWN_SPEC, ResolvedPlan
from interlock.contract.messages import AgentMessage, Malformed, Message
from interlock.interpreter.background import next_to_resume
from interlock.interpreter.commands import Command, RunProcedure
from interlock.interpreter.events import MessageReceived, PersonActed, ProcedureEnded, TimerFired
from interlock.interpreter.machine import InvalidMessage, Machine, opened
from interlock.interpreter.program import Program
from interlock.interpreter.state import State, restored
from interlock_workflows import carried, driver, inbound, plans, views
from interlock_workflows.archive import BATCH, Archive
from interlock_workflows.beside import Beside
from interlock_workflows.driver import now_ms
from interlock_workflows.opening import Opening, opening, pinned_plan, read_session, session_of

Json = dict[str, Any]

TURNS_PER_RUN = 200
"""Turns after which a run continues as new; changing it needs `workflow.patched`."""

TURNS_WITH_CHILDREN, HISTORY_WITH_CHILDREN = 1_500, 20_000
"""Turns and events after which it does so although a procedure is running, whose end it then cannot see."""

OUT_OF_SIGHT = "the conversation has gone on for so long that the end of the procedure cannot be seen from here"

REFUSED_KEPT = 50

REPLY_LIMIT = 1_000_000
"""Bytes; beyond 2 MB the server would refuse the reply, and the run would be stuck with it."""


PROCEDURE_TAKES = "this is a procedure; it takes `event`, `retry` and `cancel`"


class Conversation:
    """One session in one run."""

    def __init__(self, arguments: Sequence[RawValue]) -> None:
        self._info = workflow.info()
        self._turns = asyncio.Lock()
        self._taken = 0
        self._upgrade_to = ""
        self._machine: Machine | None = None
        self._program: Program | None = None
        self._state: State | None = None
        self.failure: ApplicationError | None = None
        self.rolling = False
        self.procedure: Program | None = None
        self.opening = Opening()
        self._wrong_start: ApplicationError | None = None
        try:
            self.opening = opening(arguments, self._info)
        except Malformed as problem:
            self.failure = inbound.malformed(problem)
        else:
            self._read_start()
        self._refused = self.opening.refused
        if self.opening.state:  # it is there for queries before the plan is
            self._state = restored(self.opening.state)
        self._archive = Archive()
        self._beside = Beside(self._ended)

    def _read_start(self) -> None:
        """What is no start of a session may be that of a procedure; which it is, the plan says."""
        try:
            read_session(self.opening)
        except Malformed as problem:
            self._wrong_start = inbound.malformed(problem)

    # -- opening ------------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Get the plan and the state; where that is impossible, `failure` says why and everybody waiting is told.

        If the spec is a procedure, there is no conversation: `procedure` is then its program.
        """
        if self.failure is not None:
            return
        try:
            program = await self._first_program()
            if program.plan.work is not None:
                self.procedure = program
            elif self._wrong_start is not None:
                self.failure = self._wrong_start
            else:
                self._enter(program)
        except ApplicationError as failure:
            self.failure = failure

    async def ready(self) -> State:
        """The state once the session is open; raises the failure of a session that cannot be."""
        if not self.is_open:  # whoever waits here goes on before anything newer comes in
            await workflow.wait_condition(
                lambda: self.is_open or self.failure is not None or self.procedure is not None
            )
        if self.procedure is not None:
            raise inbound.refusal(inbound.WRONG_KIND, PROCEDURE_TAKES)
        if self._machine is None and self.failure is not None:
            raise self.failure
        return self.state

    @property
    def is_open(self) -> bool:
        """Whether it is known to be a conversation, and under which plan."""
        return self._machine is not None

    @property
    def state(self) -> State:
        """The state of an open session, or of the run before while this one is being opened."""
        if self._state is None:
            raise self._not_open
        return self._state

    @property
    def _not_open(self) -> ApplicationError:
        return self.failure or inbound.refusal("opening", BEING_OPENED)

    async def _first_program(self) -> Program:
        before = self.opening.state or self.opening.work
        digest = before["plan_digest"] if before and (self.opening.pinned or self.opening.work) else pinned_plan()
        try:
            resolved = await driver.resolve_plan(self._info.workflow_type, digest)
        except ApplicationError as failure:
            if failure.type not in (UNKNOWN_SPEC, PLAN_UNREADABLE) or before is None:
                raise inbound.refusal(failure.type or inbound.INTERNAL, failure.message) from None
            # The spec is gone from the newest deployment, but not the plan of this session.
            resolved = await driver.resolve_plan(self._info.workflow_type, before["plan_digest"])
        return self._program_of(resolved, begins=before is None)

    def _program_of(self, resolved: ResolvedPlan, *, begins: bool) -> Program:
        """The program; without it a session that begins fails, and one that goes on waits for another worker."""
        try:
            return plans.program_of(resolved)
        except Exception as problem:
            if not begins or workflow.unsafe.is_replaying():
                raise
            raise inbound.refusal(PLAN_UNREADABLE, str(problem)) from problem

    def _enter(self, program: Program) -> None:
        self._program = program
        if self._state is None:
            self._state = self._new_state(program)
        self._state.plan_digest = program.digest
        self._machine = Machine(program, self._state)
        self.show()
        if next_to_resume(self._state):
            self._beside.spawn(self._resume())

    def _new_state(self, program: Program) -> State:
        try:
            return opened(
                program,
                session_id=session_of(self._info),
                run_id=self._info.first_execution_run_id,
                user=self.opening.user,
                now_ms=now_ms(),
            )
        except InvalidMessage as problem:
            raise inbound.invalid(problem) from None

    # -- what may come in ---------------------------------------------------------------------------------------------

    def admit(self) -> None:
        """Raises where nothing more is taken; changes nothing, so that validators may ask."""
        if self.failure is not None:
            raise self.failure
        if self.rolling:
            raise inbound.refusal(inbound.DRAINING, "the session continues in a new run; send the same message again")
        if self.opening.message is not None:
            raise inbound.refusal(inbound.SINGLE_MESSAGE, "this run answers the one message it was started with")

    def refuse(self, signal: str, code: str, message: str) -> None:
        """Keep in the record that a signal was not obeyed."""
        self._refused.append({"signal": signal, "code": code, "message": message, "at_ms": now_ms()})
        del self._refused[:-REFUSED_KEPT]

    def want_plan(self, digest: str) -> None:
        """Another plan is to be taken at the next turn on which no flow waits."""
        self._upgrade_to = digest

    # -- turns and events ---------------------------------------------------------------------------------------------

    async def turn(self, message: Message) -> Json:
        """The reply to one message, in the order of arrival."""
        await self.ready()
        async with self._turns:
            await self._upgrade()
            reply = await self._safely(_received(message))
            self._taken += 1
            self.show()
        if len(strict_json.dumps(reply)) > REPLY_LIMIT:
            raise inbound.refusal(inbound.TOO_LARGE, f"the reply is larger than {REPLY_LIMIT:,} bytes")
        return reply

    async def agent_turn(self, message: AgentMessage) -> Json:
        """A human colleague's words, passed on verbatim."""
        by = {"by": message.by} if message.by else {}
        return await self.turn(Message(message.id, message.text, role="agent", metadata=by))

    async def act(self, event: PersonActed) -> Json:
        """A colleague's event takes effect at once, in the middle of a turn too."""
        await self.ready()
        assert self._machine is not None
        self._machine.handle(event)
        self.show()
        if next_to_resume(self.state):
            self._beside.spawn(self._resume())
        return self.status()

    async def _safely(self, event: MessageReceived) -> Json:
        assert self._machine is not None
        assert self._program is not None
        try:
            commands = await self._carried_out(self._machine.handle(event))
            return driver.reply_in(commands)
        except InvalidMessage as problem:
            raise inbound.invalid(problem) from None
        except Exception as error:  # a fault of ours fails this turn for its caller, and never blocks the session
            workflow.logger.exception("a turn failed")
            self._restart()
            raise inbound.refusal(inbound.INTERNAL, f"the turn failed: {type(error).__name__}") from error

    async def _carried_out(self, commands: list[Command]) -> list[Command]:
        """Do what a turn asks for; the procedures that it begins run beside the conversation."""
        assert self._machine is not None
        assert self._program is not None
        last = await driver.carried_out(self._machine, self._program.plan, self.state.run_id, commands)
        for command in last:
            if isinstance(command, RunProcedure):
                self._beside.begin(command)
        return last

    # -- procedures ---------------------------------------------------------------------------------------------------

    def _ended(self, end: ProcedureEnded) -> None:
        assert self._machine is not None
        self._machine.handle(end)
        self._beside.spawn(self._resume())

    async def _resume(self) -> None:
        """Let the flows go on whose procedures have ended, each in a turn of its own."""
        async with self._turns:
            while not self.over and (commands := self._resumed()):
                try:
                    await self._carried_out(commands)
                except Exception:  # noqa: BLE001 - as with a message: a fault of ours ends this turn, and never blocks the session
                    workflow.logger.exception("a flow could not go on")
                    self._restart()
            self.show()

    def _resumed(self) -> list[Command]:
        assert self._machine is not None
        return self._machine.resume(now_ms())

    def _restart(self) -> None:
        assert self._program is not None
        self._machine = Machine(self._program, self.state)

    # -- the plan -----------------------------------------------------------------------------------------------------

    @property
    def _pinned(self) -> bool:
        assert self._program is not None
        waits = self.state.flow is not None or bool(self.state.background)
        return waits or self._program.plan.session.upgrade == "never"

    async def _upgrade(self) -> None:
        wanted = self._upgrade_to
        if not wanted or wanted == self.state.plan_digest or self._pinned:
            return
        try:
            resolved = await driver.resolve_plan(self._info.workflow_type, wanted, attempts=1)
        except ApplicationError:
            return  # a worker of the deployment before this one; the next turn may meet another
        program = plans.program_of(resolved)
        self._upgrade_to = ""
        if program.plan.name != self._info.workflow_type:
            self.refuse("upgrade", "wrong-spec", f"plan {wanted} is of spec {program.plan.name!r}")
            return
        self._program = program
        self.state.plan_digest = program.digest
        self._machine = Machine(program, self.state)

    # -- the end of a run ---------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """The session is closed."""
        return self._state is not None and self._state.status == "closed"

    async def until_done(self) -> None:
        """Returns when the session is closed, by a person or for being idle, or when the run must roll over."""
        while not (self.over or self._due):
            try:
                await workflow.wait_condition(lambda: self.over or self._due, timeout=self._idle_left())
            except TimeoutError:
                self._end_if_idle()
        self.rolling = not self.over

    def leave(self) -> None:
        """Take nothing more: the run was cancelled."""
        self.failure = inbound.refusal(inbound.CANCELLED, "the session was cancelled")

    def carry(self) -> RawValue:
        """All that the next run needs."""
        for waiting in self.state.background.values():  # the run that a child reports to will be gone
            waiting["ended"] = waiting["ended"] or {
                "ending": "failed",
                "result": {},
                "message": OUT_OF_SIGHT,
                "run": "",
            }
        return carried.packed(self.state, pinned=self._pinned, refused=self._refused)

    @property
    def _due(self) -> bool:
        info = workflow.info()
        if self._beside.running and info.get_current_history_length() < HISTORY_WITH_CHILDREN:
            return self._taken >= TURNS_WITH_CHILDREN
        return self._taken >= TURNS_PER_RUN or info.is_continue_as_new_suggested()

    def _idle_left(self) -> timedelta:
        assert self._program is not None
        longest = self._program.plan.session.idle_timeout_ms
        left = longest if self.state.background else self.state.last_ms + longest - now_ms()
        return timedelta(milliseconds=max(left, 1))

    def _end_if_idle(self) -> None:
        assert self._program is not None
        assert self._machine is not None
        quiet = now_ms() - self.state.last_ms >= self._program.plan.session.idle_timeout_ms
        if quiet and not self._turns.locked() and not self.state.background:
            self._machine.handle(TimerFired("idle", now_ms()))
            self.show()

    # -- what it shows ------------------------------------------------------------------------------------------------

    def status(self) -> Json:
        """The answer of the query `status`."""
        if self._state is None and self.failure is None:
            return views.opening(self._info)
        return views.status(self.state, self._info.workflow_type, self._info.continued_run_id)

    def plan(self) -> Json:
        """The answer of the query `plan`."""
        if self._program is None:
            raise self._not_open
        return views.plan_of(self._program.plan, self.state.plan_digest)

    def record(self, turn: int | None) -> Json | None:
        """The answer of the query `record`: of one turn of this run, or of its last turns."""
        if turn is None:
            return views.records(self.state, self._refused)
        return self._archive.find(turn) or views.record(self.state, turn)

    def show(self) -> None:
        """Keep what can be asked of the run, and bring Temporal's pages up to date where something changes."""
        self._archive.take(self.state.records[-BATCH:])
        assert self._program is not None
        workflow.set_current_details(views.details(self.state, self._program.plan))
        wanted = {SPEC: self._program.plan.name, DIGEST: self.state.plan_digest, STATUS: self.state.status}
        changed = [key.value_set(value) for key, value in wanted.items() if self._known(key) != value]
        if changed:
            workflow.upsert_search_attributes(changed)

    def _known(self, key: SearchAttributeKey[str]) -> str | None:
        return workflow.info().typed_search_attributes.get(key)


def _received(message: Message) -> MessageReceived:
    return MessageReceived(
        id=message.id,
        text=message.text,
        now_ms=now_ms(),
        role=message.role,
        type=message.type,
        metadata=message.metadata,
        history=message.history,
    )
