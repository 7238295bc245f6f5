"""Every expression and template of a spec: one list that all checks, and the plan's closure, share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.scopes import Scopes
from interlock.compiler.sites_of_agent import head_sites, list_sites
from interlock.compiler.sites_of_parts import part_sites
from interlock.compiler.sites_of_steps import flow_sites
from interlock.compiler.variables import variables_of

if TYPE_CHECKING:
    from interlock.compiler.site import Site
    from interlock.compiler.units import Part, Unit


def scopes_of(unit: Unit) -> Scopes:
    """The scopes of a spec, worked out once."""
    if "scopes" not in unit.memo:
        unit.memo["scopes"] = Scopes(unit, variables_of(unit))
    scopes: Scopes = unit.memo["scopes"]
    return scopes


def sites_of(part: Part) -> tuple[Site, ...]:
    """All sites of one part, worked out once."""
    memo = part.unit.memo
    key = ("sites", part.plural, part.name)
    if key not in memo:
        scopes = scopes_of(part.unit)
        found = tuple(flow_sites(part, scopes) if part.plural == "flows" else part_sites(part, scopes))
        unknown = part.unit.opened.get((part.plural, part.name))
        memo[key] = tuple(site.without(unknown) for site in found) if unknown else found
    sites: tuple[Site, ...] = memo[key]
    return sites


def own_sites(unit: Unit) -> tuple[Site, ...]:
    """The sites of a spec's head and lists."""
    if "sites" not in unit.memo:
        scopes = scopes_of(unit)
        unit.memo["sites"] = (*head_sites(unit, scopes), *list_sites(unit, scopes))
    sites: tuple[Site, ...] = unit.memo["sites"]
    return sites


def all_sites(unit: Unit) -> tuple[Site, ...]:
    """All sites of a spec."""
    parts = (part for parts in unit.own.values() for part in parts.values())
    return (*own_sites(unit), *(site for part in parts for site in sites_of(part)))
