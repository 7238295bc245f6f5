"""Six figures from the records of real runs: whether every value that was sent can be traced, and what was stopped.

Records are those of turns and of steps alike; each call in them says where its arguments are from, what it filled, and
what came of it. What is masked cannot be compared, and is counted as masked.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from interlock.interpreter.cells import kept
from interlock.plan.plan import Plan

Json = dict[str, Any]

MASK = "***"
REFUSING = frozenset({400, 409, 422})
"""Statuses by which a service refuses an argument."""

STOPPING = frozenset({"missing", "stale", "ambiguous", "invalid", "untraceable"})
"""Why an argument is stopped before the call."""


@dataclass(slots=True)
class Share:
    """So many of so many; `others` names those that are not among them, each with why."""

    part: int = 0
    whole: int = 0
    others: list[str] = field(default_factory=list)

    def count(self, good: bool, otherwise: str) -> None:
        """One more of the whole, and of the part if it is good."""
        self.whole += 1
        self.part += good
        if not good:
            self.others.append(otherwise)

    @property
    def complete(self) -> bool:
        """Whether the part is the whole."""
        return self.part == self.whole


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
class Audit:
    """The six figures, over runs of the specs in `of` and `calls` calls; `masked` values could not be compared.

    `cut_off` are runs that Temporal has ended, by id: their last calls may be in no record.
    """

    inputs_with_source: Share = field(default_factory=Share)
    cells_with_one_producer: Share = field(default_factory=Share)
    write_arguments_with_provenance: Share = field(default_factory=Share)
    ids_verbatim: Share = field(default_factory=Share)
    bad_arguments_stopped: Share = field(default_factory=Share)
    calls_linked: Share = field(default_factory=Share)
    of: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    masked: int = 0
    cut_off: dict[str, str] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _begun: list[tuple[str, str]] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """How many runs were audited."""
        return self.of.total()

    @property
    def missing(self) -> list[str]:
        """The runs that audited ones have begun and that are not among them, each with who began it."""
        return [words for run, words in self._begun if run not in self._seen]

    def shares(self) -> list[tuple[str, Share]]:
        """The figures with their names for people, in the order of the docs."""
        return [
            ("inputs with a source", self.inputs_with_source),
            ("cells with one producer", self.cells_with_one_producer),
            ("arguments of writes with provenance", self.write_arguments_with_provenance),
            ("values of cells that arrived verbatim", self.ids_verbatim),
            ("bad arguments stopped before the call", self.bad_arguments_stopped),
            ("calls linked to what they read and wrote", self.calls_linked),
        ]

    def take(self, run: Run, plan: Plan | None) -> None:
        """Audit one more run; `plan` is that of its spec, if there is one by now."""
        if plan is not None and run.spec not in self.of:
            _registered(self, plan)
        self.of[run.spec] += 1
        self._seen |= {run.id, run.first}
        self._begun += _begun(run)
        self.cut_off.update((run.id, one["event"]) for one in run.records if one.get("event") in CUT_OFF)
        _run(self, run)


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


def _run(audit: Audit, run: Run) -> None:
    producers: dict[str, set[str]] = {}
    filled: dict[str, Json] = {}
    for step, call in _calls(run.records):
        where = f"{run.id} {step}"
        audit.calls += 1
        _coverage(audit, where, call)
        _verbatim(audit, where, call, filled)
        _stopped(audit, where, call)
        _linked(audit, where, call, filled)
        for name in call.get("filled") or ():
            producers.setdefault(f"{_pass_of(step)}{name}", set()).add(call["tool"])
        if call.get("receipt"):
            filled[call["receipt"]] = call.get("filled") or {}
    for name, tools in producers.items():
        audit.cells_with_one_producer.count(len(tools) == 1, f"{run.id} {name}: {', '.join(sorted(tools))}")


def _calls(records: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    for record in records:
        for call in record.get("calls") or ():
            yield str(record.get("step") or f"turn {record.get('turn')}"), call


def _pass_of(step: str) -> str:
    return step[: step.rfind("/") + 1]


def _coverage(audit: Audit, where: str, call: Json) -> None:
    """Only a call that writes has an `effect` in its record."""
    if "effect" not in call:
        return
    for name in call.get("arguments") or ():
        source = (call.get("sources") or {}).get(name) or {}
        audit.write_arguments_with_provenance.count(bool(source.get("source")), f"{where}: {call['tool']}.{name}")


def _verbatim(audit: Audit, where: str, call: Json, filled: Mapping[str, Json]) -> None:
    """A value that was copied from a cell is compared with what the call of its receipt filled."""
    for name, source in (call.get("sources") or {}).items():
        path, receipt = source.get("source", ""), source.get("receipt")
        if not path.startswith("cells.") or path.count(".") != 2 or receipt not in filled or not call.get("receipt"):
            continue
        then = filled[receipt].get(path.removeprefix("cells."))
        arguments = call.get("arguments") or {}
        sent = arguments.get(name)
        if MASK in (then, sent) or name not in arguments:
            audit.masked += 1
            continue
        audit.ids_verbatim.count(kept(sent) == then, f"{where}: {call['tool']}.{name} is not what {path} was")


def _stopped(audit: Audit, where: str, call: Json) -> None:
    """Bad arguments that are known: stopped before the call, or refused by the service, or found by a post-check."""
    blocks = [block for block in call.get("blocks") or () if block["why"] in STOPPING]
    for _ in blocks:
        audit.bad_arguments_stopped.count(True, "")
    if blocks or not call.get("receipt"):
        return
    refused = call.get("status") in REFUSING and call["outcome"] != "success"
    if call["outcome"] in ("blocked", "ensures") or refused:
        audit.bad_arguments_stopped.count(False, f"{where}: {call['tool']} was called, then {call['outcome']}")


def _linked(audit: Audit, where: str, call: Json, filled: Mapping[str, Json]) -> None:
    """A call that went out has a receipt, and every cell that it read has that of its producer."""
    if not call.get("receipt"):
        return
    sources = (call.get("sources") or {}).values()
    read = [source for source in sources if source.get("source", "").startswith("cells.")]
    loose = [source["source"] for source in read if source.get("receipt") not in filled]
    audit.calls_linked.count(not loose, f"{where}: {call['tool']} reads {', '.join(loose)} of no known receipt")
