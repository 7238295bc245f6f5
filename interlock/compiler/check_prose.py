"""Identifiers, numbers and dates: none is made of what somebody says or a model writes, however far it is carried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.check_bindings import calls_of
from interlock.compiler.free_texts import FreeTexts, flow_at, runs_of
from interlock.compiler.identifiers import is_identifier
from interlock.compiler.written import NO_PATHS
from interlock.plan.naming import names_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.free_texts import Origin
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location
    from interlock.spec.fields import Argument, Field

FROM_A_SLOT = "take it from a slot, which finds the value in the words"
HANDED_ON = "let the Agent take it from a slot, and hand on that"
FROM_DATA = "take it from a slot, a cell or `input`; this is written for people to read"
BY_RULES = "take it from a slot, a cell or `input`; what a model says may choose a way, by `switch` or a table"


def check_prose(project: Project, findings: Findings) -> None:
    """All calls and runs of all specs, and what tools take by themselves."""
    texts = FreeTexts(project)
    for unit in project.everything:
        check = _Check(unit, texts, findings)
        for call in calls_of(unit):
            arguments = call.tool.model.input or {}
            for name, value in call.bind.items():
                if name in arguments and arguments[name].from_ == "caller":
                    check.given((*call.path, "with", name), name, arguments[name], value)
            if call.tool.unit is not unit:
                check.tool(call.tool)
        for path, model in runs_of(unit):
            child = unit.procedures.get(model.run)
            for name, value in (model.with_ or {}).items() if child is not None else ():
                if child is not None and name in child.input:
                    check.given((*path, "with", name), name, child.input[name], value)
        for part in unit.parts("tools").values():
            check.tool(part)


class _Check:
    """The values of one spec; what a tool takes by itself is told once, though many call it."""

    def __init__(self, unit: Unit, texts: FreeTexts, findings: Findings) -> None:
        self._unit = unit
        self._texts = texts
        self._findings = findings
        self._told: set[Location] = set()

    def tool(self, tool: Part) -> None:
        """What a tool takes in the context of this spec."""
        for name, argument in (tool.model.input or {}).items():
            path = (*tool.path, "input", name)
            if argument.from_ is not None and argument.from_ not in NO_PATHS:
                value, key = f"{{{{ {argument.from_} }}}}", "from"
            else:
                value, key = argument.value, "value"
            self._look(tool.unit.value(*path, key), name, argument, value, "")

    def given(self, path: Path, name: str, field: Argument | Field, value: Any) -> None:
        """What `with` gives a call or a procedure."""
        self._look(self._unit.value(*path), name, field, value, flow_at(path))

    def _look(self, place: Location, name: str, field: Field, value: Any, flow: str) -> None:
        for inner, part in _identifiers(name, field, value):
            found = self._texts.behind(self._unit, part, flow)
            if found is None or place in self._told:
                continue
            self._told.add(place)
            read, origin = found
            what = "what a model wrote" if origin.by_model else "free text"
            message = f"{inner!r} is an identifier, a number or a date, and {'.'.join(read)!r} is {what}"
            where = "the model is asked here" if origin.by_model else "it is given here"
            also = ((origin.place, where),) if origin.place is not None else ()
            code = "identifier-from-model" if origin.by_model else "identifier-from-prose"
            self._findings.error(code, message, place, also=also, hint=self._hint(origin))

    def _hint(self, origin: Origin) -> str:
        if origin.by_model:
            return BY_RULES
        if origin.by_engine:
            return FROM_DATA
        return HANDED_ON if self._unit.kind == "Procedure" else FROM_A_SLOT


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
