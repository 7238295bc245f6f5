"""What fills a slot without the person having said it: `assume` and `default` of slots, `assume` of gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.findings import article
from interlock.compiler.shapes import may_become
from interlock.compiler.sites import scopes_of
from interlock.compiler.written import has_template
from interlock.expressions import Expression, check_expression, compile_all, roots_of
from interlock.expressions.shapes import shape_of
from interlock.text.extractors import could_give

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path

MOST_SHOWN = 12
"""Codes that a hint lists."""


def check_assumed(project: Project, findings: Findings) -> None:
    """All that slots and gates fill in; what is computed is looked at when it is."""
    for unit in project.everything:
        for part in unit.parts("slots").values():
            for key in ("assume", "default"):
                if getattr(part.model, key) is not None:
                    _filling(part, unit, getattr(part.model, key), (*part.path, key), findings)
    for agent in project.agents:
        for item in agent.gates:
            for name, value in (item.model.assume or {}).items():
                slot = agent.find("slots", name)
                if slot is not None and value is not None:
                    _filling(slot, agent, value, ("gates", item.index, "assume", name), findings)


def _filling(slot: Part, unit: Unit, value: Any, path: Path, findings: Findings) -> None:
    """`unit` is the spec that the value stands in."""
    if slot.model.patterns is not None:
        message = "an identifier is never filled in: it stands in the user's words, or no call takes it"
        findings.error("assumed-identifier", message, unit.key(*path), hint=f"leave out `{path[-1]}`, and ask")
        return
    if slot.model.many and not isinstance(value, list):
        if not has_template(value):
            message = f"{value!r} is one value, and slot {slot.name!r} takes several"
            findings.error("type-mismatch", message, unit.value(*path), hint=f"write a list of one: [{value}]")
        return
    for inner, one in _values(slot, value, path):
        if not has_template(one) and (problem := _misfit(slot, one)):
            findings.error(problem[0], problem[1], unit.value(*inner), hint=problem[2])


def _values(slot: Part, value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if not slot.model.many:
        yield path, value
        return
    for index, one in enumerate(value):
        yield (*path, index), one


def _misfit(slot: Part, value: Any) -> tuple[str, str, str] | None:
    """Why a literal cannot be the value of a slot: code, message and hint."""
    wanted = scopes_of(slot.unit).value(slot)
    if not may_become(shape_of(value), wanted):
        return "type-mismatch", f"{value!r} is no value of this slot, which is {article(wanted.name)}", ""
    if wanted.enum and value not in wanted.enum:
        hint = f"its codes are {', '.join(map(str, wanted.enum[:MOST_SHOWN]))}"
        return "unknown-code", f"{value!r} is no code of vocabulary {slot.model.vocabulary!r}", hint
    kind = slot.model.extract
    if kind is not None and not could_give(kind, value):
        hint = "write it as 2026-01-31" if kind == "date" else ""
        return "type-mismatch", f"{value!r} is no value of this slot: `extract: {kind}` never gives it", hint
    for check in slot.model.checks or ():
        if _is_refused(slot, check.that, value):
            message = f"{value!r} is no valid value of this slot: it does not pass `{check.that}`"
            return "fails-its-check", message, "fill in another value, or mend the check"
    return None


def _is_refused(slot: Part, that: str, value: Any) -> bool:
    """Whether a check that looks at nothing but the value does not hold for it."""
    if roots_of(that, template=False) != {"value"} or check_expression(that, scopes_of(slot.unit).with_value(slot))[1]:
        return False
    return not compile_all({0: Expression(that)})[0]({"value": value})
