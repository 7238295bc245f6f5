"""What of a plan is sensitive: all that it declares so, and all that is copied or computed from it.

Marks begin with a root of the context, or with one of these: `inputs` is what tools and procedures take, by name,
`tools` and `runs` what they give, `events` the data of events, `gives` the result of the procedure itself. What a tool,
a procedure or a model makes of what it is given is sensitive only where it is declared so.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from interlock.plan.base import Field, Value
from interlock.plan.marks import ANY, Mark, Marks
from interlock.plan.plan import Plan
from interlock.plan.steps import (
    ActStep,
    CallStep,
    EndStep,
    ForEachStep,
    GenerateStep,
    PlanStep,
    ReceiveStep,
    RunStep,
    SetStep,
    Step,
    steps_in,
)
from interlock.plan.templates import only_path, paths_in
from interlock.plan.tools import Argument, Tool

DEEPEST = 12
"""How long a mark may become; one that grows in a circle of copies counts as a whole from there on."""

WITHOUT_PATH = frozenset({"caller", "value", "model"})
"""Sources of arguments that are no path."""


class Copy(NamedTuple):
    """What stands at `target` is that at the path `source`, or is made of all that `reads` names."""

    target: Mark
    source: Mark = ()
    reads: frozenset[str] = frozenset()

    def marks(self, known: Marks) -> Iterator[Mark]:
        """The marks of the target that follow from those known."""
        if self.source:
            yield from ((*self.target, *rest)[:DEEPEST] for rest in known.within(self.source))
        elif known.touch(self.reads):
            yield self.target


def sensitive_in(plan: Plan) -> Marks | None:
    """The marks of a plan; None for one that declares nothing sensitive."""
    found = set(_declared(plan))
    if not found:
        return None
    copies = [*_copies(plan)]
    while True:
        marks = Marks(found)
        more = {mark for copy in copies for mark in copy.marks(marks)} - found
        if not more:
            return marks
        found |= more


def given_back(plan: Plan) -> tuple[str, ...]:
    """The dotted paths of what is sensitive in the result of a procedure."""
    marks = sensitive_in(plan)
    return tuple(".".join(mark) for mark in marks.within(("gives",))) if marks is not None else ()


# -- declared ---------------------------------------------------------------------------------------------------------


def _declared(plan: Plan) -> Iterator[Mark]:
    yield from _fields(("user",), plan.user)
    yield from _fields(("message", "metadata"), plan.message.metadata)
    yield from (("slots", name) for name, slot in plan.slots.items() if slot.sensitive)
    for name, tool in plan.tools.items():
        yield from _fields(("tools", name), tool.output or {})
    for name, inputs in _takings(plan):
        yield from _fields(("args",), inputs)
        yield from _fields(("inputs", name), inputs)
    for name, decision in plan.decisions.items():
        yield from _fields(("decisions", name), decision.outputs)
    for name, mount in plan.runs.items():
        yield from (("runs", name, *path.split(".")) for path in mount.hides)
    if plan.work is not None:
        yield from _fields(("input",), plan.work.input)
        for name, event in plan.work.events.items():
            yield from _fields(("events", name), event)
    for step in _steps(plan):
        result = ("steps", step.id, "result")
        if isinstance(step, GenerateStep):
            yield from _fields(result, step.output or {})
        elif isinstance(step, RunStep):
            yield from ((*result, *path.split(".")) for path in step.hides)
            yield from (("inputs", step.procedure, name) for name in step.masked)


def _fields(at: Mark, fields: Mapping[str, Field]) -> Iterator[Mark]:
    for name, field in fields.items():
        yield from _field((*at, name), field)


def _field(at: Mark, field: Field) -> Iterator[Mark]:
    if field.sensitive:
        yield at
        return
    yield from _fields(at, field.fields or {})
    if field.items is not None:
        yield from _field((*at, ANY), field.items)


def _takings(plan: Plan) -> Iterator[tuple[str, Mapping[str, Argument]]]:
    yield from ((name, one.input) for name, one in plan.tools.items())
    yield from ((name, one.input) for name, one in plan.runs.items())


def _steps(plan: Plan) -> Iterator[Step]:
    for steps in (*plan.flows.values(), plan.work.steps if plan.work is not None else ()):
        yield from steps_in(steps)


# -- copied and computed ----------------------------------------------------------------------------------------------


def _copies(plan: Plan) -> Iterator[Copy]:
    for name, tool in plan.tools.items():
        yield from _of_tool(name, tool)
    for _, inputs in _takings(plan):
        for name, argument in inputs.items():
            if argument.source in WITHOUT_PATH:
                yield _made(("args", name), argument.value)
            else:
                yield Copy(("args", name), tuple(argument.source.split(".")))
    for bind in _binds(plan):
        yield from _named("args", bind)
    for name, slot in plan.slots.items():
        yield _made(("slots", name), slot.assume)
        yield _made(("slots", name), slot.default)
    for gate in plan.gates:
        yield from _named("slots", gate.assume)
    for name, decision in plan.decisions.items():
        for row in decision.rows:
            yield from (_made(("decisions", name, column), value) for column, value in row.then.items())
    for step in _steps(plan):
        yield from _of_step(step)
    if plan.work is not None:
        yield from _named("gives", plan.work.gives)


def _of_tool(name: str, tool: Tool) -> Iterator[Copy]:
    result = ("tools", name)
    yield Copy(("result",), result)
    yield Copy(("payload", *_parts(tool.unwrap)), result)
    for key, produces in tool.produces.items():
        yield Copy(("cells", name, key), (*result, *_parts(produces.at)))


def _of_step(step: Step) -> Iterator[Copy]:
    result = ("steps", step.id, "result")
    match step:
        case CallStep():
            yield Copy((*result, ANY) if step.expand else result, ("tools", step.tool))
        case ActStep() | PlanStep():
            names = (*step.tools, *step.procedures) if isinstance(step, ActStep) else step.actions
            yield from (Copy((*result, ANY), (kind, name)) for name in names for kind in ("tools", "runs"))
        case ReceiveStep():
            yield Copy(result, ("events", step.event))
        case SetStep():
            yield from _named("vars", step.values)
        case ForEachStep():
            yield _made((step.variable,), step.each, (ANY,))
        case EndStep():
            yield from _named("gives", step.gives)


def _binds(plan: Plan) -> Iterator[Mapping[str, Value]]:
    yield from (mount.bind for mount in plan.mounts)
    yield from (step.bind for step in _steps(plan) if isinstance(step, CallStep))
    yield from (condition.bind for condition in plan.conditions.values())
    for tool in plan.tools.values():
        yield from (check.bind for check in (*tool.requires, *tool.ensures))
        if tool.read_back is not None:
            yield tool.read_back.bind


def _named(root: str, values: Mapping[str, Value]) -> Iterator[Copy]:
    return (_made((root, name), value) for name, value in values.items())


def _made(target: Mark, value: Any, within: Mark = ()) -> Copy:
    """A value by template: one that is just a path is a copy, part by part."""
    path = only_path(value)
    return Copy(target, (*path.split("."), *within)) if path else Copy(target, reads=paths_in(value))


def _parts(path: str) -> Mark:
    return tuple(path.split(".")) if path else ()
