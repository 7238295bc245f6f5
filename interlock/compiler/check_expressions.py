"""Every expression, template and path of the context, checked against the context that holds where it stands."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from interlock.compiler.demands import demand_of, used_by
from interlock.compiler.findings import MOST, article, suggestion
from interlock.compiler.shapes import lacking, may_become, nothing_in_common
from interlock.compiler.sites import all_sites
from interlock.compiler.walk import all_steps, ids_of
from interlock.compiler.written import copied_path
from interlock.expressions.paths import looks_like_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler.findings import Also, Findings
    from interlock.compiler.project import Project
    from interlock.compiler.site import Site
    from interlock.compiler.units import Part
    from interlock.diagnostics import Location
    from interlock.expressions import Problem
    from interlock.expressions.shapes import Shape


MOST_GIVEN = 3
"""Steps that give a variable a value which are shown."""

MOST_SHOWN = 5
"""Of the values that something may have."""

ELSEWHERE = {
    "env": "under `servers` only",
    "secrets": "under the `auth` of a server and in the `env` of an MCP server only",
    "args": "in `requires`, `ensures`, responses, conditions and tables",
    "result": "after a call: in `ensures`, responses, and a condition or check with `call`",
    "payload": "in `outcomes`, `ensures` and responses",
    "status": "in `outcomes` only",
    "steps": "in the steps of a flow, after the call",
    "error": "within a `catch` only",
    "value": "in the `checks` of a slot only",
    "fact": "in the texts of a response with `facts` only",
    "candidates": "in the `clarify` of a slot only",
}
"""Roots that are known at some places only."""


def check_expressions(project: Project, findings: Findings) -> None:
    """Names, attributes, operators and types, with the column within the text."""
    for unit in project.everything:
        before = len(findings.found)
        for site in all_sites(unit):
            _check(site, findings)
            if len(findings.found) - before > MOST:
                break


def _check(site: Site, findings: Findings) -> None:
    if site.unit.is_stand_in(site.text):
        return
    if site.template and "{" not in site.text:
        _check_plain(site, findings)
        return
    shape, problems = site.checked(site.scope)
    for problem in problems:
        if problem.code != "unknown-name" or not _may_be_lost(site):
            _report(site, problem, findings)
    if not problems:
        _check_type(site, shape, findings)
        for part in used_by(site):
            _check_demand(site, part, findings)


def _may_be_lost(site: Site) -> bool:
    """Whether any name may be that of an item whose loop has lost a piece by a mistake in its shape."""
    return site.owner is not None and site.owner.is_open("")


def _report(site: Site, problem: Problem, findings: Findings) -> None:
    place = site.unit.inside(site.path, problem.offset)
    findings.error(problem.code, problem.message, place, hint=_elsewhere(site, problem) or problem.hint)


def _elsewhere(site: Site, problem: Problem) -> str:
    """Where a root is known that is not known here; and what a Library knows of users."""
    name = problem.message.rpartition(" ")[2].strip("'")
    if problem.code == "unknown-name" and name in ELSEWHERE:
        return f"`{name}` is known {ELSEWHERE[name]}"
    of_agents = ("'user' has no attribute", "'message.metadata' has no attribute")
    if site.unit.kind == "Library" and problem.message.startswith(of_agents):
        return "a Library knows no attributes that an Agent declares: move what reads them into the Agent"
    if problem.code == "unknown-attribute" and problem.message.startswith("'steps' has") and not problem.hint:
        known = name in {inner for flow in _flows(site) for inner in ids_of(flow).values()}
        return (
            f"step {name!r} has no result here: it comes later, or stands in a loop, whose results are its own"
            if known
            else ""
        )
    return ""


def _flows(site: Site) -> Iterable[Part]:
    return (site.owner,) if site.owner is not None else site.unit.parts("flows").values()


def _check_plain(site: Site, findings: Findings) -> None:
    """A text without braces: a literal, unless it is a path of the context."""
    if looks_like_path(site.text, site.scope):
        message = f"{site.text!r} is a path of the context, but stands here as plain text"
        findings.error("bare-path", message, site.unit.value(*site.path), hint=f'did you mean "{{{{ {site.text} }}}}"?')


def _check_type(site: Site, shape: Shape, findings: Findings) -> None:
    wanted = site.wanted
    if wanted is None or may_become(shape, wanted) or _taken_apart(site, shape, wanted):
        return
    where, given, taken = _difference(shape, wanted)
    message = _words(where, given, taken)
    apart = (shape.stored is None) != (wanted.stored is None)
    hint = "what is stored is read by tools only: both sides say `stored: true`, or neither" if apart else ""
    if wanted.item is not None and wanted.kind == "list" and may_become(shape, wanted.item):
        hint = f"write a list of one: [{site.text!r}]"
    findings.error("type-mismatch", message, site.unit.value(*site.path), also=_producer(site), hint=hint)


def _words(where: str, given: Shape, taken: Shape) -> str:
    if nothing_in_common(given, taken):
        listed = [", ".join(map(repr, one.enum[:MOST_SHOWN])) for one in (given, taken)]
        return f"{where} one of {listed[0]}, where one of {listed[1]} is wanted"
    if given.kind == taken.kind == "object" and (names := lacking(given, taken)):
        return f"{where} an object without {names[0]!r}, which is required"
    return f"{where} {article(given.name)}, where {article(taken.name)} is wanted"


def _difference(found: Shape, wanted: Shape, where: str = "this is") -> tuple[str, Shape, Shape]:
    """Where two shapes differ: as a whole, or in what is innermost in both."""
    if found.stored is not None and wanted.stored is not None and found.stored.kind == wanted.stored.kind:
        return _difference(found.stored, wanted.stored, where)
    if found.stored is not None or wanted.stored is not None:
        return where, found, wanted
    if found.kind == wanted.kind == "list" and found.item is not None and wanted.item is not None:
        return _difference(found.item, wanted.item, "each item is")
    if found.kind == wanted.kind == "object" and found.fields is not None and wanted.fields is not None:
        for name, inner in found.fields.items():
            if name in wanted.fields and not may_become(inner, wanted.fields[name]):
                return _difference(inner, wanted.fields[name], f"its {name!r} is")
    return where, found, wanted


def _producer(site: Site) -> Also:
    """Where a cell is filled, or a variable is given a value, that is copied as it is."""
    path = site.text.split(".") if site.form == "path" else copied_path(site.text) or ()
    if len(path) > 1 and path[0] == "vars":
        given = (step.path for step in all_steps(site.unit) if step.action == "set" and path[1] in step.model.set)
        return tuple((site.unit.key(*at, "set", path[1]), "it is given here") for at in islice(given, MOST_GIVEN))
    tool = site.unit.find("tools", path[1]) if len(path) > 2 and path[0] == "cells" else None
    return ((tool.key("produces", path[2]), "it is filled here"),) if tool is not None else ()


def _taken_apart(site: Site, shape: Shape, wanted: Shape) -> bool:
    """A slot of several values may feed an argument of one: each call with `expand` takes one value."""
    several = site.form == "path" and site.text.startswith("slots.") and shape.kind == "list"
    return several and shape.item is not None and may_become(shape.item, wanted)


def _check_demand(site: Site, part: Part, findings: Findings) -> None:
    """A condition or table that needs more than there is at this place."""
    demand = demand_of(part)
    if demand.reads is not None and not _may_read(site):
        message = f"{part.called} calls {demand.reads.model.call!r} first, which is not done here"
        also = ((demand.reads.key("call"), "the call"),)
        hint = "only the `when` of a step, `requires`, `ensures` and other conditions may read first"
        findings.error("reads-here", message, _place_of(site, part), hint=hint, also=also)
    if site.owner is None or site.owner.plural not in ("conditions", "decisions"):
        _check_args(site, part, demand.args, findings)


def _may_read(site: Site) -> bool:
    """A read is made for an assertion only, not while a value or a text is computed; tables are asked by one."""
    in_table = site.owner is not None and site.owner.plural == "decisions"
    return site.place.reads and (site.form == "expression" or in_table)


def _check_args(site: Site, part: Part, args: dict[str, Part], findings: Findings) -> None:
    tool = site.place.args
    known = (tool.model.input or {}) if tool else None
    for name, reader in args.items():
        also = ((reader.key(), "it is read here"),)
        if known is None:
            message = f"{part.called} reads `args.{name}`, and no call is about to be made here"
            findings.error("no-args-here", message, _place_of(site, part), also=also)
            return
        if name not in known:
            message = f"{part.called} reads `args.{name}`, which {tool.name if tool else ''!r} does not have"
            findings.error("unknown-argument", message, _place_of(site, part), also=also, hint=suggestion(name, known))


def _place_of(site: Site, part: Part) -> Location:
    found = re.search(rf"\b{part.plural}\.{part.name}\b", site.text)
    return site.unit.inside(site.path, found.start() if found else 0)
