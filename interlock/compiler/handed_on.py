"""What a condition reads of the run that asks it, and which inputs of a run are those of the run above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.apart import conditions_around, loops_around, steps_by_path
from interlock.compiler.check_effects import writes
from interlock.compiler.demands import COMPUTED, reachable
from interlock.compiler.givers import givers_of
from interlock.compiler.keyed_calls import argument_reads, reads_in
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import all_steps
from interlock.compiler.written import copied_path
from interlock.expressions.paths import paths_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from interlock.compiler.keyed_calls import Read
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

RUN_ID: Read = ("run", "id")

OF_RUN = frozenset({"run", "error"})
"""Roots of the context that are about one run, whatever it was given."""

WHOLE = frozenset((root,) for root in ("cells", "vars", "steps", *COMPUTED))
"""Reads that may be of anything a run has made."""


def own_of_run(unit: Unit, condition: Part) -> frozenset[Read]:
    """The inputs, and the run's id, that a condition depends on in a procedure, through cells, variables and results.

    What a service answers to a question that is made of none of them is the same whoever asks.
    """
    memo = ("own of run", condition.unit.name, condition.name)
    if memo not in unit.memo:
        unit.memo[memo] = frozenset(_followed(unit, _of_condition(condition)))
    found: frozenset[Read] = unit.memo[memo]
    return found


def handed_on(step: Written, same: frozenset[Read]) -> frozenset[Read]:
    """Of the inputs of the procedure that a step runs those that are the same thing as `same` of the one above."""
    given = step.model.with_ or {}
    return frozenset(read for read in same if read[0] == "input" and copied_path(given.get(read[1])) == read)


def all_of_run(unit: Unit) -> frozenset[Read]:
    """What is a run's own: its inputs and its id."""
    return frozenset({RUN_ID, *(("input", name) for name in unit.input)})


def _followed(unit: Unit, reads: Iterable[Read]) -> Iterator[Read]:
    found = dict.fromkeys(reads)
    waiting = list(found)
    for read in waiting:
        if read[0] == "input":
            yield from (read[:2],) if len(read) > 1 else all_of_run(unit)
        elif read[0] in OF_RUN or read in WHOLE:
            yield RUN_ID
        behind = dict.fromkeys(one for one in _behind(unit, read) if one not in found)
        found.update(behind)
        waiting += behind


def _of_condition(part: Part) -> Iterator[Read]:
    """What a condition or table reads, with those that it reads in turn, and what they call first."""
    for member in reachable(part):
        for site in sites_of(member):
            if site.form != "text":
                yield from read_paths(site)
        calls = member.model.call if member.plural == "conditions" else None
        tool = member.unit.find("tools", calls) if calls else None
        if tool is not None:
            yield from _arguments(tool, lambda _: ())


def _behind(unit: Unit, read: Read) -> Iterator[Read]:
    """What a condition or table reads, and what the steps that give a cell, variable, result or item make it of."""
    computed = unit.find(COMPUTED[read[0]], read[1]) if read[0] in COMPUTED and len(read) > 1 else None
    if computed is not None:
        yield from _of_condition(computed)
    givers = givers_of(unit)
    for step in (*givers.get(read[:1], ()), *givers.get(read[:2], ())):
        yield from _made_of(unit, step, read)
        yield from _chosen_by(unit, step)


def _made_of(unit: Unit, step: Written, read: Read) -> Iterator[Read]:
    match step.action:
        case "call":
            yield from _called_with(unit, step)
        case "run":
            yield from reads_in(unit, step.model.with_)
            if _is_told_more(unit.procedures.get(step.model.run)):
                yield RUN_ID
        case "set":
            yield from reads_in(unit, step.model.set.get(read[1]))
        case "for_each":
            yield from reads_in(unit, step.model.for_each.items)
        case _:
            yield RUN_ID


def _chosen_by(unit: Unit, step: Written) -> Iterator[Read]:
    """What decides whether a step is the last that gives something: conditions, loops and failures around it."""
    for text, _ in conditions_around(unit, step.path):
        yield from paths_of(text, template=False)
    for loop in loops_around(unit, step.path):
        yield from reads_in(unit, loop.model.for_each.items)
    if _may_be_caught(unit, step.path):
        yield RUN_ID


def _may_be_caught(unit: Unit, path: Path) -> bool:
    """Whether a failure may decide if a step has run: where one is handled by more than an end."""
    steps = steps_by_path(unit)
    around = (steps[path[:at]] for at in range(1, len(path) + 1) if path[:at] in steps)
    return any(not caught or caught[0].action not in ("end", "fail") for step in around for caught in step.catches)


def _called_with(unit: Unit, step: Written) -> Iterator[Read]:
    """What a call sends, and what decides when it is enough; the answer to an effect is the run's own."""
    tool = unit.find("tools", step.model.call)
    if tool is None:
        return
    if writes(tool):
        yield RUN_ID
    if step.model.repeat is not None:
        yield from paths_of(step.model.repeat.until, template=False)
    given = step.model.with_ or {}
    yield from _arguments(tool, lambda bound: reads_in(unit, given.get(bound)))


def _arguments(tool: Part, bound: Callable[[str], Iterable[Read]]) -> Iterator[Read]:
    for name in tool.model.input or {}:
        yield from argument_reads(tool, name, bound)


def _is_told_more(child: Unit | None) -> bool:
    """Whether what a procedure gives back is made of more than its input: of its id, events, models, or failures."""
    if child is None:
        return False
    if "told more" not in child.memo:
        child.memo["told more"] = False  # for a procedure that runs itself, which is a mistake of its own
        child.memo["told more"] = RUN_ID in _followed(child, _given_back(child))
    found: bool = child.memo["told more"]
    return found


def _given_back(child: Unit) -> Iterator[Read]:
    yield from reads_in(child, child.work.result if child.work else None)
    for step in all_steps(child):
        if step.action == "end":
            yield from reads_in(child, step.model.end)
            yield from _chosen_by(child, step)
