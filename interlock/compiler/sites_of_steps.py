"""The sites of steps: of the flows of an Agent, and of a Procedure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from interlock.compiler.scopes import OPEN, Scopes, item_shape, run_result
from interlock.compiler.shapes import fields_shape
from interlock.compiler.site import Place
from interlock.compiler.sites_of_parts import bound_sites
from interlock.compiler.walk import ids_of, listed_steps
from interlock.expressions.shapes import ANY, DATETIME, INTEGER, STRING, Shape, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.compiler.site import Site
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written

GIVEN = {
    "retrieve": object_of({"count": INTEGER, "sources": Shape("list")}),
    "generate": object_of({"text": STRING, "kind": STRING}),
    "act": Shape("list"),
    "plan": Shape("list"),
}
"""What the steps give that search, write and choose; nothing where they were passed over."""

Results = dict[str, tuple[int, Shape]]
"""The results of steps by id, numbered as they are given: what is given later is not there yet."""


class Earlier(Mapping[str, Shape]):
    """The results of the steps before one, out of those that many steps share."""

    def __init__(self, results: Results, number: int) -> None:
        self._results = results
        self._number = number

    def __getitem__(self, name: str) -> Shape:
        number, shape = self._results[name]
        if number >= self._number:
            raise KeyError(name)
        return shape

    def __iter__(self) -> Iterator[str]:
        return (name for name, (number, _) in self._results.items() if number < self._number)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def flow_sites(flow: Part, scopes: Scopes) -> Iterator[Site]:
    """All steps of one flow or procedure; each sees the results of the steps before it."""
    yield from _Steps(flow, scopes).listed(listed_steps(flow), {}, {})


class _Steps:
    """One flow. `roots` are what stands beside the scope of every step: the items of loops, and a caught error."""

    def __init__(self, flow: Part, scopes: Scopes) -> None:
        self._flow = flow
        self._scopes = scopes
        self._number = 0

    def listed(self, steps: Sequence[Written], results: Results, roots: Mapping[str, Shape]) -> Iterator[Site]:
        """The sites of steps in order; `results` grows by what they give, and until it does they share a place."""
        place, given = self._place(results, roots), len(results)
        for step in steps:
            if len(results) != given:
                place, given = self._place(results, roots), len(results)
            yield from self._step(step, place, results, roots)

    def _place(self, results: Results, roots: Mapping[str, Shape]) -> Place:
        scope = {**self._scopes.steps(Earlier(results, self._number)), **roots}
        return Place(self._flow.unit, scope, reads=True, owner=self._flow)

    def _step(self, step: Written, place: Place, results: Results, roots: Mapping[str, Shape]) -> Iterator[Site]:
        yield from _action(place, step, self._scopes)
        inner = {**roots, **self._item(step, place.scope)}
        for steps in step.inner:
            yield from self.listed(steps, dict(results) if step.action == "for_each" else results, inner)
        if (given := given_by(self._flow.unit, step, self._scopes)) is not None:
            results.setdefault(ids_of(self._flow)[step.path], (self._number, given))
            self._number += 1
        if step.undoing:
            yield from self.listed(step.undoing, dict(results), roots)
        for steps in step.catches:
            yield from self.listed(steps, results, {**roots, **self._scopes.caught})

    def _item(self, step: Written, scope: Mapping[str, Shape]) -> dict[str, Shape]:
        if step.action != "for_each":
            return {}
        loop = step.model.for_each
        return {loop.as_: item_shape(loop.items, scope)}


def given_by(unit: Unit, step: Written, scopes: Scopes) -> Shape | None:
    """What `steps.<id>` holds once a step has ended; nothing for most."""
    match step.action:
        case "call":
            return scopes.called(step.model.call, expanded=bool(step.model.expand))
        case "run":
            return run_result(unit.procedures.get(step.model.run))
        case "generate" if step.model.output is not None:
            return object_of({"result": fields_shape(step.model.output)})
        case "retrieve" | "generate" | "act" | "plan":
            return object_of({"result": replace(GIVEN[step.action], may_be_missing=True)})
        case "receive":
            event = unit.events.get(step.model.receive)
            return object_of({"result": ANY if event is None else fields_shape(event)})
        case _:
            return None


def _action(place: Place, step: Written, scopes: Scopes) -> Iterator[Site]:
    model, path = step.model, step.path
    yield from place.text(model.title, *path, "title")
    yield from place.expression(model.when, *path, "when")
    match step.action:
        case "call":
            yield from _call(place, step, scopes)
        case "run":
            target = place.unit.procedures.get(model.run)
            wanted = fields_shape(target.input).fields or {} if target else {}
            yield from place.values(model.with_, *path, "with", wanted=wanted)
        case "reply" | "refuse" | "handoff" | "fail":
            yield from place.text(getattr(model, step.action), *path, step.action)
            yield from place.texts(getattr(model, "options", None), *path, "options")
        case "retrieve":
            yield from place.value(model.query, *path, "query", wanted=STRING)
        case "generate":
            yield from place.text(model.instructions, *path, "instructions")
            yield from place.values(model.with_, *path, "with", wanted={})
        case "act":
            yield from place.text(model.guidance, *path, "guidance")
            yield from place.text(model.act.handoff, *path, "act", "handoff")
        case "plan":
            yield from place.text(model.guidance, *path, "guidance")
            yield from place.text(model.plan.goal, *path, "plan", "goal")
        case "set" | "end":
            yield from place.values(getattr(model, step.action), *path, step.action, wanted={})
        case "respond" if model.result is not None:
            yield from place.source(model.result, *path, "result")
        case "switch":
            for index, branch in enumerate(model.switch):
                yield from place.expression(branch.when, *path, "switch", index, "when")
        case "for_each":
            yield from _loop(place, step)
        case "wait":
            yield from place.value(model.wait, *path, "wait", wanted=DATETIME)


def _call(place: Place, step: Written, scopes: Scopes) -> Iterator[Site]:
    model, path = step.model, step.path
    yield from bound_sites(place, model.with_, path, place.unit.find("tools", model.call))
    if model.repeat is not None:
        result = scopes.called(model.call, expanded=False).fields or {}
        inner = Place(place.unit, {**place.scope, "result": result["result"].sure()}, owner=place.owner)
        yield from inner.expression(model.repeat.until, *path, "repeat", "until")


def _loop(place: Place, step: Written) -> Iterator[Site]:
    loop, path = step.model.for_each, (*step.path, "for_each")
    yield from place.value(loop.items, *path, "items", wanted=Shape("list"))
    inner = Place(place.unit, {**place.scope, loop.as_: item_shape(loop.items, place.scope)}, owner=place.owner)
    yield from inner.value(loop.key, *path, "key", wanted=STRING)


def results_of(flow: Part, scopes: Scopes) -> dict[str, Shape]:
    """What `steps` holds when all have ended, whichever of them have run."""
    results: Results = {}
    for _ in _Steps(flow, scopes).listed(listed_steps(flow), results, {}):
        pass
    return {name: shape for name, (_, shape) in results.items()}


def procedure_sites(place: Place, scopes: Scopes) -> Iterator[Site]:
    """What a Procedure's head computes; its result sees the results of all its steps but those within loops."""
    unit, work = place.unit, place.unit.work
    if work is None:
        return
    yield from place.value(work.requester, "requester", wanted=STRING)
    yield from place.value(work.language, "language", wanted=STRING)
    steps = (
        object_of(results_of(unit.steps, scopes)) if unit.steps is not None and not unit.broken.get("flows") else OPEN
    )
    place = Place(unit, {**place.scope, "steps": steps})
    yield from place.values(work.result, "result", wanted={})
