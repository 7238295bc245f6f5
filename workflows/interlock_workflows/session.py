"""The workflow of every spec: its type is the spec's name, its handlers are the public contract of a session.

All handlers take whatever is sent and read it by hand: nothing that a caller sends can fail a workflow task.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    from interlock.contract import messages, strict_json
    from interlock.contract.messages import Malformed, Message
    from interlock.interpreter.events import PersonActed
    from interlock.interpreter.program import Program
    from interlock.interpreter.work.state import restored
    from interlock_workflows import inbound, views
    from interlock_workflows.clock import now_ms
    from interlock_workflows.conversation import PROCEDURE_TAKES, Conversation
    from interlock_workflows.procedure import Procedure, opened
    from interlock_workflows.queue import Queue

Json = dict[str, Any]


@workflow.defn(dynamic=True)
class Session:
    """One conversation with an agent, or one message answered as the run's result."""

    @workflow.init
    def __init__(self, arguments: Sequence[RawValue]) -> None:
        self._talk = Conversation(arguments)
        self._work: Procedure | None = None
        self._queue = Queue()
        self._checked: tuple[Sequence[RawValue], Message] | None = None

    @workflow.run
    async def run(self, _arguments: Sequence[RawValue]) -> Json | RawValue:
        """Open the session and keep it until it is closed, or do the work of a procedure; the result says what came."""
        talk = self._talk
        cancelled = await self._opened()
        if talk.procedure is not None:
            return await self._do(talk.procedure, cancelled)
        try:
            answer = await self._only_answer() if talk.failure is None else None
            if answer is None and talk.failure is None:
                await talk.until_done()
        except asyncio.CancelledError:
            talk.leave()
            await workflow.wait_condition(workflow.all_handlers_finished)
            raise
        await workflow.wait_condition(workflow.all_handlers_finished)
        if talk.failure is not None:
            raise talk.failure
        if talk.rolling and not talk.over:
            workflow.continue_as_new(args=[talk.carry()])
        return answer or views.summary(talk.state)

    async def _opened(self) -> bool:
        """Whether work that goes on was cancelled before it could: it has to hear of it, and may have to undo."""
        if self._talk.opening.work is None:
            await self._talk.open()
            return False
        opening = asyncio.create_task(self._talk.open())
        try:
            await asyncio.shield(opening)
        except asyncio.CancelledError:
            await opening
            return True
        return False

    async def _do(self, program: Program, cancelled: bool) -> RawValue:
        opening = self._talk.opening
        try:
            before = opening.work
            state = restored(before) if before else opened(program, opening.given, workflow.info())
        except ApplicationError as failure:
            self._talk.failure = failure
            await workflow.wait_condition(workflow.all_handlers_finished)
            raise
        work = self._work = Procedure(program, state, opening, self._queue)
        try:
            result = await work.run(cancelled=cancelled)
        except (ApplicationError, asyncio.CancelledError):
            await workflow.wait_condition(workflow.all_handlers_finished)
            raise
        try:
            await workflow.wait_condition(workflow.all_handlers_finished)
        except asyncio.CancelledError:
            if not work.leaving:
                raise
            work.cancel("")
        if work.leaving:
            workflow.continue_as_new(args=[work.carry()])
        return result

    async def _only_answer(self) -> Json | None:
        message = self._talk.opening.message
        return None if message is None else await self._talk.turn(message)

    # -- messages -----------------------------------------------------------------------------------------------------

    @workflow.update(name="message", description="A message {id, text, role, type, metadata}; answered by the reply.")
    async def message(self, *bodies: RawValue) -> Json:
        """Take one turn; turns are taken in the order of arrival."""
        checked, self._checked = self._checked, None
        known = checked is not None and checked[0] == bodies
        return await self._talk.turn(checked[1] if checked and known else _read(messages.message, bodies))

    @message.validator
    def _check_message(self, *bodies: RawValue) -> None:
        self._admit()
        # For the handler, which the same body reaches next; a replay has no validator, and reads it there.
        self._checked = (bodies, _read(messages.message, bodies))

    @workflow.update(name="agent_message", description="A colleague's words {id, text, by}, passed on verbatim.")
    async def agent_message(self, *bodies: RawValue) -> Json:
        """As `message` with the role agent."""
        return await self._talk.agent_turn(_read(messages.agent_message, bodies))

    @agent_message.validator
    def _check_agent_message(self, *bodies: RawValue) -> None:
        self._admit()
        _read(messages.agent_message, bodies)

    @workflow.signal(name="agent_message", description="As the update of this name, without an answer.")
    async def agent_message_signal(self, *bodies: RawValue) -> None:
        """A colleague's words; what is wrong with them is kept in the record."""
        try:
            await self._talk.agent_turn(_read(messages.agent_message, bodies))
        except ApplicationError as problem:
            self._talk.refuse("agent_message", problem.type or inbound.INTERNAL, problem.message)

    # -- colleagues' events -------------------------------------------------------------------------------------------

    @workflow.update(name="takeover", description="A person takes over {by}; the assistant is silent until `release`.")
    async def takeover(self, *bodies: RawValue) -> Json:
        """Takes effect at once, in the middle of a turn too."""
        return await self._talk.act(_event("takeover", bodies))

    @takeover.validator
    def _check_takeover(self, *bodies: RawValue) -> None:
        self._check_event(bodies)

    @workflow.update(name="release", description="The person gives the session back {by}.")
    async def release(self, *bodies: RawValue) -> Json:
        """The assistant goes on with the state it had."""
        return await self._talk.act(_event("release", bodies))

    @release.validator
    def _check_release(self, *bodies: RawValue) -> None:
        self._check_event(bodies)

    @workflow.update(name="close", description="End the session {by}.")
    async def close(self, *bodies: RawValue) -> Json:
        """The run ends when what is being answered is answered."""
        return await self._talk.act(_event("close", bodies))

    @close.validator
    def _check_close(self, *bodies: RawValue) -> None:
        self._check_event(bodies)

    @workflow.signal(name="takeover", description="As the update of this name, without an answer.")
    async def takeover_signal(self, *bodies: RawValue) -> None:
        """See the update."""
        await self._signalled("takeover", bodies)

    @workflow.signal(name="release", description="As the update of this name, without an answer.")
    async def release_signal(self, *bodies: RawValue) -> None:
        """See the update."""
        await self._signalled("release", bodies)

    @workflow.signal(name="close", description="As the update of this name, without an answer.")
    async def close_signal(self, *bodies: RawValue) -> None:
        """See the update."""
        await self._signalled("close", bodies)

    @workflow.signal(name="upgrade", description="A deployment offers another plan {digest}.")
    def upgrade(self, *bodies: RawValue) -> None:
        """Taken at the next turn on which no flow waits, if the plan in use allows it."""
        try:
            self._talk.want_plan(inbound.digest(bodies))
        except Malformed as problem:
            self._talk.refuse("upgrade", inbound.MALFORMED, str(problem))

    def _admit(self) -> None:
        if self._work is not None:
            raise inbound.refusal(inbound.WRONG_KIND, PROCEDURE_TAKES)
        self._talk.admit()

    def _check_event(self, bodies: Sequence[RawValue]) -> None:
        self._admit()
        _read(messages.person_event, bodies)

    async def _signalled(self, event: Any, bodies: Sequence[RawValue]) -> None:
        try:
            await self._talk.act(_event(event, bodies))
        except ApplicationError as problem:
            self._talk.refuse(event, problem.type or inbound.INTERNAL, problem.message)

    # -- procedures ---------------------------------------------------------------------------------------------------

    async def _procedure(self) -> Procedure:
        """The procedure, once it is known to be one, for all who ask in the order of their arrival."""
        talk = self._talk
        async with self._queue.turn():
            await workflow.wait_condition(lambda: self._work is not None or talk.is_open or talk.failure is not None)
        if self._work is None:
            raise talk.failure or inbound.refusal(
                inbound.WRONG_KIND, "this is a conversation; only a procedure takes this"
            )
        return self._work

    @workflow.update(name="event", description="Something declared is sent in {id, name, data}.")
    async def event(self, *bodies: RawValue) -> Json:
        """Received by the step that waits for it, or by the next one that does."""
        return (await self._procedure()).event(_read(messages.sent_event, bodies))

    @event.validator
    def _check_sent_event(self, *bodies: RawValue) -> None:
        _read(messages.sent_event, bodies)

    @workflow.update(name="retry", description="Go on at the failed step {by, resolved, plan}.")
    async def retry(self, *bodies: RawValue) -> Json:
        """What is done is not done again."""
        return await (await self._procedure()).retry(_read(messages.retry, bodies))

    @retry.validator
    def _check_retry(self, *bodies: RawValue) -> None:
        _read(messages.retry, bodies)

    @workflow.update(name="cancel", description="End the procedure {by}; what has begun is finished first.")
    async def cancel(self, *bodies: RawValue) -> Json:
        """Undone or not, as `on_cancel` says."""
        return (await self._procedure()).cancel(_read(messages.person_event, bodies).by)

    @cancel.validator
    def _check_cancel(self, *bodies: RawValue) -> None:
        _read(messages.person_event, bodies)

    @workflow.signal(name="event", description="As the update of this name, without an answer.")
    async def event_signal(self, *bodies: RawValue) -> None:
        """See the update."""
        await self._told("event", lambda work: work.event(_read(messages.sent_event, bodies)))

    @workflow.signal(name="cancel", description="As the update of this name, without an answer.")
    async def cancel_signal(self, *bodies: RawValue) -> None:
        """See the update."""
        await self._told("cancel", lambda work: work.cancel(_read(messages.person_event, bodies).by))

    async def _told(self, signal: str, tell: Callable[[Procedure], Json]) -> None:
        try:
            tell(await self._procedure())
        except ApplicationError as problem:
            refuse = self._work.refuse if self._work else self._talk.refuse
            refuse(signal, problem.type or inbound.INTERNAL, problem.message)

    # -- what nobody declared -----------------------------------------------------------------------------------------

    @workflow.signal(dynamic=True)
    def _unknown_signal(self, name: str, _bodies: Sequence[RawValue]) -> None:
        self._talk.refuse(strict_json.shown(name), inbound.UNKNOWN_NAME, "a session takes no signal of this name")

    @workflow.update(dynamic=True)
    async def _unknown_update(self, name: str, _bodies: Sequence[RawValue]) -> None:
        raise _unknown(name)

    @_unknown_update.validator
    def _check_unknown_update(self, name: str, _bodies: Sequence[RawValue]) -> None:
        raise _unknown(name)

    # -- queries ------------------------------------------------------------------------------------------------------

    @workflow.query(name="status", description="Where the session stands.")
    def status(self, *_bodies: RawValue) -> Json:
        """Status, turn, plan, and the flow that waits; of a procedure what runs, what it waits for and lacks."""
        return self._work.status() if self._work else self._talk.status()

    @workflow.query(name="outbox", description="What was said outside a reply, after a number.")
    def outbox(self, *bodies: RawValue) -> list[Json]:
        """Entries `{number, text, role, at_ms}`."""
        after = _read_number(bodies)
        return self._work.outbox(after) if self._work else views.outbox(self._talk.state, after)

    @workflow.query(name="record", description="The record of a turn, or of the run's last turns.")
    def record(self, *bodies: RawValue) -> Json | None:
        """Why each turn was answered as it was, and what each step did with which values."""
        return (self._work or self._talk).record(_read_number(bodies))

    @workflow.query(name="records", description="The records of a procedure after a number, some at a time.")
    def records(self, *bodies: RawValue) -> Json:
        """Entries `{number, step, …}`, and the last number there is."""
        return self._asked.records(_read_number(bodies) or 0)

    @workflow.query(name="steps", description="Every step of a procedure, and how far it is.")
    def steps(self, *_bodies: RawValue) -> list[Json]:
        """Entries `{id, action, at, depth, state}`."""
        return self._asked.steps()

    @property
    def _asked(self) -> Procedure:
        if self._work is None:
            wrong = inbound.refusal(inbound.WRONG_KIND, "only a procedure can be asked this")
            raise wrong if self._talk.is_open else self._talk.not_open
        return self._work

    @workflow.query(name="transcript", description="Who said what, as far as the session remembers.")
    def transcript(self, *_bodies: RawValue) -> list[Json]:
        """Entries `{turn, role, text, at_ms}`."""
        return self._talk.state.transcript

    @workflow.query(name="plan", description="The plan that the run is pinned to.")
    def plan(self, *_bodies: RawValue) -> Json:
        """Its spec, bundle and digest."""
        return (self._work or self._talk).plan()


def _read(parse: Any, bodies: Sequence[RawValue]) -> Any:
    try:
        return parse(inbound.body(bodies))
    except Malformed as problem:
        raise inbound.malformed(problem) from None


def _read_number(bodies: Sequence[RawValue]) -> int | None:
    try:
        return inbound.number(bodies)
    except Malformed as problem:
        raise inbound.malformed(problem) from None


def _event(name: Any, bodies: Sequence[RawValue]) -> PersonActed:
    return PersonActed(name, now_ms(), by=_read(messages.person_event, bodies).by)


def _unknown(name: str) -> ApplicationError:
    return inbound.refusal(inbound.UNKNOWN_NAME, f"this session takes no update {strict_json.shown(name)!r}")
