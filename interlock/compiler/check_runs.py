"""Procedures in an Agent: the mounts that allow them, and the steps that run them with all that they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_procedures import check_given
from interlock.compiler.findings import suggestion
from interlock.compiler.walk import all_steps

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written


def check_runs(project: Project, findings: Findings) -> None:
    """All Agents of the bundle."""
    for agent in project.agents:
        _mounts(project, agent, findings)
        for step in all_steps(agent):
            if step.action == "run":
                _step(agent, step, findings)


def _mounts(project: Project, agent: Unit, findings: Findings) -> None:
    seen: dict[str, int] = {}
    for item in agent.run_mounts:
        name, place = item.model.run, agent.value("mounts", item.index, "run")
        child = agent.procedures.get(name)
        if name in seen:
            also = ((agent.value("mounts", seen[name], "run"), "the other one"),)
            findings.error("duplicate-mount", f"{name!r} is mounted twice", place, also=also)
        elif child is not None:
            if not child.broken.get("input"):
                check_given(agent, ("mounts", item.index), item.model, child, findings, final=False)
        elif name not in project.unreadable:
            hint = suggestion(name, agent.procedures, none="this bundle has no Procedure")
            findings.error("unknown-procedure", f"there is no procedure {name!r}", place, hint=hint)
        seen.setdefault(name, item.index)


def _step(agent: Unit, step: Written, findings: Findings) -> None:
    name = step.model.run
    mount, child = agent.run_mount_of(name), agent.procedures.get(name)
    if mount is None:
        if name not in agent.broken.get("mounts", ()):
            hint = f"add `- run: {name}` under `mounts`"
            message = f"{name!r} is not mounted, so this conversation may not run it"
            findings.error("not-mounted", message, agent.value(*step.path, "run"), hint=hint)
    elif child is not None and not child.broken.get("input"):
        check_given(agent, step.path, step.model, child, findings, before=mount.model.with_ or {})
