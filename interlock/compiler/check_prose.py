"""Identifiers, numbers and dates: none is made of what somebody says, through whatever variables and procedures."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.compiler.check_bindings import calls_of
from interlock.compiler.identifiers import is_identifier
from interlock.compiler.running_order import in_running_order
from interlock.compiler.walk import all_steps
from interlock.compiler.written import strings
from interlock.expressions.paths import paths_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location
    from interlock.spec.fields import Field

Read: TypeAlias = tuple[str, ...]

SAID: Read = ("message", "text")

FROM_A_SLOT = "take it from a slot, which finds the value in the words"

Given: TypeAlias = "dict[str, dict[str, Location]]"
"""By procedure the inputs that are given free text, each with the place where it is."""


def check_prose(project: Project, findings: Findings) -> None:
    """All calls and runs of all specs; those that run a procedure before it, for it may hand on what it is given."""
    given: Given = {}
    running = in_running_order(project.runnable)[::-1]
    for unit in (*running, *(unit for unit in project.everything if unit.kind == "Library")):
        prose = _Prose(unit, given.get(unit.name, {}), findings)
        prose.arguments()
        for child, name, place in prose.runs():
            given.setdefault(child.name, {}).setdefault(name, place)


class _Prose:
    """What is free text in one spec: the message, the inputs that are given it, and the variables that take it."""

    def __init__(self, unit: Unit, given: Mapping[str, Location], findings: Findings) -> None:
        self._unit = unit
        self._given = given if unit.kind == "Procedure" else {}
        self._findings = findings
        self._free = {SAID, *(("input", name) for name in self._given)}
        taken: defaultdict[Read, set[str]] = defaultdict(set)
        for step in all_steps(unit):
            for name, value in step.model.set.items() if step.action == "set" else ():
                for read in _reads(value):
                    taken[read[:2]].add(name)
        waiting = list(self._free)
        for read in waiting:
            new = [("vars", name) for name in sorted(taken[read]) if ("vars", name) not in self._free]
            self._free.update(new)
            waiting += new

    def arguments(self) -> None:
        """The arguments of all calls, and those of the spec's own tools."""
        for call in calls_of(self._unit):
            arguments = call.tool.model.input or {}
            for name, value in call.bind.items():
                if name in arguments and arguments[name].from_ == "caller":
                    self._check((*call.path, "with", name), name, arguments[name], value)
        for part in self._unit.parts("tools").values():
            for name, argument in (part.model.input or {}).items():
                path = (*part.path, "input", name)
                self._check((*path, "value"), name, argument, argument.value)
                if argument.from_ is not None:
                    self._check((*path, "from"), name, argument, f"{{{{ {argument.from_} }}}}")

    def runs(self) -> Iterator[tuple[Unit, str, Location]]:
        """Which inputs of which procedures are given free text, though they may hold it."""
        mounts = ((("mounts", item.index), item.model) for item in self._unit.run_mounts)
        steps = ((step.path, step.model) for step in all_steps(self._unit) if step.action == "run")
        for at, model in (*mounts, *steps):
            child = self._unit.procedures.get(model.run)
            if child is None:
                continue
            for name, value in (model.with_ or {}).items():
                path = (*at, "with", name)
                if name in child.input and not self._check(path, name, child.input[name], value) and self._in(value):
                    yield child, name, self._unit.value(*path)

    def _check(self, path: Path, name: str, field: Field, value: Any) -> bool:
        prose = self._in(value) if is_identifier(name, field) else ()
        if not prose:
            return False
        message = f"{name!r} is an identifier, a number or a date, and {'.'.join(prose)!r} is free text"
        where = self._given.get(prose[1]) if prose[0] == "input" else None
        also = ((where, "it is given here"),) if where is not None else ()
        hint = FROM_A_SLOT if self._unit.kind != "Procedure" else "let the Agent take it from a slot, and hand on that"
        self._findings.error("identifier-from-prose", message, self._unit.value(*path), also=also, hint=hint)
        return True

    def _in(self, value: Any) -> Read:
        """The path of free text that a value reads; none, if it does not."""
        return next((read[:2] for read in _reads(value) if read[:2] in self._free), ())


def _reads(value: Any) -> Iterator[Read]:
    for _, text in strings(value, ()):
        if "{" in text:
            yield from paths_of(text, template=True)
