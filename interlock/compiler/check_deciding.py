"""Conditions and decision tables: circles, tables without rows, cells that cannot be read, rows that never hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler import tables
from interlock.compiler.circles import on_circles
from interlock.compiler.decisions import lowered
from interlock.compiler.demands import circle, computed_by, reachable, units_computed, used_by
from interlock.compiler.sites import sites_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part


def check_circles(project: Project, findings: Findings) -> None:
    """Conditions and tables that need each other have no value."""
    for unit in project.everything:
        told: set[Part] = set()
        circular = on_circles(units_computed(unit), computed_by)
        for part in units_computed(unit):
            if part in circular and part not in told:
                way = circle(part)
                told.update(way)
                names = " → ".join(f"{member.plural}.{member.name}" for member in (*way, part))
                findings.error("circle", f"a {part.called} cannot depend on itself: {names}", part.key())


def check_tool_circles(project: Project, findings: Findings) -> None:
    """A tool whose `requires` or `ensures` would have to call the tool itself."""
    for unit in project.everything:
        tools = unit.parts("tools").values()
        circular = on_circles(tools, _called_by_checks)
        for part in tools:
            if part in circular:
                message = f"a call of {part.name!r} would have to call {part.name!r} first"
                hint = "let its conditions read by another tool, or look at cells"
                findings.error("circle", message, part.key(), hint=hint)


def _called_by_checks(tool: Part) -> Iterator[Part]:
    checks = [check for key in ("requires", "ensures") for check in getattr(tool.model, key) or ()]
    named = [tool.unit.find("conditions", check.condition) for check in checks if check.condition]
    read = [part for site in sites_of(tool) for part in used_by(site)]
    conditions = {member for part in (*named, *read) if part for member in reachable(part)}
    calls = [(tool.unit, check.call) for check in checks] + [
        (member.unit, member.model.call) for member in conditions if member.plural == "conditions"
    ]
    for unit, name in calls:
        if name is not None and (called := unit.find("tools", name)) is not None:
            yield called


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
