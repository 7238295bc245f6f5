"""What the procedures of a bundle give back, as shapes: for the specs that run them, and read their results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from interlock.compiler.running_order import in_running_order
from interlock.compiler.sites import own_sites
from interlock.expressions.check import check_value
from interlock.expressions.shapes import ANY, Shape, object_of

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit

CARRIED = frozenset({"string", "integer", "number", "boolean"})
"""Kinds that are the same on the other side; times arrive as texts."""


def learn_results(project: Project, _: Findings) -> None:
    """Each procedure after those that it runs: what leads back to it by a circle is not known."""
    for unit in in_running_order(project.procedures):
        unit.memo["given back"] = _given(unit)


def _given(unit: Unit) -> Shape:
    result = (unit.work.result if unit.work else None) or {}
    scope = next((site.scope for site in own_sites(unit) if site.path[0] == "result"), {})
    return object_of({name: _carried(check_value(value, scope)[0]) for name, value in result.items()})


def _carried(shape: Shape) -> Shape:
    """A value that is there, or none: a result that is missing fails the procedure."""
    if shape.kind == "list":
        return Shape("list", item=_carried(shape.item) if shape.item is not None else None, may_be_none=True)
    if shape.kind == "object" and shape.fields is not None:
        return object_of({name: _carried(inner) for name, inner in shape.fields.items()}, may_be_none=True)
    return replace(Shape(shape.kind, enum=shape.enum) if shape.kind in CARRIED else ANY, may_be_none=True)
