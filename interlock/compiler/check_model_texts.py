"""Identifiers, numbers and dates: none is made of what a model wrote, however far that has been carried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.check_bindings import calls_of
from interlock.compiler.identifiers import is_identifier
from interlock.compiler.model_texts import ModelTexts, flow_at
from interlock.compiler.walk import all_steps
from interlock.compiler.written import NO_PATHS
from interlock.plan.naming import names_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from interlock.compiler.check_bindings import Call
    from interlock.compiler.findings import Findings
    from interlock.compiler.model_texts import Origin
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location
    from interlock.spec.fields import Argument, Field


def check_model_texts(project: Project, findings: Findings) -> None:
    """All arguments of all calls, and the input of all procedures that are run."""
    texts = ModelTexts(project)
    for unit in project.runnable:
        for call in calls_of(unit):
            for name, argument in (call.tool.model.input or {}).items():
                _argument(texts, call, name, argument, findings)
        mounts = [(("mounts", item.index), item.model) for item in unit.run_mounts]
        steps = [(step.path, step.model) for step in all_steps(unit) if step.action == "run"]
        for path, model in (*mounts, *steps):
            if (child := unit.procedures.get(model.run)) is not None:
                _given(texts, unit, path, model.with_, child.input, findings)


def _argument(texts: ModelTexts, call: Call, name: str, argument: Argument, findings: Findings) -> None:
    """An argument that is bound, copied from a path or computed by its tool."""
    if argument.from_ == "caller":
        _given(texts, call.unit, call.path, call.bind, {name: argument}, findings)
    elif argument.from_ is None:
        for inner, value in _identifiers(name, argument, argument.value):
            _report(texts.behind(call.unit, value), inner, call.tool.key("input", name), findings)
    elif argument.from_ not in NO_PATHS and _holds_identifier(name, argument):
        reads = [tuple(argument.from_.split("."))]
        _report(texts.behind_reads(call.unit, reads), name, call.tool.key("input", name), findings)


def _given(
    texts: ModelTexts,
    unit: Unit,
    path: Path,
    given: Mapping[str, Any] | None,
    fields: Mapping[str, Field],
    findings: Findings,
) -> None:
    for name, value in (given or {}).items():
        for inner, part in _identifiers(name, fields[name], value) if name in fields else ():
            _report(texts.behind(unit, part, flow_at(path)), inner, unit.key(*path, "with", name), findings)


def _identifiers(name: str, field: Field | None, value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a value that are identifiers, numbers or dates, by name."""
    if isinstance(value, dict):
        members = (field.fields if field is not None else None) or {}
        for key, inner in value.items():
            yield from _identifiers(key, members.get(key), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _identifiers(name, field.items if field is not None else None, inner)
    elif value is not None and _holds_identifier(name, field):
        yield name, value


def _holds_identifier(name: str, field: Field | None) -> bool:
    if field is None:
        return names_identifier(name)
    members = (field.fields or {}).items()
    return (
        is_identifier(name, field)
        or any(_holds_identifier(key, inner) for key, inner in members)
        or (field.items is not None and _holds_identifier(name, field.items))
    )


def _report(origin: Origin | None, name: str, place: Location, findings: Findings) -> None:
    if origin is None:
        return
    unit, step = origin
    also = ((unit.key(*step.path, step.action), "the model is asked here"),)
    message = f"{name!r} is an identifier, a number or a date, and a model wrote what it is made of"
    hint = "take it from a slot, a cell or `input`; what a model says may choose a way, by `switch` or a table"
    findings.error("identifier-from-model", message, place, also=also, hint=hint)
