"""The sites of a spec's head, and of an Agent's own lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.shapes import fields_shape
from interlock.compiler.site import Place, Site
from interlock.compiler.sites_of_parts import bound_sites
from interlock.compiler.sites_of_steps import procedure_sites
from interlock.expressions.shapes import STRING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.scopes import Scopes
    from interlock.compiler.units import Item, Unit


def head_sites(unit: Unit, scopes: Scopes) -> Iterator[Site]:
    """The title of a spec, and what else its head computes."""
    place = Place(unit, scopes.base)
    for key in ("title", "instructions", "fallback"):
        yield from place.text(getattr(unit, key), key)
    if unit.memory is not None:
        yield from place.source(unit.memory.by, "memory", "by", wanted=STRING)
    yield from procedure_sites(Place(unit, scopes.ended), scopes)


def list_sites(unit: Unit, scopes: Scopes) -> Iterator[Site]:
    """Mounts, gates, routes, and the rules that say which model writes."""
    place = Place(unit, scopes.base)
    for item in unit.mounts:
        tool = unit.find("tools", item.model.call)
        yield from bound_sites(place, item.model.with_, ("mounts", item.index), tool)
    for item in unit.run_mounts:
        child = unit.procedures.get(item.model.run)
        shapes = fields_shape(child.input).fields or {} if child else {}
        yield from place.values(item.model.with_, "mounts", item.index, "with", wanted=shapes)
    for item in unit.gates:
        yield from _gate(place, item, scopes)
    for item in unit.routes:
        yield from place.expression(item.model.when, "routes", item.index, "when")
    for item in unit.model_rules:
        yield from place.expression(item.model.when, "model_rules", item.index, "when")


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
