"""What the calls of a run say of themselves: where each argument is from, what each filled, and what came of it.

What is masked cannot be compared, and is counted as masked.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interlock.authoring.audit_figures import Figures
from interlock.authoring.following import ends_of
from interlock.interpreter.cells import kept
from interlock.plan.marks import MASK

Json = dict[str, Any]

DIGEST = frozenset({"sha256", "bytes"})
"""What a record has in place of arguments that are too large for it."""

REFUSING = frozenset({400, 422})
"""Statuses by which a service refuses an argument. 409 is not one of them: it says how things stand there."""

STOPPING = frozenset({"missing", "stale", "ambiguous", "invalid", "untraceable"})
"""Why an argument is stopped before the call."""


def count_calls(figures: Figures, run: str, records: Sequence[Json]) -> None:
    """Count the calls in the records of a run, in their order, but for the arguments of writes."""
    producers: dict[str, set[str]] = {}
    filled: dict[str, Json] = {}
    for step, call in _calls(records):
        where = f"{run} {step}"
        figures.calls += 1
        _verbatim(figures, where, call, filled)
        _stopped(figures, where, call)
        _linked(figures, where, call, filled)
        for name in call.get("filled") or ():
            producers.setdefault(f"{_pass_of(step)}{name}", set()).add(call["tool"])
        if call.get("receipt"):
            filled[call["receipt"]] = call.get("filled") or {}
    for name, tools in producers.items():
        figures.cells_with_one_producer.count(len(tools) == 1, f"{run} {name}: {', '.join(sorted(tools))}")


def _calls(records: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    for record in records:
        for call in record.get("calls") or ():
            yield str(record.get("step") or f"turn {record.get('turn')}"), call


def _pass_of(step: str) -> str:
    return step[: step.rfind("/") + 1]


def written(run: str, records: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    """The arguments of the writes in the records of a run: where each stands, and its origin, empty if none is told.

    Only a call that writes has an `effect` in its record. Arguments too large to keep are named by their origins.
    """
    for step, call in _calls(records):
        sources = call.get("sources") or {}
        for name in (call.get("arguments") or {}).keys() - DIGEST | sources.keys() if "effect" in call else ():
            yield f"{run} {step}: {call['tool']}.{name}", sources.get(name) or {}


def _verbatim(figures: Figures, where: str, call: Json, filled: Mapping[str, Json]) -> None:
    """A value that was copied from a cell is compared with what the call of its receipt filled."""
    for name, source in (call.get("sources") or {}).items():
        path, receipt = source.get("source", ""), source.get("receipt")
        if not path.startswith("cells.") or path.count(".") != 2 or receipt not in filled or not call.get("receipt"):
            continue
        then = filled[receipt].get(path.removeprefix("cells."))
        arguments = call.get("arguments") or {}
        sent = arguments.get(name)
        if MASK in (then, sent) or name not in arguments:
            figures.masked += 1
            continue
        figures.ids_verbatim.count(kept(sent) == then, f"{where}: {call['tool']}.{name} is not what {path} was")


def _stopped(figures: Figures, where: str, call: Json) -> None:
    """Bad arguments that are known: stopped before the call, or refused by the service, or found by a post-check."""
    blocks = [block for block in call.get("blocks") or () if block["why"] in STOPPING]
    for _ in blocks:
        figures.bad_arguments_stopped.count(True, "")
    if blocks or not call.get("receipt"):
        return
    refused = call.get("status") in REFUSING and call["outcome"] != "success"
    if call["outcome"] in ("blocked", "ensures") or refused:
        figures.bad_arguments_stopped.count(False, f"{where}: {call['tool']} was called, then {call['outcome']}")


def _linked(figures: Figures, where: str, call: Json, filled: Mapping[str, Json]) -> None:
    """A call that went out has a receipt, and every cell that it read has that of its producer."""
    if not call.get("receipt"):
        return
    ends = [end for source in (call.get("sources") or {}).values() for end in ends_of(source)]
    read = [end for end in ends if end.get("source", "").startswith("cells.")]
    loose = [source["source"] for source in read if source.get("receipt") not in filled]
    figures.calls_linked.count(not loose, f"{where}: {call['tool']} reads {', '.join(loose)} of no known receipt")
