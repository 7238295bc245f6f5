"""What models wrote, and where it goes: into results, variables, items of loops, and the input of procedures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.compiler.running_order import in_running_order
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import flow_steps, ids_of
from interlock.compiler.written import strings
from interlock.expressions.paths import paths_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.compiler.keyed_calls import Read
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

Origin: TypeAlias = "tuple[Unit, Written]"
"""The step that asks the model."""

_Where: TypeAlias = "tuple[str, Read]"
"""A path of the context, and the flow that alone can read it; no flow, where all can."""


class ModelTexts:
    """By spec and path of its context, the step whose model wrote what stands there.

    What a condition finds out is none of it, and neither is what a table gives, unless the table copies it.
    """

    def __init__(self, project: Project) -> None:
        self._known: dict[Unit, dict[_Where, Origin]] = {unit: dict(_asking(unit)) for unit in project.runnable}
        self._given_back: dict[Unit, Origin] = {}
        if any(self._known.values()):
            while self._followed(project):
                pass

    def behind(self, unit: Unit, value: Any, flow: str = "") -> Origin | None:
        """The step whose model wrote a part of what `value` is made of."""
        return self.behind_reads(unit, _made_of(unit, value), flow)

    def behind_reads(self, unit: Unit, reads: Iterable[Read], flow: str = "") -> Origin | None:
        """The same, of paths that are read."""
        known = self._known[unit]
        for read in reads if known else ():
            for where in (("", read[:1]), ("", read[:2]), (flow, read[:1]), (flow, read[:2])):
                if where in known:
                    return known[where]
        return None

    def _followed(self, project: Project) -> bool:
        """Whether more was found: who runs a procedure is asked before it, for its input; then after it."""
        units = in_running_order(project.procedures)
        order = [*project.agents, *reversed(units), *units]
        return sum(map(self._through, order)) > 0

    def _through(self, unit: Unit) -> bool:
        before = len(self._known[unit]), unit in self._given_back
        for flow in unit.parts("flows").values():
            ids = ids_of(flow)
            for step in flow_steps(flow):
                self._step(unit, step, ids[step.path])
        self._gives(unit, (unit.work.result if unit.work else None) or {}, "")
        return before != (len(self._known[unit]), unit in self._given_back)

    def _step(self, unit: Unit, step: Written, own: str) -> None:
        flow, model = flow_at(step.path), step.model
        match step.action:
            case "set":
                for name, value in model.set.items():
                    self._learn(unit, ("", ("vars", name)), self.behind(unit, value, flow))
            case "for_each":
                self._learn(unit, (flow, (model.for_each.as_,)), self.behind(unit, model.for_each.items, flow))
            case "end":
                self._gives(unit, model.end, flow)
            case "run" if model.run in unit.procedures:
                child = unit.procedures[model.run]
                for name, value in _given_to(unit, step).items():
                    self._learn(child, ("", ("input", name)), self.behind(unit, value, flow))
                self._learn(unit, (flow, ("steps", own)), self._given_back.get(child))

    def _learn(self, unit: Unit, where: _Where, origin: Origin | None) -> None:
        if origin is not None and unit in self._known:
            self._known[unit].setdefault(where, origin)

    def _gives(self, unit: Unit, result: Any, flow: str) -> None:
        origin = self.behind(unit, result, flow)
        if origin is not None:
            self._given_back.setdefault(unit, origin)


def flow_at(path: Path) -> str:
    """The flow of an Agent that alone can read the results of its steps; none for what is read everywhere."""
    return str(path[1]) if path[0] == "flows" else ""


def _given_to(unit: Unit, step: Written) -> dict[str, Any]:
    """What a step, and the mount of what it runs, give a procedure."""
    mount = unit.run_mount_of(step.model.run)
    before = (mount.model.with_ or {}) if mount is not None else {}
    return {**before, **(step.model.with_ or {})}


def _asking(unit: Unit) -> Iterator[tuple[_Where, Origin]]:
    for flow in unit.parts("flows").values():
        for step in flow_steps(flow):
            if step.action == "generate":
                yield (flow_at(step.path), ("steps", ids_of(flow)[step.path])), (unit, step)


def _made_of(unit: Unit, value: Any) -> Iterator[Read]:
    """The context paths that a value copies or is computed of."""
    for _, text in strings(value, ()):
        for read in paths_of(text, template=True):
            if read[0] == "decisions":
                yield from _copied_by_table(unit, read[1:])
            elif read[0] != "conditions":
                yield read


def _copied_by_table(unit: Unit, read: Read) -> Iterator[Read]:
    """What a table gives, or one of its columns, that its author has not written down."""
    part = unit.find("decisions", read[0]) if read else None
    if part is None:
        return
    columns = read[1:2] or tuple(part.model.outputs)
    for site in sites_of(part):
        if site.path[len(part.path)] == "rules" and site.path[-1] in columns:
            yield from paths_of(site.text, template=True)
