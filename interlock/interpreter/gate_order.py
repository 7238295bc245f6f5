"""The gates of an agent in the order they run, with what the record holds of each that lets a turn pass."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from interlock.expressions.first import compile_first
from interlock.interpreter.state import Json
from interlock.plan.plan import Plan
from interlock.plan.rules import Gate

Holds: TypeAlias = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class GateRun:
    """A gate with what the record holds of it when it lets the turn pass."""

    gate: Gate
    passed: Json
    unmatched: Json


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring gates; where a condition alone decides whether each acts, `first` says which one is to be looked at.

    `first` gives the place of the first that does not simply pass, or -1; all before it pass, as `passed` has them.
    """

    runs: tuple[GateRun, ...]
    passed: list[Json]
    first: Callable[[Mapping[str, Any]], int] | None


def screens_of(plan: Plan) -> tuple[GateRun, ...]:
    """The screens as written."""
    return tuple(_run(gate) for gate in plan.gates if gate.screen)


def stretches_of(plan: Plan) -> tuple[Stretch, ...]:
    """The other gates as written."""
    runs = [_run(gate) for gate in plan.gates if not gate.screen]
    return tuple(_stretch(tuple(group), plain=plain) for plain, group in groupby(runs, key=_is_plain))


def _stretch(runs: tuple[GateRun, ...], *, plain: bool) -> Stretch:
    first = compile_first([run.gate.when for run in runs]) if plain else None
    return Stretch(runs, [run.passed for run in runs], first)


def _is_plain(run: GateRun) -> bool:
    return bool(run.gate.when) and not run.gate.prefix


def _run(gate: Gate) -> GateRun:
    return GateRun(gate, seen_entry(gate, "pass", "not met"), seen_entry(gate, "pass", "no match"))


def seen_entry(gate: Gate, verdict: str, why: str, **more: Any) -> Json:
    """What the record holds of a gate that was evaluated."""
    return {"id": gate.id, "at": gate.at, "verdict": verdict, "why": why, **more}
