"""Free text, which people say, models and the engine write, and where it goes: variables, items, results, inputs."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.compiler.identifiers import is_identifier
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import flow_steps, ids_of
from interlock.compiler.written import strings
from interlock.expressions.paths import paths_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location

Read: TypeAlias = tuple[str, ...]
"""A path of the context."""

SAID: Read = ("message", "text")

FAULT: Read = ("error", "message")
"""What the engine, a service or an author says of a failure."""

TITLE: Read = ("| show",)
"""What that filter gives: a title, in the reader's language."""

PROSE = (FAULT, TITLE)
"""What the engine writes for people, wherever it may be read."""

_SHOWN = re.compile(r"\|\s*show\b")

RESULT: Read = ("result",)
"""What a procedure gives back."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where free text is from. `place`: where a model is asked, or where what a person said is given to a procedure.

    `by_engine`: it is written for people, and nobody has said it.
    """

    by_model: bool = False
    by_engine: bool = False
    place: Location | None = None


Node: TypeAlias = "tuple[Unit, str, Read]"
"""A path of a spec's context, behind the flow that alone can read it; no flow, where all can."""

_Edge: TypeAlias = "tuple[Node, Node, Location | None]"
"""From where to where free text is carried; the place where it is given to a procedure."""


class FreeTexts:
    """What is free text in the context of every spec.

    What a condition finds out is none, and neither is what a table gives, unless the table copies it.
    """

    def __init__(self, project: Project) -> None:
        carried: defaultdict[Node, list[tuple[Node, Location | None]]] = defaultdict(list)
        for unit in project.everything:
            for here, there, place in _carried(unit):
                carried[here].append((there, place))
        self._known = {node: origin for unit in project.everything for node, origin in _first(unit)}
        waiting = list(self._known.items())
        for node, origin in waiting:
            for there, place in carried[node]:
                if there not in self._known:
                    kept = place is None or origin.by_model
                    self._known[there] = origin if kept else replace(origin, place=place)
                    waiting.append((there, self._known[there]))

    def behind(self, unit: Unit, value: Any, flow: str = "") -> tuple[Read, Origin] | None:
        """The first free text among what `value` is made of, and where it is from."""
        for node in _nodes(unit, value, flow):
            if node in self._known:
                return node[2], self._known[node]
        return None


def _nodes(unit: Unit, value: Any, flow: str) -> Iterator[Node]:
    """The places in the context that hold what a value is made of."""
    for read in _made_of(unit, value):
        yield unit, "", read[:2]
        yield unit, flow, read[:2]
        yield unit, flow, read[:1]


def _carried(unit: Unit) -> Iterator[_Edge]:
    """From where to where a spec's steps carry values, those to and from procedures too."""
    for flow in unit.parts("flows").values():
        ids = ids_of(flow)
        for step in flow_steps(flow):
            for value, there in _taken(unit, step):
                yield from ((here, there, None) for here in _nodes(unit, value, flow_at(step.path)))
            if step.action == "run" and (child := unit.procedures.get(step.model.run)) is not None:
                yield (child, "", RESULT), (unit, flow_at(step.path), ("steps", ids[step.path])), None
    for path, model in runs_of(unit):
        yield from _given(unit, path, model)
    for value in ((unit.work.result if unit.work else None) or {}).values():
        yield from ((here, (unit, "", RESULT), None) for here in _nodes(unit, value, ""))


def _taken(unit: Unit, step: Written) -> Iterator[tuple[Any, Node]]:
    """The values that a step keeps, and where."""
    flow, model = flow_at(step.path), step.model
    match step.action:
        case "set":
            yield from ((value, (unit, "", ("vars", name))) for name, value in model.set.items())
        case "for_each":
            yield model.for_each.items, (unit, flow, (model.for_each.as_,))
        case "end":
            yield model.end, (unit, "", RESULT)


def _given(unit: Unit, path: Path, model: Any) -> Iterator[_Edge]:
    """What a procedure is given; that an identifier is none is told there, once, and not of what it goes into."""
    child = unit.procedures.get(model.run)
    for name, value in (model.with_ or {}).items() if child is not None else ():
        if child is not None and name in child.input and not is_identifier(name, child.input[name]):
            place = unit.value(*path, "with", name)
            for here in _nodes(unit, value, flow_at(path)):
                yield here, (child, "", ("input", name)), place


def flow_at(path: Path) -> str:
    """The flow of an Agent that alone can read the results of its steps; none for what is read everywhere."""
    return str(path[1]) if path[0] == "flows" else ""


def runs_of(unit: Unit) -> Iterator[tuple[Path, Any]]:
    """The mounts and steps that run procedures, each with its path."""
    yield from ((("mounts", item.index), item.model) for item in unit.run_mounts)
    for flow in unit.parts("flows").values():
        yield from ((step.path, step.model) for step in flow_steps(flow) if step.action == "run")


def _first(unit: Unit) -> Iterator[tuple[Node, Origin]]:
    """What is free text from the beginning: the message, what the engine writes for people, and what models write."""
    yield (unit, "", SAID), Origin()
    yield from (((unit, "", read), Origin(by_engine=True)) for read in PROSE)
    for flow in unit.parts("flows").values():
        for step in flow_steps(flow):
            if step.action == "generate":
                node = unit, flow_at(step.path), ("steps", ids_of(flow)[step.path])
                yield node, Origin(by_model=True, place=unit.key(*step.path, "generate"))


def _made_of(unit: Unit, value: Any) -> Iterator[Read]:
    """The context paths that a value copies or is computed of."""
    for _, text in strings(value, ()):
        if "{" not in text:
            continue
        if _SHOWN.search(text):
            yield TITLE
        for read in paths_of(text, template=True):
            part = unit.find("decisions", read[1]) if read[0] == "decisions" and len(read) > 1 else None
            if part is not None:
                yield from _copied_by_table(part, read[2:])
            elif read[0] != "conditions":
                yield read


def _copied_by_table(table: Part, column: Read) -> Iterator[Read]:
    """What a table gives, or one of its columns, that its author has not written down."""
    columns = column[:1] or tuple(table.model.outputs)
    for site in sites_of(table):
        if site.path[len(table.path)] == "rules" and site.path[-1] in columns:
            yield from paths_of(site.text, template=True)
