"""Suites of Procedures: what starts a run and is sent to it is as declared, and the tools called first have stubs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.compiler.check_bindings import check_literal
from interlock.compiler.findings import suggestion
from interlock.compiler.walk import flow_steps, ids_of, listed_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Suite
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path
    from interlock.spec.expected import Expect
    from interlock.spec.fields import Field
    from interlock.spec.suite import AskedRetry, Case, ReceivedEvent, Turn


NEEDS = {"wait": "advance", "receive": "receive"}
"""What must happen before a run goes on from a step."""


def check_work_suite(suite: Suite, unit: Unit, findings: Findings) -> None:
    """Every case of a Procedure's Suite."""
    check = _Check(suite, unit, findings)
    for index, case in enumerate(suite.spec.cases):
        check.case(case, ("cases", index))
    check.stubs()


@dataclass(slots=True)
class _Check:
    suite: Suite
    unit: Unit
    findings: Findings

    def case(self, case: Case, path: Path) -> None:
        """The input, and every turn."""
        if not self.unit.broken.get("input"):
            self._given("input", case.input or {}, self.unit.input, (*path, "input"), (*path, "id"))
        for number, turn in enumerate(case.turns):
            self._turn(turn, (*path, "turns", number))

    def _turn(self, turn: Turn, path: Path) -> None:
        if turn.receive is not None:
            self._receive(turn.receive, (*path, "receive"))
        if turn.retry is not None:
            self._retry(turn.retry, (*path, "retry"))
        if turn.expect is not None and self.unit.steps is not None:
            self._expect(turn.expect, (*path, "expect"))

    def _unknown(self, what: str, name: str, known: Iterable[str], path: Path, *, key: bool = False) -> bool:
        names = list(known)
        if name not in names:
            place = self.suite.key(*path) if key else self.suite.value(*path)
            message = f"{self.unit.name!r} has no {what} {name!r}"
            self.findings.error("unknown-target", message, place, hint=suggestion(name, names))
        return name not in names

    def _given(
        self, what: str, given: Mapping[str, Any], fields: Mapping[str, Field], path: Path, missing_at: Path
    ) -> None:
        """Values against what is declared."""
        for name, value in given.items():
            if name in fields:
                whole = fields[name].model_copy(update={"stored": False})
                check_literal(self.suite, (*path, name), value, whole, self.findings)
            else:
                self._unknown(what, name, fields, (*path, name), key=True)
        for name, field in fields.items():
            if name not in given and not field.optional and field.default is None:
                message = f"{what} {name!r} of {self.unit.name!r} is not given"
                hint = f"write `{path[-1]}: {{{name}: …}}`"
                self.findings.error("unbound-argument", message, self.suite.value(*missing_at), hint=hint)

    # -- what happens -------------------------------------------------------------------------------------------------

    def _receive(self, event: ReceivedEvent, path: Path) -> None:
        unit = self._run_by(event.run, path)
        if unit is None or unit.broken.get("events"):
            return
        inner = _Check(self.suite, unit, self.findings)
        if not inner._unknown("event", event.event, unit.events, (*path, "event")):
            fields = unit.events[event.event]
            inner._given("data", event.data or {}, fields, (*path, "data"), (*path, "event"))

    def _retry(self, retry: AskedRetry, path: Path) -> None:
        unit = self._run_by(retry.run, path)
        if unit is None or unit.steps is None:
            return
        inner = _Check(self.suite, unit, self.findings)
        effects = {**_ids(unit, "call"), **_ids(unit, "run")}
        for instance in retry.resolved or {}:
            if instance.rpartition("/")[2] not in effects:
                inner._unknown("call", instance, effects, (*path, "resolved", instance), key=True)

    def _run_by(self, run: str | None, path: Path) -> Unit | None:
        """The procedure that is meant, by the steps and passes that lead to it: `hires[E-7]/onboard/post`."""
        unit: Unit | None = self.unit
        for part in run.split("/") if run is not None else ():
            if unit is None or unit.steps is None:
                return None
            in_a_pass = part.endswith("]")
            what, name = ("for_each", part.partition("[")[0]) if in_a_pass else ("run", part.partition("~")[0])
            inner, steps = _Check(self.suite, unit, self.findings), _ids(unit, what)
            if inner._unknown(f"`{what}` step", name, steps, (*path, "run")):
                return None
            unit = unit if in_a_pass else unit.procedures.get(steps[name].model.run)
        return unit

    # -- what is expected ---------------------------------------------------------------------------------------------

    def _expect(self, expect: Expect, path: Path) -> None:
        if expect.failure is not None and expect.failure.step is not None:
            known = {*_ids(self.unit), "result", "deadline"}
            self._unknown("step", expect.failure.step, known, (*path, "failure", "step"))
        for index, instance in enumerate(expect.undone or ()):
            undoable = [name for name, step in _ids(self.unit).items() if step.undoing]
            name = instance.rpartition("/")[2]
            self._unknown("step with `compensate`", name, undoable, (*path, "undone", index))
        for name in expect.result or {}:
            self._unknown("result", name, self._results(), (*path, "result", name), key=True)

    def _results(self) -> set[str]:
        ends = (step.model.end for step in _ids(self.unit, "end").values())
        declared = self.unit.work.result if self.unit.work is not None else None
        return {*(declared or {}), *(name for end in ends for name in end)}

    # -- the world ----------------------------------------------------------------------------------------------------

    def stubs(self) -> None:
        """The first tool without a stub on the way that every case goes: no case can come further."""
        stubs = (self.suite.spec.stubs.tools if self.suite.spec.stubs else None) or {}
        events = {key for case in self.suite.spec.cases for turn in case.turns for key in turn.model_fields_set}
        for name in _straight(self.unit, events):
            if name == STOP:
                return
            answers = stubs.get(name)
            if answers is None:
                message = f"the cases call {name!r}, and no stub answers"
                hint = f"write `stubs: {{tools: {{{name}: [{{payload: …}}]}}}}`"
                self.findings.warning("no-stub", message, self.suite.value("of"), hint=hint)
            if not any("payload" in stub.model_fields_set for stub in answers or ()):
                return


def _ids(unit: Unit, action: str = "") -> dict[str, Written]:
    """The steps of a procedure by id, those of one action if it is named."""
    assert unit.steps is not None
    ids = ids_of(unit.steps)
    return {ids[step.path]: step for step in flow_steps(unit.steps) if action in ("", step.action)}


STOP = ""
"""No case is sure to come further."""


def _straight(unit: Unit, events: set[str], above: frozenset[str] = frozenset()) -> Iterator[str]:
    """The tools that a run calls in any case, in order, as far as the events of a Suite can bring it."""
    if unit.steps is not None and unit.name not in above:
        yield from _called(unit, listed_steps(unit.steps), events, above | {unit.name})


def _called(unit: Unit, steps: Sequence[Written], events: set[str], above: frozenset[str]) -> Iterator[str]:
    for step in steps:
        model = step.model
        if model.when is not None or step.action in ("switch", "for_each"):
            continue
        if step.action in ("end", "fail") or NEEDS.get(step.action, "") not in {"", *events}:
            yield STOP
        if step.action == "call":
            yield model.call
        elif step.action == "run" and (child := unit.procedures.get(model.run)) is not None:
            yield from _straight(child, events, above)
        for inner in step.inner:
            yield from _called(unit, inner, events, above)
