"""What the procedures of a bundle give back, as shapes: for the specs that run them, and read their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.running_order import in_running_order
from interlock.compiler.shapes import carried
from interlock.compiler.sites import own_sites
from interlock.expressions.check import check_value
from interlock.expressions.shapes import Shape, object_of

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit


def learn_results(project: Project, _: Findings) -> None:
    """Each procedure after those that it runs: what leads back to it by a circle is not known."""
    for unit in in_running_order(project.procedures):
        unit.memo["given back"] = _given(unit)


def _given(unit: Unit) -> Shape:
    result = (unit.work.result if unit.work else None) or {}
    scope = next((site.scope for site in own_sites(unit) if site.path[0] == "result"), {})
    return object_of({name: carried(check_value(value, scope)[0]) for name, value in result.items()})
