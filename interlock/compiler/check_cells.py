"""Cells: read where no call of this Agent can have filled them, which is an error of the Agent and not of a Library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.closure import reached
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import own_sites, sites_of

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.site import Site
    from interlock.compiler.units import Unit


def check_cells(project: Project, findings: Findings) -> None:
    """Every cell that an Agent reads, itself or in what it reaches, has a producer among its mounts."""
    for agent in project.agents:
        parts = [part for parts in reached(agent).values() for part in parts.values()]
        for site in (*own_sites(agent), *(site for part in parts for site in sites_of(part))):
            for root, *rest in read_paths(site):
                if root == "cells" and rest:
                    _check(agent, site, rest[0], findings)


def _check(agent: Unit, site: Site, name: str, findings: Findings) -> None:
    tool = site.unit.find("tools", name)
    if tool is None or not tool.model.produces or agent.mount_of(name) or agent.is_broken("mounts", name):
        return
    foreign = site.unit is not agent
    place = agent.key("mounts") if foreign else site.unit.value(*site.path)
    also = ((site.unit.value(*site.path), "it is read here"),) if foreign else ()
    message = f"`cells.{name}` is never filled: {name!r} is not mounted, so this conversation cannot call it"
    findings.error("cell-never-filled", message, place, hint=f"add `- call: {name}` under `mounts`", also=also)
