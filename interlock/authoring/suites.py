"""Runs suites offline: each case on a fresh stage, each expectation held against reply, record and state."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from interlock.authoring.coverage import Coverage
from interlock.authoring.expectations import Mismatch, mismatches, shown
from interlock.authoring.stage import Played, Stage
from interlock.authoring.stubs import StubbedTools
from interlock.authoring.telling import told
from interlock.spec.durations import milliseconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.authoring.stubs import StubbedWorld
    from interlock.diagnostics import Location
    from interlock.plan.plan import Plan
    from interlock.source import Document
    from interlock.spec.suite import Case, SuiteSpec, Turn

DEFAULT_NOW = "2026-01-05T09:00:00+00:00"
"""When a suite that declares no `now` begins: a Monday morning."""


@dataclass(frozen=True)
class Failure:
    """One expectation that does not hold: where it stands, what happened, and what the turn's record says."""

    location: Location
    turn: int
    mismatch: Mismatch
    why: tuple[str, ...] = ()


@dataclass
class CaseResult:
    """How a case went; `elapsed_s` is CPU-bound time, there is nothing else."""

    suite: str
    case: str
    location: Location
    turns: int = 0
    elapsed_s: float = 0.0
    failures: list[Failure] = field(default_factory=list)


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


def run_suite(
    suite: SuiteSpec, document: Document, plan: Plan, *, only: str = "", seed: int | None = None
) -> SuiteResult:
    """Run the cases whose id contains `only`, in the order written, or shuffled by `seed`."""
    stubs = StubbedTools((suite.stubs.tools if suite.stubs else None) or {})
    now = (suite.stubs.now if suite.stubs else None) or DEFAULT_NOW
    chosen = [(place, case) for place, case in enumerate(suite.cases) if only in case.id]
    if seed is not None:
        random.Random(seed).shuffle(chosen)  # noqa: S311 -- an order, not a secret
    coverage = Coverage(plan)
    results = [CaseRun(suite, document, plan, stubs.world(), place, now).play(case, coverage) for place, case in chosen]
    return SuiteResult(suite.name, plan.name, results, coverage)


class CaseRun:
    """One case on its own stage."""

    def __init__(
        self, suite: SuiteSpec, document: Document, plan: Plan, world: StubbedWorld, place: int, now: str
    ) -> None:
        self.suite, self.document, self.plan, self.world, self.place = suite, document, plan, world, place
        self.now_ms = epoch_ms(now)

    def play(self, case: Case, coverage: Coverage) -> CaseResult:
        """Play every turn; a failed expectation does not stop the case."""
        started = time.perf_counter()
        result = CaseResult(self.suite.name, case.id, self.document.places.key(("cases", self.place, "id")))
        stage = Stage(self.plan, self.world, user=_user(case), now_ms=self.now_ms, session_id=case.id)
        for number, turn in enumerate(case.turns):
            records = len(stage.state.records)
            played = play(stage, turn)
            result.turns += 1
            coverage.add(stage.state.records[records:] or stage.state.records[-1:])
            result.failures += self._failures(number, turn, played, stage)
        result.elapsed_s = time.perf_counter() - started
        return result

    def _failures(self, number: int, turn: Turn, played: Played, stage: Stage) -> Sequence[Failure]:
        at = ("cases", self.place, "turns", number)
        why = (
            tuple(f"{subject:<8} {line}" for subject, line in told(stage.state.records[-1]))
            if stage.state.records
            else ()
        )
        failures = [
            Failure(self.document.places.key((*at, "expect", *mismatch.key.split("."))), number, mismatch, why)
            for mismatch in (mismatches(turn.expect, played, stage.state) if turn.expect else ())
        ]
        for call in self.world.unanswered:
            unstubbed = Mismatch("stubs", f"an answer for {call.tool}", f"called with {shown(call.arguments)}")
            failures.append(Failure(self.document.places.value(at), number, unstubbed, why))
        self.world.unanswered.clear()
        return failures


def play(stage: Stage, turn: Turn) -> Played:
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
