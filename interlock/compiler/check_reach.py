"""What a spec reaches in its Libraries and cannot feed: a conversation's roots in a Procedure, `input` in an Agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.closure import first_reached
from interlock.compiler.findings import article, suggestion
from interlock.compiler.mentions import read_paths
from interlock.compiler.shapes import fields_shape, may_become
from interlock.compiler.sites import sites_of

if TYPE_CHECKING:
    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.project import Project
    from interlock.compiler.site import Site
    from interlock.compiler.units import Part, Unit
    from interlock.diagnostics import Location
    from interlock.expressions.shapes import Shape

OF_A_CONVERSATION = frozenset({"slots", "intents", "user", "message", "session", "turn"})
"""Roots that a Procedure has not."""


def check_reach(project: Project, findings: Findings) -> None:
    """All parts of Libraries that Agents and Procedures of the bundle reach."""
    for unit in project.runnable:
        shape = None if unit.broken.get("input") else fields_shape(unit.input)
        for part, path in first_reached(unit).items():
            if part.unit is unit or path is None:
                continue
            place = unit.key(*path) if path[-1] in ("call", "run") else unit.value(*path)
            for site in _once_each(part):
                if unit.kind == "Agent":
                    _without_input(part, site, place, findings)
                else:
                    _in_work(unit, part, site, place, shape, findings)


def _once_each(part: Part) -> list[Site]:
    """The sites of a part, but for those that read nothing else than one before them."""
    seen: dict[object, Site] = {}
    for site in sites_of(part):
        seen.setdefault((read_paths(site), () if site.wanted is None else (site.wanted.kind,)), site)
    return list(seen.values())


def _without_input(part: Part, site: Site, place: Location, findings: Findings) -> None:
    for root, *rest in read_paths(site):
        if root == "input":
            name = ".".join((root, *rest))
            message = f"{part.called} reads `{name}`, and a conversation has no `input`"
            hint = "use it in a Procedure, or let it take the value from `caller`"
            findings.error("cannot-feed", message, place, also=_read_at(site), hint=hint)


def _in_work(unit: Unit, part: Part, site: Site, place: Location, given: Shape | None, findings: Findings) -> None:
    for root, *rest in read_paths(site):
        if root in OF_A_CONVERSATION:
            name = ".".join((root, *rest))
            message = f"{part.called} reads `{name}`, which a procedure has not: it talks to nobody"
            hint = "let it take the value from `input` or from `caller`"
            findings.error("cannot-feed", message, place, also=_read_at(site), hint=hint)
        elif root == "input" and rest and given is not None and rest[0] not in unit.input:
            message = f"{part.called} reads `input.{rest[0]}`, which {unit.name!r} does not have"
            hint = suggestion(rest[0], unit.input, none="declare it under `input`")
            findings.error("cannot-feed", message, place, also=_read_at(site), hint=hint)
        elif root == "input" and rest and given is not None:
            _fits(unit, part, site, place, given, findings)
            return


def _fits(unit: Unit, part: Part, site: Site, place: Location, given: Shape, findings: Findings) -> None:
    """A value of the type that the Procedure declares is used as the Library means it."""
    shape, problems = site.checked({**site.scope, "input": given})
    for problem in problems[:1]:
        message = f"{part.called} cannot use the `input` of {unit.name!r}: {problem.message}"
        findings.error("cannot-feed", message, place, also=_read_at(site), hint=problem.hint)
    if not problems and site.wanted is not None and not may_become(shape, site.wanted):
        found, wanted = article(shape.name), article(site.wanted.name)
        message = f"{part.called} takes {wanted} from `{site.text}`, and {unit.name!r} declares {found}"
        also = (*_read_at(site), (unit.key("input"), "declared here"))
        findings.error("cannot-feed", message, place, also=also)


def _read_at(site: Site) -> Also:
    return ((site.unit.value(*site.path), "it is read here"),)
