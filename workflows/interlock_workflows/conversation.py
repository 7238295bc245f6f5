"""A session in one run: its opening, what it lets in, and the door that closes before another run goes on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

from interlock.contract.calls import BEING_OPENED
from interlock.contract.messages import AgentMessage, Malformed, Message
from interlock.interpreter.events import PersonActed
from interlock.interpreter.state import State, restored
from interlock_workflows import inbound, lasting, views
from interlock_workflows.entering import first_program, new_state
from interlock_workflows.opening import Opening, opening, read_session
from interlock_workflows.shown import Shown
from interlock_workflows.turns import Turns
from interlock_workflows.upgrading import Upgrade, is_pinned

if TYPE_CHECKING:
    from interlock.interpreter.program import Program

Json = dict[str, Any]

PROCEDURE_TAKES = "this is a procedure; it takes `event`, `retry` and `cancel`"


class Conversation:
    """One session in one run; its turns are there once it is open."""

    def __init__(self, arguments: Sequence[RawValue]) -> None:
        self._info = workflow.info()
        self._turns: Turns | None = None
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
        self._shown = Shown(self.opening.refused)
        self._upgrade = Upgrade(self._shown)
        if self.opening.state:  # it is there for queries before the plan is
            self._state = restored(self.opening.state)

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
            program = await first_program(self.opening, self._info)
            if program.plan.work is not None:
                self.procedure = program
            elif self._wrong_start is not None:
                self.failure = self._wrong_start
            else:
                if self._state is None:
                    self._state = new_state(program, self.opening, self._info)
                self._turns = Turns(program, self._state, self._shown, self._upgrade, self.opening.rules)
        except ApplicationError as failure:
            self.failure = failure

    async def _opened(self) -> Turns:
        """The turns once the session is open; raises the failure of a session that cannot be."""
        if not self.is_open:  # whoever waits here goes on before anything newer comes in
            await workflow.wait_condition(
                lambda: self.is_open or self.failure is not None or self.procedure is not None
            )
        if self.procedure is not None:
            raise inbound.refusal(inbound.WRONG_KIND, PROCEDURE_TAKES)
        if self._turns is None:
            raise self.not_open
        return self._turns

    @property
    def is_open(self) -> bool:
        """Whether it is known to be a conversation, and under which plan."""
        return self._turns is not None

    @property
    def state(self) -> State:
        """The state of an open session, or of the run before while this one is being opened."""
        if self._state is None:
            raise self.not_open
        return self._state

    @property
    def not_open(self) -> ApplicationError:
        """What is told while it is being opened, or where it could not be."""
        return self.failure or inbound.refusal("opening", BEING_OPENED)

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
        self._shown.refuse(signal, code, message)

    def want_plan(self, digest: str) -> None:
        """Another plan is to be taken at the next turn on which no flow waits."""
        self._upgrade.want(digest)

    async def turn(self, message: Message) -> Json:
        """The reply to one message, in the order of arrival."""
        turns = await self._opened()
        return await turns.turn(message)

    async def agent_turn(self, message: AgentMessage) -> Json:
        """A human colleague's words, passed on verbatim."""
        by = {"by": message.by} if message.by else {}
        return await self.turn(Message(message.id, message.text, role="agent", metadata=by))

    async def act(self, event: PersonActed) -> Json:
        """A colleague's event takes effect at once, in the middle of a turn too."""
        turns = await self._opened()
        turns.act(event)
        return self.status()

    # -- the end of a run ---------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """The session is closed."""
        return self._turns is not None and self._turns.over

    async def until_done(self) -> None:
        """Returns when the session is closed, or when the run must roll over: nothing more is taken then."""
        turns = await self._opened()
        await turns.until_done()
        self.rolling = not turns.over

    def leave(self) -> None:
        """Take nothing more: the run was cancelled."""
        self.failure = inbound.refusal(inbound.CANCELLED, "the session was cancelled")

    def carry(self) -> RawValue:
        """All that the next run needs."""
        assert self._turns is not None
        pinned = is_pinned(self._turns.program, self.state)
        return lasting.handed_over(self.state, pinned=pinned, refused=self._shown.refused)

    # -- what it shows ------------------------------------------------------------------------------------------------

    def status(self) -> Json:
        """The answer of the query `status`."""
        if self._state is None and self.failure is None:
            return views.opening(self._info)
        return views.status(self.state, self._info.workflow_type, self._info.continued_run_id)

    def plan(self) -> Json:
        """The answer of the query `plan`."""
        if self._turns is None:
            raise self.not_open
        return views.plan_of(self._turns.program.plan, self.state.plan_digest)

    def record(self, turn: int | None) -> Json | None:
        """The answer of the query `record`: of one turn of this run, or of its last turns."""
        return self._shown.record(self.state, turn)
