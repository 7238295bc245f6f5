"""What the keys of effects are made of, down to the input of a procedure, through all procedures that it runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from interlock.compiler.effects_alike import effect_of, effect_of_child
from interlock.compiler.keyed_calls import keyed_calls, reads_in
from interlock.compiler.running_order import in_running_order
from interlock.compiler.walk import all_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from interlock.compiler.effects_alike import Effect
    from interlock.compiler.keyed_calls import Keyed, Read
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written

MOST_SETS = 64
"""Different sets of inputs, of one procedure, that are remembered."""

MOST_CALLS = 8
"""Calls remembered for each of them: a mistake shows with the first."""

NO_INPUT: frozenset[str] = frozenset()

Origin: TypeAlias = "frozenset[str] | None"
"""The inputs that a value is made of; None where it may differ between two runs that are given the same."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A call whose key the input of a procedure fixes. `way`: the steps that run the procedure which makes it."""

    call: Keyed
    effect: Effect | None
    way: tuple[tuple[Unit, Written], ...] = ()


FixedBy: TypeAlias = "dict[frozenset[str], list[Fixed]]"
"""Calls by the inputs that their keys are made of."""


def follow_keys(procedures: Sequence[Unit]) -> None:
    """Find, for each of the procedures, the calls of it and of those that it runs whose keys its input alone fixes."""
    for unit in in_running_order(procedures):
        unit.memo["fixed"] = _worked_out(unit)


def fixed_by_nothing(unit: Unit) -> Sequence[Fixed]:
    """The calls of a procedure whose keys are the same in every run of it."""
    fixed: FixedBy = unit.memo.get("fixed", {})
    return fixed.get(NO_INPUT, ())


def _worked_out(unit: Unit) -> FixedBy:
    found: FixedBy = {}
    origins = _Origins(unit)
    for call in keyed_calls(unit):
        _add(found, origins.of(call.reads()), Fixed(call, effect_of(call)))
    for step in all_steps(unit):
        for inputs, calls in calls_of_child(unit, step).items():
            origin = origins.of(given_for(unit, step, inputs))
            for one in calls:
                effect = effect_of_child(unit, step, one.effect)
                _add(found, origin, Fixed(one.call, effect, ((unit, step), *one.way)))
    return found


def calls_of_child(unit: Unit, step: Written) -> FixedBy:
    """The calls of the procedure that a step runs; in a circle, which is a mistake of its own, none are known yet."""
    child = unit.procedures.get(step.model.run) if step.action == "run" else None
    return child.memo.get("fixed", {}) if child is not None else {}


def given_for(unit: Unit, step: Written, inputs: Iterable[str]) -> Iterator[Read]:
    """What a step that runs a procedure makes some of its inputs of."""
    given = step.model.with_ or {}
    for name in inputs:
        yield from reads_in(unit, given.get(name))


def _add(found: FixedBy, origin: Origin, one: Fixed) -> None:
    if origin is not None and (origin in found or len(found) < MOST_SETS):
        calls = found.setdefault(origin, [])
        if len(calls) < MOST_CALLS:
            calls.append(one)


class _Origins:
    """What is known in a procedure of its variables, and of the items of its loops."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._known: dict[Read, Origin] = {}
        steps = all_steps(unit)
        times = Counter(name for step in steps if step.action == "set" for name in step.model.set)
        for step in steps:
            if step.action == "set":
                for name, value in step.model.set.items():
                    self._known["vars", name] = self.of(reads_in(unit, value)) if times[name] == 1 else None
            elif step.action == "for_each":
                item = (step.model.for_each.as_,)
                origin = self.of(reads_in(unit, step.model.for_each.items))
                self._known[item] = origin if self._known.get(item, origin) == origin else None

    def of(self, reads: Iterable[Read]) -> Origin:
        """The inputs behind all that a value reads."""
        inputs = NO_INPUT
        for read in reads:
            origin = self._behind(read)
            if origin is None:
                return None
            inputs |= origin
        return inputs

    def _behind(self, read: Read) -> Origin:
        if read[0] == "config":
            return NO_INPUT
        if read[0] == "input":
            return frozenset(read[1:2] or self._unit.input)
        return self._known.get(read[:1], self._known.get(read[:2]))
