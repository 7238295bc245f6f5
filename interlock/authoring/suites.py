"""Runs suites offline: each case on a fresh stage, each expectation held against what came of its turn."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from interlock.authoring.agent_case import AgentCase
from interlock.authoring.coverage import Counted, Coverage
from interlock.authoring.expectations import Mismatch, Unfit, shown
from interlock.authoring.model_stubs import StubbedModels
from interlock.authoring.stubs import StubbedTools
from interlock.authoring.work_case import WorkCase
from interlock.authoring.work_coverage import WorkCoverage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from interlock.authoring.stubs import StubbedWorld
    from interlock.diagnostics import Location
    from interlock.plan.plan import Plan
    from interlock.spec.suite import Case, SuiteSpec, Turn

    Path = tuple[str | int, ...]
    Locate = Callable[[Path], Location]
    Playing = AgentCase | WorkCase
    Begun = Callable[[Case, StubbedWorld, int], Playing]

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
    """How a suite went, and what it covered of its agent or procedure."""

    suite: str
    of: str
    cases: list[CaseResult]
    coverage: Counted

    @property
    def failed(self) -> list[CaseResult]:
        """The cases with a failure."""
        return [case for case in self.cases if case.failures]


def run_suite(
    suite: SuiteSpec,
    plan: Plan,
    locate: Locate,
    *,
    plans: Iterable[Plan] = (),
    only: str = "",
    seed: int | None = None,
) -> SuiteResult:
    """Run the cases whose id contains `only`, in the order written, or shuffled by `seed`; `locate` finds a key.

    `plans` are those of the bundle: a procedure finds there those that it runs.
    """
    stubs = _stubs_of(suite)
    now_ms = epoch_ms((suite.stubs.now if suite.stubs else None) or DEFAULT_NOW)
    chosen = [(place, case) for place, case in enumerate(suite.cases) if only in case.id]
    if seed is not None:
        random.Random(seed).shuffle(chosen)  # noqa: S311 -- an order, not a secret
    coverage, begun = _stage_of(plan, tuple(plans))
    results = []
    for place, case in chosen:
        running = _Running(CaseResult(suite.name, case.id, locate(("cases", place, "id"))), place, locate)
        running.run(case, begun, stubs.world(), now_ms)
        results.append(running.result)
    return SuiteResult(suite.name, plan.name, results, coverage)


def _stubs_of(suite: SuiteSpec) -> StubbedTools:
    written = suite.stubs
    if written is None:
        return StubbedTools({})
    models = StubbedModels(written.models or {}, written.retrievers or {})
    return StubbedTools(written.tools or {}, models, written.memory)


def _stage_of(plan: Plan, plans: Sequence[Plan]) -> tuple[Counted, Begun]:
    """What counts the cases of that plan, and what begins one."""
    if plan.work is None:
        agent = Coverage(plan)
        return agent, lambda case, world, now_ms: AgentCase(plan, case, world, now_ms, agent, plans)
    work = WorkCoverage(plan)
    return work, lambda case, world, now_ms: WorkCase(plan, case, world, now_ms, work, plans)


@dataclass
class _Running:
    """One case while it is played; `place` is its number in the suite."""

    result: CaseResult
    place: int
    locate: Locate

    def run(self, case: Case, begun: Begun, world: StubbedWorld, now_ms: int) -> None:
        """Play every turn; a failed expectation does not stop the case, what does not fit the spec does."""
        started = time.perf_counter()
        try:
            playing = begun(case, world, now_ms)
            for turn in case.turns:
                self._turn(turn, playing, world)
        except Unfit as problem:
            number = self.result.turns + 1
            self._failed(problem.path or ("turns", number - 1), number, problem.mismatch)
        self.result.elapsed_s = time.perf_counter() - started

    def _turn(self, turn: Turn, playing: Playing, world: StubbedWorld) -> None:
        mismatches = playing.play(turn)
        self.result.turns += 1
        number, failed = self.result.turns, len(self.result.failures)
        path: Path = ("turns", number - 1)
        for one in mismatches:
            self._failed((*path, "expect", *one.path), number, one)
        for call in world.unanswered():
            self._failed(path, number, Mismatch(("stubs",), f"an answer for {call.tool}", shown(call.arguments)))
        for role in world.unasked():
            self._failed(path, number, Mismatch(("stubs", "models"), f"a reply of {role}", "none that holds"))
        if len(self.result.failures) > failed:
            self.result.why[number] = playing.why()

    def _failed(self, path: Path, turn: int, mismatch: Mismatch) -> None:
        self.result.failures.append(Failure(self.locate(("cases", self.place, *path)), turn, mismatch))


def epoch_ms(moment: str) -> int:
    """Milliseconds since the epoch of an ISO 8601 time; one without a zone is taken as UTC."""
    parsed = datetime.fromisoformat(moment)
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * 1000)
