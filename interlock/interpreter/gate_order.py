"""The gates of an agent in the order they run, with what the record holds of each that lets a turn pass."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from interlock.interpreter.state import Json
from interlock.plan.plan import Plan
from interlock.plan.rules import Gate

Holds: TypeAlias = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class GateRun:
    """A gate with what the record holds of it when it lets the turn pass."""

    gate: Gate
    plain: Holds | None
    """Its condition, where nothing else decides whether it acts."""
    passed: Json
    unmatched: Json


def gates_in_order(plan: Plan, conditions: Mapping[str, Holds]) -> tuple[tuple[GateRun, ...], tuple[GateRun, ...]]:
    """The screens, and the other gates, each as written."""
    runs = [_run(gate, conditions) for gate in plan.gates]
    return tuple(run for run in runs if run.gate.screen), tuple(run for run in runs if not run.gate.screen)


def _run(gate: Gate, conditions: Mapping[str, Holds]) -> GateRun:
    plain = None if gate.screen or gate.prefix else conditions.get(gate.when)
    return GateRun(gate, plain, seen_entry(gate, "pass", "not met"), seen_entry(gate, "pass", "no match"))


def seen_entry(gate: Gate, verdict: str, why: str, **more: Any) -> Json:
    """What the record holds of a gate that was evaluated."""
    return {"id": gate.id, "at": gate.at, "verdict": verdict, "why": why, **more}
