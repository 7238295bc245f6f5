"""Suites: every name they mention is one of the spec they test, and its expectations can come true."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from interlock.compiler.check_suite_keys import check_suite_keys
from interlock.compiler.check_work_suites import check_work_suite
from interlock.compiler.findings import suggestion
from interlock.compiler.lower_models import model
from interlock.compiler.running_order import all_run
from interlock.compiler.scopes import MESSAGE_TYPES, USER
from interlock.compiler.shapes import received_shape
from interlock.compiler.stand_ins import STAND_IN
from interlock.compiler.units import ANY_NAME
from interlock.expressions.check import check_expression
from interlock.expressions.problems import most_similar
from interlock.expressions.shapes import STRING, Shape, list_of
from interlock.text.patterns import pattern_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project, Suite
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path
    from interlock.spec.expected import Expect
    from interlock.spec.models import NamedModel

QUESTION = {"message": STRING, "prompt": STRING, "tools": list_of(STRING), "role": STRING}
"""What conditions read of a question to a model."""

SEARCH = {"query": STRING}
"""What they read of a search."""


def check_suites(project: Project, findings: Findings) -> None:
    """All Suites of the bundle."""
    for suite in project.suites:
        units = {unit.name: unit for unit in reversed(project.runnable)}
        unit = units.get(suite.spec.of)
        if unit is None and not project.may_hold(suite.spec.of):
            hint = suggestion(suite.spec.of, units, none="there is no Agent and no Procedure in this bundle")
            message = f"there is no agent or procedure {suite.spec.of!r}"
            findings.error("unknown-target", message, suite.value("of"), hint=hint)
            unit = units.get(most_similar(suite.spec.of, tuple(units)))
        if unit is not None:
            _check(suite, unit, findings)


def _check(suite: Suite, unit: Unit, findings: Findings) -> None:
    check_suite_keys(suite, unit, findings)
    _Check(suite, unit, findings).run()
    if unit.kind == "Procedure":
        check_work_suite(suite, unit, findings)


@dataclass(slots=True)
class _Check:
    suite: Suite
    unit: Unit
    findings: Findings

    def run(self) -> None:
        """The stubs, and every turn of every case."""
        self._stubs()
        seen: dict[str, int] = {}
        for index, case in enumerate(self.suite.spec.cases):
            if case.id in seen:
                also = ((self.suite.value("cases", seen[case.id], "id"), "the other one"),)
                place = self.suite.value("cases", index, "id")
                self.findings.error("duplicate-id", f"two cases have the id {case.id!r}", place, also=also)
            seen.setdefault(case.id, index)
            if self.unit.kind == "Agent":
                self._user(case, ("cases", index))
                named = case.session.model if case.session else None
                self._model(named, ("session", "message"), ("cases", index, "session", "model"))
            for number, turn in enumerate(case.turns):
                self._turn(turn, ("cases", index, "turns", number))

    def _unknown(self, what: str, name: str, known: Iterable[str], path: Path, *, key: bool = False) -> None:
        names = list(known)
        if name in names or ANY_NAME in names or self.unit.incomplete or (self.suite.salvaged and name == STAND_IN):
            return
        place = self.suite.key(*path) if key else self.suite.value(*path)
        hint = suggestion(name, names)
        message = f"{self.unit.name!r} has no {what} {name!r}"
        self.findings.error("unknown-target", message, place, hint=hint)

    def _stubs(self) -> None:
        stubs = self.suite.spec.stubs
        if stubs is None:
            return
        if stubs.now is not None:
            self._moment(stubs.now)
        for name, answers in (stubs.tools or {}).items():
            path = ("stubs", "tools", name)
            self._unknown("tool", name, self._callable(), path, key=True)
            tool = self._tool(name)
            for index, stub in enumerate(answers):
                if stub.when is not None and tool is not None:
                    self._when(stub.when, (*path, index, "when"), {"args": received_shape(tool.model)})
                if stub.status is not None and tool is not None and tool.model.python is not None:
                    message = f"'status' does nothing here: {name!r} is no HTTP tool"
                    place = self.suite.key(*path, index, "status")
                    self.findings.error("lonely-key", message, place, hint="take it out")
        self._scripts("model", "models", stubs.models or {}, QUESTION)
        self._scripts("retriever", "retrievers", stubs.retrievers or {}, SEARCH)
        if stubs.memory is not None and self.unit.memory is None and "memory" not in self.unit.broken:
            message = f"{self.unit.name!r} remembers nothing"
            self.findings.error("no-effect", message, self.suite.key("stubs", "memory"), hint="take it out")

    def _scripts(self, what: str, plural: str, stubs: Mapping[str, Sequence[Any]], read: Mapping[str, Shape]) -> None:
        """What models say and retrievers find: whose it is, and what their conditions read."""
        for name, answers in stubs.items():
            path = ("stubs", plural, name)
            self._unknown(what, name, self._names(plural), path, key=True)
            for index, stub in enumerate(answers):
                if stub.when is not None:
                    self._when(stub.when, (*path, index, "when"), read)

    def _moment(self, now: str) -> None:
        try:
            zone = datetime.fromisoformat(now).tzinfo
        except ValueError:
            zone = None
        if zone is None:
            hint = "write it as 2026-03-01T09:00:00+08:00"
            message = f"{now!r} is no time with its zone"
            self.findings.error("type-mismatch", message, self.suite.value("stubs", "now"), hint=hint)

    def _when(self, when: str, path: Path, read: Mapping[str, Shape]) -> None:
        _, problems = check_expression(when, read)
        for problem in problems:
            place = self.suite.document.places.inside(path, problem.offset)
            self.findings.error(problem.code, problem.message, place, hint=problem.hint)

    def _names(self, plural: str) -> set[str]:
        return _named(self.unit, plural)

    def _callable(self) -> set[str]:
        """The tools that a case may call: those of procedures that are run too."""
        return {name for unit in all_run(self.unit) for name in _named(unit, "tools")}

    def _tool(self, name: str) -> Part | None:
        found = (unit.find("tools", name) for unit in all_run(self.unit))
        return next((part for part in found if part is not None), None)

    def _ids(self, key: str) -> set[str]:
        items = self.unit.lists.get(key, ())
        named = {item.model.id or getattr(item.model, "flow", "") for item in items}
        return named | self.unit.broken.get(key, set())

    def _user(self, case: Any, path: Path) -> None:
        for name in (case.session.user if case.session else None) or {}:
            if "user" not in self.unit.broken:
                known = {*USER, *self.unit.user}
                self._unknown("user attribute", name, known, (*path, "session", "user", name), key=True)

    def _model(self, named: NamedModel | None, allowing: Sequence[str], path: Path) -> None:
        """The one model that a start or a message names, where the Agent lets it, at a server of its models."""
        if named is None:
            return
        allowed = self.unit.model_override or ""
        if allowed not in allowing and "model_override" not in self.unit.broken:
            message = f"{self.unit.name!r} lets no {path[-2]} name a model"
            hint = f"write `model_override: {allowing[0]}` at the Agent, or take it out"
            self.findings.error("model-not-allowed", message, self.suite.key(*path), hint=hint)
        if named.server is not None:
            known = {model(part).server for part in self.unit.visible.get("models", {}).values()}
            lost = {ANY_NAME} if any(member.broken.get("models") for member in self.unit.closure()) else set()
            self._unknown("models at server", named.server, sorted(known | lost), (*path, "server"))

    def _turn(self, turn: Any, path: Path) -> None:
        if turn.message is not None and self.unit.kind == "Agent":
            self._model(turn.message.model, ("message",), (*path, "message", "model"))
        if turn.message is not None and self.unit.kind == "Agent" and "message" not in self.unit.broken:
            declared = self.unit.message
            if turn.message.type is not None:
                types = (declared.types if declared else None) or MESSAGE_TYPES
                self._unknown("message type", turn.message.type, types, (*path, "message", "type"))
            for name in turn.message.metadata or {}:
                known = (declared.metadata if declared else None) or {}
                self._unknown("metadata field", name, known, (*path, "message", "metadata", name), key=True)
        if turn.expect is not None:
            self._expect(turn.expect, (*path, "expect"))

    def _expect(self, expect: Expect, path: Path) -> None:
        if self.unit.kind == "Agent":
            self._expect_of_turn(expect, path)
        what = "slot or argument" if self.unit.kind == "Agent" else "argument"
        for index, name in enumerate(expect.missing or ()):
            self._unknown(what, name, self._names("slots") | self._arguments(), (*path, "missing", index))
        for index, call in enumerate(expect.calls or ()):
            self._call(call, (*path, "calls", index))
        for name in expect.cells or {}:
            tool, _, key = name.partition(".")
            known = [f"{part.name}.{cell}" for part in self._tools() for cell in part.model.produces or ()]
            if not self.unit.is_broken("tools", tool):
                self._unknown("cell", f"{tool}.{key}", known, (*path, "cells", name), key=True)

    def _expect_of_turn(self, expect: Expect, path: Path) -> None:
        if expect.gate is not None:
            self._unknown("gate", expect.gate, self._ids("gates"), (*path, "gate"))
        if expect.route is not None:
            self._unknown("route", expect.route, self._ids("routes"), (*path, "route"))
        for name in expect.slots or {}:
            self._unknown("slot", name, self._names("slots"), (*path, "slots", name), key=True)
        matches = expect.reply.matches if expect.reply is not None else None
        if matches is not None and (problem := pattern_problem(matches)):
            place = self.suite.value(*path, "reply", "matches")
            self.findings.error("bad-pattern", problem[0], place, hint=problem[1])

    def _tools(self) -> Iterable[Any]:
        return self.unit.visible.get("tools", {}).values()

    def _arguments(self) -> set[str]:
        lost = {ANY_NAME} if any(member.broken.get("tools") for member in self.unit.closure()) else set()
        return lost | {name for tool in self._tools() for name in tool.model.input or ()}

    def _call(self, call: Any, path: Path) -> None:
        self._unknown("tool", call.tool, self._callable(), (*path, "tool"))
        tool = self._tool(call.tool)
        for name in call.args or {}:
            if tool is None:
                return
            self._unknown(
                f"argument of {call.tool!r} named", name, tool.model.input or (), (*path, "args", name), key=True
            )


def _named(unit: Unit, plural: str) -> set[str]:
    broken = {name for member in unit.closure() for name in member.broken.get(plural, ())}
    return {*unit.visible.get(plural, {}), *broken}
