"""The sites of an Agent's own lists and flows, and of a spec's head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from interlock.compiler.scopes import Scopes, step_result
from interlock.compiler.site import Place, Site
from interlock.compiler.sites_of_parts import caller_shapes
from interlock.compiler.walk import Written, flow_steps, step_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.units import Item, Part, Unit
    from interlock.expressions.shapes import Shape


def head_sites(unit: Unit, scopes: Scopes) -> Iterator[Site]:
    """The title of a spec."""
    yield from Place(unit, scopes.base).text(unit.title, "title")


def list_sites(unit: Unit, scopes: Scopes) -> Iterator[Site]:
    """Mounts, gates and routes."""
    place = Place(unit, scopes.base)
    for item in unit.mounts:
        shapes = caller_shapes(unit.find("tools", item.model.call))
        yield from place.values(item.model.with_, "mounts", item.index, "with", wanted=shapes)
    for item in unit.gates:
        yield from _gate(place, item, scopes)
    for item in unit.routes:
        yield from place.expression(item.model.when, "routes", item.index, "when")


def _gate(place: Place, item: Item, scopes: Scopes) -> Iterator[Site]:
    gate, path = item.model, ("gates", item.index)
    yield from place.text(gate.title, *path, "title")
    yield from place.expression(gate.when, *path, "when")
    for key in ("usage", "reply", "ask", "refuse", "handoff"):
        yield from place.text(getattr(gate, key), *path, key)
    yield from place.texts(gate.options, *path, "options")
    slots = {name: place.unit.find("slots", name) for name in gate.assume or ()}
    wanted = {name: scopes.slot(part) for name, part in slots.items() if part}
    yield from place.values(gate.assume, *path, "assume", wanted=wanted)


def flow_sites(flow: Part, scopes: Scopes) -> Iterator[Site]:
    """All steps of one flow; each sees the results of the calls written before it."""
    steps = flow_steps(flow)
    ids = step_ids(steps)
    results: dict[str, tuple[int, Shape]] = {}
    for number, step in enumerate(steps):
        scope = scopes.steps(Earlier(results, number), caught=step.caught)
        yield from _step(Place(flow.unit, scope, reads=True, owner=flow), step)
        if step.action == "call":
            tool = flow.unit.find("tools", step.model.call)
            result = step_result(tool.model if tool else None, expanded=bool(step.model.expand))
            results.setdefault(ids[step.path], (number, result))


class Earlier(Mapping[str, "Shape"]):
    """The results of the calls written before a step, out of those of the whole flow, which all its steps share."""

    def __init__(self, results: Mapping[str, tuple[int, Shape]], number: int) -> None:
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


def _step(place: Place, step: Written) -> Iterator[Site]:
    model, path = step.model, step.path
    yield from place.text(model.title, *path, "title")
    yield from place.expression(model.when, *path, "when")
    match step.action:
        case "call":
            shapes = caller_shapes(place.unit.find("tools", model.call))
            yield from place.values(model.with_, *path, "with", wanted=shapes)
        case "reply" | "refuse" | "handoff":
            yield from place.text(getattr(model, step.action), *path, step.action)
            yield from place.texts(getattr(model, "options", None), *path, "options")
        case "set":
            yield from place.values(model.set, *path, "set", wanted={})
        case "respond" if model.result is not None:
            yield from place.source(model.result, *path, "result")
        case "switch":
            for index, branch in enumerate(model.switch):
                yield from place.expression(branch.when, *path, "switch", index, "when")
