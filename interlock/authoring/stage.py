"""A conversation without a server: the machine of a plan, a world that answers for its tools, a clock that stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from interlock.interpreter import machine
from interlock.interpreter.commands import CallTool, Reply
from interlock.interpreter.events import MessageReceived, PersonActed, TimerFired, ToolReturned
from interlock.interpreter.program import link

if TYPE_CHECKING:
    from interlock.interpreter.events import Event
    from interlock.plan.plan import Plan


class World(Protocol):
    """What answers for the tools."""

    def answer(self, call: CallTool, now_ms: int) -> ToolReturned:
        """The end of that call."""


W = TypeVar("W", bound=World)


@dataclass
class Played:
    """What one event led to: the reply (none for a person's event), the record, and the calls made, in order."""

    reply: dict[str, Any] | None = None
    record: dict[str, Any] | None = None
    calls: list[CallTool] = field(default_factory=list)

    @property
    def calls_of_turn(self) -> list[CallTool]:
        """The calls without those of checks."""
        own = {call.get("receipt") for call in (self.record or {}).get("calls", ())}
        return [call for call in self.calls if call.call_id in own]


class Stage(Generic[W]):
    """One session, played event by event. Times are milliseconds since the epoch."""

    def __init__(self, plan: Plan, world: W, *, user: dict[str, Any], now_ms: int, session_id: str = "stage") -> None:
        program = link(plan)
        self.world = world
        self.now_ms = now_ms
        self.plan = plan
        self.state = machine.opened(program, session_id=session_id, run_id=session_id, user=user, now_ms=now_ms)
        self._machine = machine.Machine(program, self.state)
        self._idle_at = self.now_ms + plan.session.idle_timeout_ms
        self._messages = 0

    def say(
        self, text: str, *, role: str = "user", kind: str = "user_chat", metadata: dict[str, Any] | None = None
    ) -> Played:
        """A message, as the service or (role `agent`) a colleague sends it."""
        self._messages += 1
        message = MessageReceived(
            id=f"m{self._messages}", text=text, now_ms=self.now_ms, role=role, type=kind, metadata=metadata or {}
        )
        self._idle_at = self.now_ms + self.plan.session.idle_timeout_ms
        return self._play(message)

    def act(self, event: Any) -> Played:
        """A person's event: takeover, release or close."""
        return self._play(PersonActed(event, self.now_ms))

    def advance(self, by_ms: int) -> Played:
        """Time passes; the idle timer fires if its time has come."""
        self.now_ms += by_ms
        if self.now_ms >= self._idle_at and self.state.status != "closed":
            return self._play(TimerFired("idle", self.now_ms))
        return Played()

    def _play(self, event: Event) -> Played:
        played = Played()
        before = self.state.turn
        commands = self._machine.handle(event)
        while calls := [command for command in commands if isinstance(command, CallTool)]:
            played.calls += calls
            commands = [c for call in calls for c in self._machine.handle(self.world.answer(call, self.now_ms))]
        replies = [command for command in commands if isinstance(command, Reply)]
        played.reply = replies[-1].body if replies else None
        played.record = self.state.records[-1] if self.state.turn > before else None
        return played
