"""One case of an agent's suite on its stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.authoring.expectations import Mismatch, Unfit, mismatches
from interlock.authoring.stage import Stage
from interlock.authoring.telling import told
from interlock.interpreter.opening import InvalidMessage
from interlock.spec.durations import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.authoring.coverage import Coverage
    from interlock.authoring.stage import Played
    from interlock.authoring.stubs import StubbedWorld
    from interlock.plan.plan import Plan
    from interlock.spec.models import NamedModel
    from interlock.spec.suite import Case, Turn


FITS = "what fits the agent"


class AgentCase:
    """A session. Raises Unfit for a user, and later for a message, that does not fit."""

    def __init__(
        self, plan: Plan, case: Case, world: StubbedWorld, now_ms: int, coverage: Coverage, plans: Iterable[Plan]
    ) -> None:
        try:
            user, memory = _user(case), world.memory
            named = _named(case.session.model if case.session else None)
            self._stage = Stage(
                plan, world, user=user, now_ms=now_ms, plans=plans, session_id=case.id, model=named, memory=memory
            )
        except InvalidMessage as problem:
            raise Unfit("session", FITS, problem.message, ("session",) if case.session else ("id",)) from problem
        self._coverage = coverage
        self._record: dict[str, Any] = {}

    def play(self, turn: Turn) -> list[Mismatch]:
        """Play a turn; what is not as expected."""
        try:
            played = _played(self._stage, turn)
        except InvalidMessage as problem:
            raise Unfit("message", FITS, problem.message) from problem
        self._record = played.record or {}
        for record in played.records or [self._record]:
            self._coverage.add(record)
        return list(mismatches(turn.expect, played, self._stage.state)) if turn.expect else []

    def why(self) -> list[tuple[str, str]]:
        """What decided the last turn."""
        return told(self._record)


def _played(stage: Stage[StubbedWorld], turn: Turn) -> Played:
    if turn.user is not None:
        return stage.say(turn.user)
    if turn.message is not None:
        kind, metadata = turn.message.type or "user_chat", dict(turn.message.metadata or {})
        return stage.say(turn.message.text, kind=kind, metadata=metadata, model=_named(turn.message.model))
    if turn.agent is not None:
        return stage.say(turn.agent, role="agent")
    if turn.event is not None:
        return stage.act(turn.event)
    assert turn.advance is not None
    return stage.advance(milliseconds(turn.advance))


def _named(model: NamedModel | None) -> dict[str, Any] | None:
    return model.model_dump(exclude_none=True) if model else None


def _user(case: Case) -> dict[str, Any]:
    session = case.session
    user = {"id": "tester", **((session.user if session else None) or {})}
    return {**user, "locale": session.locale} if session and session.locale else user
