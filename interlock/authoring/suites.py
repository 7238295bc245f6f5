"""Runs suites offline: each case on a fresh stage, each expectation held against reply, record and state."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from interlock.authoring.coverage import Coverage
from interlock.authoring.expectations import Mismatch, mismatches, shown
from interlock.authoring.stage import Stage
from interlock.authoring.stubs import StubbedTools
from interlock.authoring.telling import told
from interlock.interpreter.opening import InvalidMessage
from interlock.spec.durations import milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.authoring.stage import Played
    from interlock.authoring.stubs import StubbedWorld
    from interlock.diagnostics import Location
    from interlock.plan.plan import Plan
    from interlock.spec.suite import Case, SuiteSpec, Turn

    Path = tuple[str | int, ...]
    Locate = Callable[[Path], Location]

DEFAULT_NOW = "2026-01-05T09:00:00+00:00"
"""When a suite that declares no `now` begins: a Monday morning."""


@dataclass(frozen=True)
class Failure:
    """One expectation of a turn (counted from 1) that does not hold: where it stands, and what happened."""

    location: Location
    turn: int
    mismatch: Mismatch


@dataclass
class CaseResult:
    """How a case went; `why` is what the records of its failed turns say, by turn."""

    suite: str
    case: str
    location: Location
    turns: int = 0
    elapsed_s: float = 0.0
    failures: list[Failure] = field(default_factory=list)
    why: dict[int, list[tuple[str, str]]] = field(default_factory=dict)


@dataclass
class SuiteResult:
    """How a suite went, and what it covered of its agent."""

    suite: str
    of: str
    cases: list[CaseResult]
    coverage: Coverage

    @property
    def failed(self) -> list[CaseResult]:
        """The cases with a failure."""
        return [case for case in self.cases if case.failures]


def run_suite(suite: SuiteSpec, plan: Plan, locate: Locate, *, only: str = "", seed: int | None = None) -> SuiteResult:
    """Run the cases whose id contains `only`, in the order written, or shuffled by `seed`; `locate` finds a key."""
    stubs = StubbedTools((suite.stubs.tools if suite.stubs else None) or {})
    now_ms = epoch_ms((suite.stubs.now if suite.stubs else None) or DEFAULT_NOW)
    chosen = [(place, case) for place, case in enumerate(suite.cases) if only in case.id]
    if seed is not None:
        random.Random(seed).shuffle(chosen)  # noqa: S311 -- an order, not a secret
    coverage = Coverage(plan)
    results = []
    for place, case in chosen:
        running = _Running(CaseResult(suite.name, case.id, locate(("cases", place, "id"))), place, locate, coverage)
        running.run(case, plan, stubs.world(), now_ms)
        results.append(running.result)
    return SuiteResult(suite.name, plan.name, results, coverage)


@dataclass
class _Running:
    """One case while it is played; `place` is its number in the suite."""

    result: CaseResult
    place: int
    locate: Locate
    coverage: Coverage

    def run(self, case: Case, plan: Plan, world: StubbedWorld, now_ms: int) -> None:
        """Play every turn; a failed expectation does not stop the case, a user or message that does not fit does."""
        started = time.perf_counter()
        path: Path = ("session",) if case.session else ("id",)
        number = 0
        try:
            stage = Stage(plan, world, user=_user(case), now_ms=now_ms, session_id=case.id)
            for number, turn in enumerate(case.turns, 1):
                path = ("turns", number - 1)
                self._turn(number, turn, stage)
        except InvalidMessage as problem:
            self._failed(
                path,
                number or 1,
                Mismatch(("message" if number else "session",), "what fits the agent", problem.message),
            )
        self.result.elapsed_s = time.perf_counter() - started

    def _turn(self, number: int, turn: Turn, stage: Stage[StubbedWorld]) -> None:
        played = play(stage, turn)
        self.result.turns += 1
        self.coverage.add(played.record or {})
        path = ("turns", number - 1)
        failed = len(self.result.failures)
        if turn.expect:
            for one in mismatches(turn.expect, played, stage.state):
                self._failed((*path, "expect", *one.path), number, one)
        for call in stage.world.unanswered():
            self._failed(path, number, Mismatch(("stubs",), f"an answer for {call.tool}", shown(call.arguments)))
        if len(self.result.failures) > failed:
            self.result.why[number] = told(played.record or {})

    def _failed(self, path: Path, turn: int, mismatch: Mismatch) -> None:
        self.result.failures.append(Failure(self.locate(("cases", self.place, *path)), turn, mismatch))


def play(stage: Stage[StubbedWorld], turn: Turn) -> Played:
    """Play one turn of a suite."""
    if turn.user is not None:
        return stage.say(turn.user)
    if turn.message is not None:
        kind, metadata = turn.message.type or "user_chat", dict(turn.message.metadata or {})
        return stage.say(turn.message.text, kind=kind, metadata=metadata)
    if turn.agent is not None:
        return stage.say(turn.agent, role="agent")
    if turn.event is not None:
        return stage.act(turn.event)
    assert turn.advance is not None
    return stage.advance(milliseconds(turn.advance))


def _user(case: Case) -> dict[str, Any]:
    session = case.session
    user = {"id": "tester", **((session.user if session else None) or {})}
    return {**user, "locale": session.locale} if session and session.locale else user


def epoch_ms(moment: str) -> int:
    """Milliseconds since the epoch of an ISO 8601 time; one without a zone is taken as UTC."""
    parsed = datetime.fromisoformat(moment)
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * 1000)
