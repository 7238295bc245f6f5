"""Guards: a condition that stands before every call of an effect, on every path; or the path on which it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.assertions import Proof
from interlock.compiler.guarded import Guarded, Unguarded, places

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit

COVERED = {"write": frozenset({"write", "irreversible"}), "irreversible": frozenset({"irreversible"})}
"""The effects that a guard is about: its own and the graver."""

MOST_PLACES = 12
"""Places of a path that are shown."""


def check_guards(project: Project, findings: Findings) -> None:
    """All guards of all Procedures."""
    for unit in project.procedures:
        for index, guard in enumerate(unit.work.guard or () if unit.work else ()):
            _spared(unit, index, guard, findings)
            condition = unit.find("conditions", guard.by)
            if condition is None or unit.incomplete:
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
    effect = found.tool.model.effect
    message = f"nothing asserts `conditions.{guard.by}` before this call of {found.tool.name!r} ({effect})"
    if found.unit is not unit:
        message = (
            f"nothing asserts `conditions.{guard.by}` before {found.unit.name!r} calls {found.tool.name!r} ({effect})"
        )
    trail = [*places(found.trail)][:MOST_PLACES]
    also = ((unit.value("guard", index), "the guard"), *trail)
    if found.unit is not unit:
        also = (*also, (call, "the call"))
    hint = f"write `when: conditions.{guard.by}` at it or around it, or `- condition: {guard.by}` under its `requires`"
    if not proof.is_decided:
        hint += f"; `when: not conditions.{guard.by}` proves nothing, for a value that it reads may be missing"
    findings.error("unguarded", message, place, also=also, hint=hint)
