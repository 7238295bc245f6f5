"""A conversation without a server: the machine of a plan, a world that answers for its tools, a clock that stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from interlock.authoring.beside import Beside
from interlock.authoring.memory_stubs import StubbedMemory
from interlock.authoring.outside import Outside
from interlock.authoring.world import W
from interlock.interpreter import machine
from interlock.interpreter.commands import (
    Asked,
    CallTool,
    Command,
    Generate,
    ReadMemory,
    Reply,
    Retrieve,
    RunProcedure,
    Said,
    WriteMemory,
)
from interlock.interpreter.events import MessageReceived, PersonActed, TimerFired
from interlock.interpreter.program import link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.interpreter.events import Ended, Event
    from interlock.plan.plan import Plan


@dataclass
class Played:
    """What one event led to: the reply, the records, and the calls made, in order.

    Where no message came in the reply is what was said after a procedure has ended, the last if there were several.
    """

    reply: dict[str, Any] | None = None
    record: dict[str, Any] | None = None
    records: list[dict[str, Any]] = field(default_factory=list)
    calls: list[CallTool] = field(default_factory=list)

    @property
    def calls_of_turn(self) -> list[CallTool]:
        """The calls without those of checks."""
        own = {call.get("receipt") for record in self.records for call in record.get("calls", ())}
        return [call for call in self.calls if call.call_id in own]


class Stage(Generic[W]):
    """One session, played event by event. Times are milliseconds since the epoch.

    `memory` is what is remembered of its users, nothing by default. The procedures that it runs, found in `plans` by
    their digest, begin at once, and end when time passes.
    """

    def __init__(
        self,
        plan: Plan,
        world: W,
        *,
        user: dict[str, Any],
        now_ms: int,
        plans: Iterable[Plan] = (),
        session_id: str = "stage",
        model: dict[str, Any] | None = None,
        memory: StubbedMemory | None = None,
    ) -> None:
        program = link(plan)
        self.world = world
        self.now_ms = now_ms
        self.plan = plan
        self._outside = Outside()
        self._memory = memory or StubbedMemory()
        self.state = machine.opened(
            program, session_id=session_id, run_id=session_id, user=user, now_ms=now_ms, model=model
        )
        self._machine = machine.Machine(program, self.state)
        self._idle_at = self.now_ms + plan.session.idle_timeout_ms
        self._messages = 0
        self._beside = Beside(world, plans, self._outside)

    def say(
        self,
        text: str,
        *,
        role: str = "user",
        kind: str = "user_chat",
        metadata: dict[str, Any] | None = None,
        model: dict[str, Any] | None = None,
    ) -> Played:
        """A message, as the service or (role `agent`) a colleague sends it."""
        self._messages += 1
        message = MessageReceived(
            id=f"m{self._messages}",
            text=text,
            now_ms=self.now_ms,
            role=role,
            type=kind,
            metadata=metadata or {},
            model=model,
        )
        self._idle_at = self.now_ms + self.plan.session.idle_timeout_ms
        return self._play(message)

    def act(self, event: Any) -> Played:
        """A person's event: takeover, release or close."""
        return self._play(PersonActed(event, self.now_ms))

    def advance(self, by_ms: int) -> Played:
        """Time passes; procedures go on and may end, and the idle timer fires if its time has come."""
        self.now_ms += by_ms
        played = Played()
        for ended in self._beside.advance(by_ms):
            self._machine.handle(ended)
        while commands := self._machine.resume(self.now_ms):
            self._carry_out(commands, played)
        quiet = self.now_ms >= self._idle_at and not self.state.background
        if quiet and self.state.status != "closed":
            self._carry_out(self._machine.handle(TimerFired("idle", self.now_ms)), played)
            played.record = self.state.records[-1]
        return played

    def _play(self, event: Event) -> Played:
        played = Played()
        before = self.state.turn
        self._carry_out(self._machine.handle(event), played)
        if self.state.turn > before and not played.records:
            played.record = self.state.records[-1]
        return played

    def _carry_out(self, commands: list[Command], played: Played) -> None:
        """The calls of a turn to its end; what it says, its record, and the procedures that it begins."""
        while asked := [command for command in commands if isinstance(command, Asked)]:
            commands = [c for one in asked for c in self._machine.handle(self._ended(one, played))]
        for command in commands:
            if isinstance(command, Reply | Said):
                played.reply, played.record = command.body, self.state.records[-1]
                played.records.append(played.record)
            elif isinstance(command, RunProcedure):
                self._beside.begin(command, self.now_ms)

    def _ended(self, asked: Asked, played: Played) -> Ended:
        match asked:
            case CallTool():
                tool = self.plan.tools[asked.tool]
                made, came = self._outside.answered(self.world, tool, asked, self.now_ms)
                played.calls.append(made)
                return came
            case Generate():
                return self.world.write(asked, self.now_ms)
            case Retrieve():
                return self.world.find(asked, self.now_ms)
            case ReadMemory() | WriteMemory():
                return self._memory.answered(asked, self.now_ms)
