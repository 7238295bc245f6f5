"""Six figures from the records of real runs: whether every value that was sent can be traced, and what was stopped.

Records are those of turns and of steps alike.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from interlock.authoring.audit_figures import Figures, Share
from interlock.authoring.audited_calls import count_calls, written
from interlock.authoring.following import Trails
from interlock.plan.plan import Plan

Json = dict[str, Any]

CUT_OFF = frozenset({"terminated", "timed_out"})
"""Events by which a reader of records says that Temporal has ended the run."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run to be audited: its id, the spec that it is of, the id of Temporal for it, and its records in order."""

    id: str
    spec: str
    first: str
    records: Sequence[Json]


@dataclass(slots=True)
class Audit(Figures):
    """The figures of runs of the specs in `of`.

    `cut_off` are runs that Temporal has ended, by id: their last calls may be in no record.
    """

    of: Counter[str] = field(default_factory=Counter)
    cut_off: dict[str, str] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _begun: list[tuple[str, str]] = field(default_factory=list)
    _written: list[tuple[Run, str, Json]] = field(default_factory=list)
    _trails: Trails = field(default_factory=Trails)

    @property
    def runs(self) -> int:
        """How many runs were audited."""
        return self.of.total()

    @property
    def missing(self) -> list[str]:
        """The runs that audited ones have begun and that are not among them, each with who began it."""
        return [words for run, words in self._begun if run not in self._seen]

    @property
    def wanted(self) -> set[str]:
        """The runs that have given audited ones their input and are not known: see `know`."""
        return self._trails.wanted

    def know(self, run: Run) -> None:
        """Follow values through a run that is not audited itself."""
        self._trails.take(run.id, run.first, run.records)

    def shares(self) -> list[tuple[str, Share]]:
        """The figures, with the arguments of writes followed through all runs that are known by now."""
        followed = self.write_arguments_with_provenance = Share()
        for run, where, origin in self._written:
            lost = self._trails.lost(run.id, run.first, origin)
            followed.count(not lost, f"{where}: {lost}")
        return Figures.shares(self)

    def take(self, run: Run, plan: Plan | None) -> None:
        """Audit one more run; `plan` is that of its spec, if there is one by now."""
        if plan is not None and run.spec not in self.of:
            _registered(self, plan)
        self.of[run.spec] += 1
        self._seen |= {run.id, run.first}
        self._begun += _begun(run)
        self.cut_off.update((run.id, one["event"]) for one in run.records if one.get("event") in CUT_OFF)
        count_calls(self, run.id, run.records)
        self.know(run)
        bare = replace(run, records=())
        self._written += [(bare, where, origin) for where, origin in written(run.id, run.records)]


def audited(runs: Iterable[Run], plans: Mapping[str, Plan]) -> Audit:
    """The figures of runs; `plans` are those that the runs may be pinned to, by their name."""
    audit = Audit()
    for run in runs:
        audit.take(run, plans.get(run.spec))
    return audit


def _registered(audit: Audit, plan: Plan) -> None:
    """What each argument is copied or computed from, as the checked plan has it."""
    for tool, declared in plan.tools.items():
        for name, argument in declared.input.items():
            sourced = bool(argument.source) and (argument.source != "value" or argument.value is not None)
            audit.inputs_with_source.count(sourced, f"{plan.name}: {tool}.{name} ({declared.at})")


def _begun(run: Run) -> Iterator[tuple[str, str]]:
    """The procedures that a run has begun: a step names the run by Temporal's id, a turn by the end of its own."""
    for record in run.records:
        child = record.get("child") or {}
        if child.get("run"):
            yield child["run"], f"{child['procedure']}, run by {run.id} at {record['step']}"
        for one in record.get("runs") or ():
            yield f"{run.id}/{one['run']}", f"{one['procedure']}, run by {run.id} in turn {record['turn']}"
