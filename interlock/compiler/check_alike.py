"""Two steps whose effects have one key: the second is taken for a repetition of the first, and is lost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.compiler.apart import loops_around, relation
from interlock.compiler.effects_alike import effect_of, effect_of_child, never_both
from interlock.compiler.givers import givers_of
from interlock.compiler.key_origins import calls_of_child, given_for
from interlock.compiler.walk import all_steps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler.effects_alike import Effect
    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.keyed_calls import Keyed, Read
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

ALWAYS_THE_SAME = frozenset({"input", "config", "run"})

MOST_COMPARED = 16
"""Effects of one key that each of the others is compared with."""


@dataclass(frozen=True, slots=True)
class _Made:
    """An effect that a step makes, by its own call or by one of the procedure that it runs."""

    step: Written
    call: Keyed
    effect: Effect | None


def check_alike(unit: Unit, keyed: list[Keyed], findings: Findings) -> None:
    """Two effects of one tool, by a call or by a procedure that is run, whose keys are made of the same values."""
    told: set[Path] = set()
    for made in _alike(unit, keyed):
        for at, one in enumerate(made):
            first = next((other for other in made[: min(at, MOST_COMPARED)] if _in_one_run(unit, other, one)), None)
            if first is not None and one.step.path not in told:
                told.add(one.step.path)
                _tell_of_another(unit, first, one, findings)


def _in_one_run(unit: Unit, one: _Made, other: _Made) -> bool:
    """Whether two steps may both be done, and both have their effect."""
    if one.step is other.step or relation(unit, one.step.path, other.step.path) in ("exclusive", "caught"):
        return False
    return not never_both(one.effect, other.effect)


def _alike(unit: Unit, keyed: list[Keyed]) -> Iterable[list[_Made]]:
    """Effects whose keys are alike."""
    stable = _stable(unit)
    alike: defaultdict[Any, list[_Made]] = defaultdict(list)

    def add(made: _Made, reads: Iterable[Read], *as_written: Any) -> None:
        loops = loops_around(unit, made.step.path)
        items = {loop.model.for_each.as_ for loop in loops}
        if all(read[0] in items or read[0] in ALWAYS_THE_SAME or read[:2] in stable for read in reads):
            known_by = (made.call.tool, made.effect.key) if made.effect is not None else as_written
            alike[(*known_by, *(loop.path for loop in loops))].append(made)

    for call in keyed:
        add(_Made(call.step, call, effect_of(call)), call.reads(), call.tool, call.bound())
    for step in all_steps(unit):
        for inputs, calls in calls_of_child(unit, step).items():
            given = step.model.with_ or {}
            values = tuple(repr(given.get(name)) for name in sorted(inputs))
            for one in calls:
                made = _Made(step, one.call, effect_of_child(unit, step, one.effect))
                add(made, given_for(unit, step, inputs), step.model.run, inputs, values)
    return alike.values()


def _tell_of_another(unit: Unit, first: _Made, one: _Made, findings: Findings) -> None:
    step, call = one.step, one.call
    also: Also = ((unit.key(*first.step.path, first.step.action), "the other step"),)
    if first.step.action == "run" and first.call.step is not call.step:
        also = (*also, (first.call.unit.key(*first.call.step.path, "call"), "its call"))
    also = (*also, (call.tool.value("idempotency", "key"), "the key"))
    if step.action == "call":
        message = f"the key of {call.tool.name!r} is the same here as at another step: this call has no effect"
        hint = "let the key read an argument in which they differ, or leave it to the engine"
    else:
        message = f"{step.model.run!r} calls {call.tool.name!r} with the same key as at another step, to no effect"
        also = (*also, (call.unit.key(*call.step.path, "call"), "the call"))
        hint = "give it an input in which they differ, and let the key read it"
    findings.error("same-key", message, unit.key(*step.path, step.action), also=also, hint=hint)


def _stable(unit: Unit) -> set[Read]:
    """Cells, results and variables that have one value in a run or pass: one step alone gives it."""
    return {read for read, steps in givers_of(unit).items() if len(steps) == 1}
