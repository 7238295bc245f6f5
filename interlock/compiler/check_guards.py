"""Guards: a condition that stands before every call of an effect, on every path; or the path on which it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.assertions import Proof
from interlock.compiler.guarded import Guarded, Unguarded
from interlock.compiler.running_order import all_run
from interlock.compiler.trails import OF_ITS_OWN, places
from interlock.spec.tools import WRITING

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit

COVERED = {"write": WRITING, "irreversible": frozenset({"irreversible"})}
"""The effects that a guard is about: its own and the graver."""

MOST_PLACES = 12
"""Places of a path that are shown."""


def check_guards(project: Project, findings: Findings) -> None:
    """All guards of all Procedures."""
    for unit in project.procedures:
        for index, guard in enumerate(unit.work.guard or () if unit.work else ()):
            _spared(unit, index, guard, findings)
            condition = unit.find("conditions", guard.by)
            if condition is None or not all(one.is_whole for one in all_run(unit)):
                continue
            proof = Proof(condition)
            spared = frozenset(tool for name in guard.except_ or () if (tool := unit.find("tools", name)))
            walk = Guarded(proof, COVERED[guard.effect], spared)
            walk.walk(unit)
            for found in walk.found:
                _tell(unit, index, guard, found, proof, findings)


def _spared(unit: Unit, index: int, guard: Any, findings: Findings) -> None:
    for position, name in enumerate(guard.except_ or ()):
        tool = unit.find("tools", name)
        if tool is not None and tool.model.effect not in COVERED[guard.effect]:
            message = f"{name!r} says `effect: {tool.model.effect}`, which this guard is not about"
            place = unit.value("guard", index, "except", position)
            findings.warning("no-effect", message, place, hint="take it out")


def _tell(unit: Unit, index: int, guard: Any, found: Unguarded, proof: Proof, findings: Findings) -> None:
    call = found.unit.key(*found.call, "call")
    place = unit.key(*found.at.path, found.at.action)
    trail = [*places(found.trail)]
    of_another = any(words.startswith(OF_ITS_OWN) for _, words in trail)
    call_of = "this call of" if found.unit is unit else f"{found.unit.name!r} calls"
    asserts = f"nothing asserts `conditions.{guard.by}`{' as it is here' if of_another else ''}"
    message = f"{asserts} before {call_of} {found.tool.name!r} ({found.tool.model.effect})"
    also = ((unit.value("guard", index), "the guard"), *trail[:MOST_PLACES])
    if found.unit is not unit:
        also = (*also, (call, "the call"))
    hint = _remedy(guard.by, proof, of_another=of_another)
    findings.error("unguarded", message, place, also=also, hint=hint)


def _remedy(name: str, proof: Proof, *, of_another: bool) -> str:
    if of_another:
        same = "give what is run the same, as in `with: {x: '{{ input.x }}'}`"
        return f"{same}; or write `when: conditions.{name}` at the `run` or around it"
    hint = f"write `when: conditions.{name}` at it or around it, or `- condition: {name}` under its `requires`"
    if proof.is_decided:
        return hint
    return f"{hint}; `when: not conditions.{name}` proves nothing, for a value that it reads may be missing"
