"""Procedures: the names they use, what they run and receive, and what the head of one computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.check_bindings import check_literal
from interlock.compiler.check_flows import check_branches, check_ids
from interlock.compiler.circles import on_circles
from interlock.compiler.findings import suggestion
from interlock.compiler.mentions import read_paths
from interlock.compiler.running_order import children_of, way_back
from interlock.compiler.sites import own_sites
from interlock.compiler.walk import all_steps

if TYPE_CHECKING:
    from collections.abc import Collection

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

AT_THE_START = frozenset({"input", "config", "run", "now"})
"""What is there when a run begins."""


def check_procedures(project: Project, findings: Findings) -> None:
    """All Procedures of the bundle."""
    circling = on_circles(project.procedures, children_of)
    for unit in project.procedures:
        steps = all_steps(unit)
        check_ids(unit, steps, findings)
        for step in steps:
            match step.action:
                case "run":
                    _run(project, unit, step, circling, findings)
                case "receive":
                    _receive(unit, step, findings)
                case "switch":
                    check_branches(unit, step, findings)
        _events(unit, steps, findings)
        _head(unit, findings)


def _run(project: Project, unit: Unit, step: Written, circling: Collection[Unit], findings: Findings) -> None:
    name, place = step.model.run, unit.value(*step.path, "run")
    child = unit.procedures.get(name)
    if child is None:
        if not project.may_hold(name):
            hint = suggestion(name, unit.procedures, none="this bundle has no Procedure")
            findings.error("unknown-procedure", f"there is no procedure {name!r}", place, hint=hint)
        return
    if unit in circling and child in circling and (way := way_back(unit, child)):
        if child is unit:
            message = f"procedure {name!r} would run itself for ever"
        else:
            message = f"procedures would run each other for ever: {' → '.join((unit.name, *way))}"
        findings.error("procedure-circle", message, place, hint="use `for_each` for work that repeats")
    elif not child.broken.get("input"):
        check_given(unit, step.path, step.model, child, findings)


def check_given(
    unit: Unit,
    at: Path,
    model: Any,
    child: Unit,
    findings: Findings,
    *,
    before: Collection[str] = (),
    final: bool = True,
) -> None:
    """What `with` gives a procedure; `before` is given elsewhere, and what is not `final` may leave out something."""
    given = model.with_ or {}
    for name, value in given.items():
        path = (*at, "with", name)
        if name in child.input:
            check_literal(unit, path, value, child.input[name], findings)
            continue
        hint = suggestion(name, child.input, none="it takes no input")
        message = f"procedure {child.name!r} has no input {name!r}"
        also = ((child.key("input") if child.input else child.value("name"), "declared here"),)
        findings.error("unknown-argument", message, unit.key(*path), also=also, hint=hint)
    for name, field in child.input.items() if final else ():
        if name not in given and name not in before and not field.optional and field.default is None:
            message = f"nothing gives {name!r}, without which procedure {child.name!r} cannot begin"
            also = ((child.key("input", name), "declared here"),)
            place, hint = unit.key(*at, "run"), f"write `with: {{{name}: …}}`"
            findings.error("unbound-argument", message, place, also=also, hint=hint)


def _receive(unit: Unit, step: Written, findings: Findings) -> None:
    name = step.model.receive
    if name not in unit.events and not unit.broken.get("events"):
        hint = suggestion(name, unit.events, none="declare it under `events`, with its fields")
        place = unit.value(*step.path, "receive")
        findings.error("unknown-event", f"there is no event {name!r}", place, hint=hint)


def _events(unit: Unit, steps: tuple[Written, ...], findings: Findings) -> None:
    received = {step.model.receive for step in steps if step.action == "receive"}
    for name in unit.events:
        if name not in received and not unit.broken.get("flows"):
            message = f"event {name!r} is never received"
            hint = "receive it, or take it out"
            findings.warning("unused", message, unit.key("events", name), hint=hint)


def _head(unit: Unit, findings: Findings) -> None:
    """On whose behalf it runs and in which language it speaks is known when the run begins."""
    for site in own_sites(unit):
        if site.path not in (("requester",), ("language",)):
            continue
        for root, *_ in read_paths(site):
            if root not in AT_THE_START and root in site.scope:
                message = f"`{site.path[0]}` is known when the run begins, and `{root}` is not yet"
                hint = "take it from `input`"
                findings.error("too-early", message, unit.value(*site.path), hint=hint)
