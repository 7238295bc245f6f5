"""Procedures in an Agent: the mounts that allow them, and the steps that run them with all that they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_procedures import check_given
from interlock.compiler.findings import suggestion
from interlock.compiler.walk import all_steps

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Item, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path


def check_runs(project: Project, findings: Findings) -> None:
    """All Agents of the bundle."""
    for agent in project.agents:
        _mounts(project, agent, findings)
        for step in all_steps(agent):
            if step.action == "run":
                _step(agent, step, findings)
            elif step.action == "act":
                _offered(agent, step, findings)


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
        elif not project.may_hold(name):
            hint = suggestion(name, agent.procedures, none="this bundle has no Procedure")
            findings.error("unknown-procedure", f"there is no procedure {name!r}", place, hint=hint)
        seen.setdefault(name, item.index)


def _step(agent: Unit, step: Written, findings: Findings) -> None:
    name = step.model.run
    mount, child = agent.run_mount_of(name), agent.procedures.get(name)
    if mount is None:
        _not_mounted(agent, name, (*step.path, "run"), findings)
    elif child is not None and not child.broken.get("input"):
        check_given(agent, step.path, step.model, child, findings, before=mount.model.with_ or {})


def _offered(agent: Unit, step: Written, findings: Findings) -> None:
    """What a model may run: nobody is there but the mount to bind its input."""
    for index, name in enumerate(step.model.act.procedures or ()):
        path = (*step.path, "act", "procedures", index)
        mount, child = agent.run_mount_of(name), agent.procedures.get(name)
        if mount is None:
            _not_mounted(agent, name, path, findings)
        elif child is not None and not child.broken.get("input"):
            _bound(agent, mount, child, path, findings)


def _bound(agent: Unit, mount: Item, child: Unit, path: Path, findings: Findings) -> None:
    given = mount.model.with_ or {}
    for name, field in child.input.items():
        if name not in given and not field.optional and field.default is None:
            also = (
                (agent.key("mounts", mount.index), "mounted here"),
                (child.key("input", name), "declared here"),
            )
            message = f"nothing gives {name!r}, without which procedure {child.name!r} cannot begin"
            hint = f"write `with: {{{name}: …}}` at its mount: a step that lets a model choose binds nothing"
            findings.error("unbound-argument", message, agent.value(*path), also=also, hint=hint)


def _not_mounted(agent: Unit, name: str, path: Path, findings: Findings) -> None:
    if not agent.is_broken("mounts", name):
        hint = f"add `- run: {name}` under `mounts`"
        message = f"{name!r} is not mounted, so this conversation may not run it"
        findings.error("not-mounted", message, agent.value(*path), hint=hint)
