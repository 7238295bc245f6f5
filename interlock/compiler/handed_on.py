"""What a condition reads of the run that asks it, and which inputs of a run are those of the run above it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from interlock.compiler.demands import reachable
from interlock.compiler.keyed_calls import argument_reads, reads_in
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import all_steps, ids_of
from interlock.compiler.written import copied_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from interlock.compiler.keyed_calls import Read
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written

RUN_ID: Read = ("run", "id")


def own_of_run(unit: Unit, condition: Part) -> frozenset[Read]:
    """The inputs, and the run's id, that a condition depends on in a procedure, through cells, variables and results.

    What a service answers to a question that is made of none of them is the same whoever asks.
    """
    memo = ("own of run", condition.unit.name, condition.name)
    if memo not in unit.memo:
        unit.memo[memo] = frozenset(_followed(unit, condition))
    found: frozenset[Read] = unit.memo[memo]
    return found


def handed_on(step: Written, same: frozenset[Read]) -> frozenset[Read]:
    """Of the inputs of the procedure that a step runs those that are the same thing as `same` of the one above."""
    given = step.model.with_ or {}
    return frozenset(read for read in same if read[0] == "input" and copied_path(given.get(read[1])) == read)


def all_of_run(unit: Unit) -> frozenset[Read]:
    """What is a run's own: its inputs and its id."""
    return frozenset({RUN_ID, *(("input", name) for name in unit.input)})


def _followed(unit: Unit, condition: Part) -> Iterator[Read]:
    found = dict.fromkeys(_of_condition(condition))
    waiting = list(found)
    for read in waiting:
        if read[0] == "input":
            yield from (read[:2],) if len(read) > 1 else all_of_run(unit)
        elif read[0] == "run":
            yield RUN_ID
        behind = dict.fromkeys(one for one in _behind(unit, read) if one not in found)
        found.update(behind)
        waiting += behind


def _of_condition(condition: Part) -> Iterator[Read]:
    """What a condition reads, with those that it reads in turn, and what they call first."""
    for part in reachable(condition):
        for site in sites_of(part):
            if site.form != "text":
                yield from read_paths(site)
        tool = part.unit.find("tools", part.model.call) if part.plural == "conditions" and part.model.call else None
        if tool is not None:
            for name in tool.model.input or {}:
                yield from argument_reads(tool, name, lambda _: ())


def _behind(unit: Unit, read: Read) -> Iterator[Read]:
    """What the steps that give a cell, a variable, a result or an item make it of."""
    givers = _givers(unit)
    for step in (*givers.get(read[:1], ()), *givers.get(read[:2], ())):
        match step.action:
            case "call":
                yield from _arguments(unit, step)
            case "run":
                yield from reads_in(unit, step.model.with_)
            case "set":
                yield from reads_in(unit, step.model.set.get(read[1]))
            case "for_each":
                yield from reads_in(unit, step.model.for_each.items)


def _arguments(unit: Unit, step: Written) -> Iterator[Read]:
    tool = unit.find("tools", step.model.call)
    given = step.model.with_ or {}
    if tool is None:
        return
    for name in tool.model.input or {}:
        yield from argument_reads(tool, name, lambda bound: reads_in(unit, given.get(bound)))


def _givers(unit: Unit) -> Mapping[Read, Sequence[Written]]:
    """The steps that give what a procedure reads, by its path, worked out once."""
    if "givers" not in unit.memo:
        found: defaultdict[Read, list[Written]] = defaultdict(list)
        ids = ids_of(unit.steps) if unit.steps is not None else {}
        for step in all_steps(unit):
            match step.action:
                case "call":
                    found["cells", step.model.call].append(step)
                    found["steps", ids[step.path]].append(step)
                case "run":
                    found["steps", ids[step.path]].append(step)
                case "set":
                    for name in step.model.set:
                        found["vars", name].append(step)
                case "for_each":
                    found[(step.model.for_each.as_,)].append(step)
        unit.memo["givers"] = found
    givers: Mapping[Read, Sequence[Written]] = unit.memo["givers"]
    return givers
