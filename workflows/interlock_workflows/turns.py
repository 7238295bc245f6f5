"""An open session: its turns one after another, and the flows that go on when their procedures have ended."""

import asyncio
from collections.abc import Callable
from typing import Any

from temporalio import workflow

from interlock.contract import strict_json
from interlock.contract.messages import Message
from interlock.interpreter import record
from interlock.interpreter.background import next_to_resume
from interlock.interpreter.commands import Command, RunProcedure
from interlock.interpreter.events import MessageReceived, PersonActed, ProcedureEnded, TimerFired
from interlock.interpreter.machine import InvalidMessage, Machine
from interlock.interpreter.program import Program
from interlock.interpreter.state import State
from interlock_workflows import driver, inbound, lasting
from interlock_workflows.beside import Beside
from interlock_workflows.clock import now_ms
from interlock_workflows.shown import Shown
from interlock_workflows.upgrading import Upgrade
from interlock_workflows.watching import Watched

Json = dict[str, Any]

REPLY_LIMIT = 1_000_000
"""Bytes; beyond 2 MB the server would refuse the reply, and the run would be stuck with it."""


class Turns:
    """The machine of a session, what it asks for carried out, and what came of it shown."""

    def __init__(self, program: Program, state: State, shown: Shown, upgrade: Upgrade, rules: int) -> None:
        self.program = program
        self.state = state
        self._rules = rules
        state.plan_digest = program.digest
        self._shown = shown
        self._upgrade = upgrade
        self._machine = Machine(program, state, rules)
        self._in_turn = asyncio.Lock()
        self._taken = 0
        self._beside = Beside(state.run_id, self._ended)
        self._show()
        self._resume_what_can()

    async def turn(self, message: Message) -> Json:
        """The reply to one message, in the order of arrival."""
        async with self._in_turn:
            await self._take_plan()
            reply = await self._safely(_received(message))
            self._taken += 1
            self._show()
        if len(strict_json.dumps(reply)) > REPLY_LIMIT:
            raise inbound.refusal(inbound.TOO_LARGE, f"the reply is larger than {REPLY_LIMIT:,} bytes")
        return reply

    def act(self, event: PersonActed) -> None:
        """A colleague's event takes effect at once, in the middle of a turn too."""
        self._machine.handle(event)
        self._show()
        self._resume_what_can()

    async def _take_plan(self) -> None:
        program = await self._upgrade.due(self.program, self.state, workflow.info().workflow_type)
        if program is not None:
            self.program, self.state.plan_digest = program, program.digest
            self._restart()

    async def _safely(self, event: MessageReceived) -> Json:
        try:
            commands = await self._run(lambda: self._machine.handle(event))
            return driver.reply_in(commands)
        except InvalidMessage as problem:
            raise inbound.invalid(problem) from None
        except Exception as error:  # a fault of ours fails this turn for its caller, and never blocks the session
            workflow.logger.exception("a turn failed")
            self._restart()
            record.keep(self.state, record.of_fault(self.state, event.id, error, now_ms()))
            raise inbound.refusal(inbound.INTERNAL, f"the turn failed: {type(error).__name__}") from error

    async def _run(self, begun: Callable[[], list[Command]]) -> list[Command]:
        """Do what a turn asks for; the procedures that it begins run beside the conversation."""
        plan, watched = self.program.plan, Watched(self.program.plan, self.state)
        try:
            last = await driver.carried_out(self._machine, plan, self.state.run_id, begun(), watched.trail)
        except Exception as error:
            watched.failed(error)
            raise
        for command in last:
            if isinstance(command, RunProcedure):
                self._beside.begin(command)
        watched.ended(last, self._machine.said)
        return last

    def _restart(self) -> None:
        self._machine = Machine(self.program, self.state, self._rules)

    # -- procedures ---------------------------------------------------------------------------------------------------

    def _ended(self, end: ProcedureEnded) -> None:
        self._machine.handle(end)
        self._beside.spawn(self._resume())

    def _resume_what_can(self) -> None:
        if next_to_resume(self.state):
            self._beside.spawn(self._resume())

    async def _resume(self) -> None:
        """Let the flows go on whose procedures have ended, each in a turn of its own."""
        async with self._in_turn:
            while not self.over and next_to_resume(self.state):
                try:
                    await self._run(lambda: self._machine.resume(now_ms()))
                except Exception as error:  # noqa: BLE001 - as with a message: a fault of ours ends this turn, and never blocks the session
                    workflow.logger.exception("a flow could not go on")
                    self._restart()
                    record.keep(self.state, record.of_fault(self.state, "", error, now_ms()))
            self._show()

    # -- the end ------------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """The session is closed."""
        return self.state.status == "closed"

    @property
    def are_enough(self) -> bool:
        """Whether another run is to go on."""
        return lasting.is_due(self._taken, self._beside.running)

    async def until_done(self) -> None:
        """Returns when the session is closed, by a person or for being idle, or when another run is to go on."""
        while not (self.over or self.are_enough):
            left = lasting.idle_left(self.state, self.program.plan)
            try:
                await workflow.wait_condition(lambda: self.over or self.are_enough, timeout=left)
            except TimeoutError:
                self._end_if_idle()

    def _end_if_idle(self) -> None:
        if lasting.is_idle(self.state, self.program.plan) and not self._in_turn.locked():
            self._machine.handle(TimerFired("idle", now_ms()))
            self._show()

    def _show(self) -> None:
        self._shown.update(self.state, self.program.plan)


def _received(message: Message) -> MessageReceived:
    return MessageReceived(
        id=message.id,
        text=message.text,
        now_ms=now_ms(),
        role=message.role,
        type=message.type,
        metadata=message.metadata,
        history=message.history,
        model=message.model,
    )
