"""Conditions and decision tables: circles, tables without rows, cells that cannot be read, rows that never hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler import tables
from interlock.compiler.decisions import lowered
from interlock.compiler.demands import circle, units_computed

if TYPE_CHECKING:
    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part


def check_circles(project: Project, findings: Findings) -> None:
    """Conditions and tables that need each other have no value."""
    for unit in project.everything:
        told: set[Part] = set()
        for part in units_computed(unit):
            way = circle(part) if part not in told else []
            if way:
                told.update(way)
                names = " → ".join(f"{member.plural}.{member.name}" for member in (*way, part))
                findings.error("circle", f"a {part.called} cannot depend on itself: {names}", part.key())


def check_decisions(project: Project, findings: Findings) -> None:
    """All tables of all specs."""
    for unit in project.everything:
        for part in unit.parts("decisions").values():
            _check(part, findings)


def _check(part: Part, findings: Findings) -> None:
    table = part.model
    shared = set(table.inputs) & set(table.outputs)
    for name in sorted(shared):
        message = f"{name!r} is an input and an output of one table"
        also = ((part.key("inputs", name), "the input"),)
        findings.error("duplicate-column", message, part.key("outputs", name), also=also, hint="rename one of them")
    if shared:
        return
    found = lowered(part)
    for problem, place in found.problems:
        findings.error(problem.code, problem.message, place, hint=problem.hint)
    if found.problems:
        return
    for finding in tables.findings(found.decision):
        place = part.key() if finding.row is None else found.rows[finding.row]
        others: Also = () if finding.other is None else ((found.rows[finding.other], "the other row"),)
        report = findings.warning if finding.code in tables.WARNINGS else findings.error
        report(finding.code, finding.message, place, hint=finding.hint, also=others)
