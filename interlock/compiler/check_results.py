"""Results of steps: none is read where its step cannot have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.apart import stands_in
from interlock.compiler.cell_reads import goes_on_without
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.unfilled import AT_ONCE, FAILED, INSTEAD
from interlock.compiler.walk import flow_steps, step_ids

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.site import Site
    from interlock.compiler.units import Part
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

REMEDIES = {
    AT_ONCE: "read it after the branches, or in the same branch",
    INSTEAD: "read it in the same branch, or after all of them `if steps.{name}.result is defined`",
    FAILED: "read `error`, which says how it failed",
}


def check_results(project: Project, findings: Findings) -> None:
    """All flows of all Agents, and the steps of all Procedures."""
    for unit in project.runnable:
        for flow in unit.parts("flows").values():
            _flow(flow, findings)


def _flow(flow: Part, findings: Findings) -> None:
    steps = flow_steps(flow)
    ids = step_ids(steps)
    by_id = {ids[step.path]: step for step in reversed(steps)}
    for site in sites_of(flow):
        for root, *rest in () if goes_on_without(site) else read_paths(site):
            step = by_id.get(rest[0]) if root == "steps" and rest else None
            if step is not None and (why := _why_not(step.path, site.path)):
                _tell(flow, site, step, rest[0], why, findings)
                break


def _why_not(step: Path, reader: Path) -> str:
    """Why the step cannot have a result where the reader stands; empty if it can."""
    at = next((at for at, (mine, theirs) in enumerate(zip(step, reader, strict=False)) if mine != theirs), len(step))
    if at == len(step):
        return FAILED if reader[at : at + 1] == ("catch",) else ""
    key = step[at - 1] if isinstance(step[at - 2], int) else ""
    if isinstance(step[at], int) and key in ("switch", "catch"):
        return INSTEAD
    if isinstance(step[at], str) and key == "parallel" and not stands_in(reader[at:], "compensate"):
        return AT_ONCE
    return ""


def _tell(flow: Part, site: Site, step: Written, name: str, why: str, findings: Findings) -> None:
    message = f"`steps.{name}` has no result here"
    also = ((flow.unit.key(*step.path, step.action), why),)
    hint = REMEDIES[why].format(name=name)
    findings.error("result-not-there", message, site.unit.value(*site.path), also=also, hint=hint)
