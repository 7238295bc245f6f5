"""What a procedure is given that another runs, as the record keeps it: short, and without what is sensitive."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from interlock.interpreter.cells import kept
from interlock.plan.marks import MASK
from interlock.plan.steps import CallStep, ReceiveStep, RunStep, steps_in

if TYPE_CHECKING:
    from interlock.interpreter.work.state import Json
    from interlock.plan.base import Field
    from interlock.plan.plan import Plan


def shown(plan: "Plan", step: RunStep, given: "Json", origins: "Json") -> "Json":
    """The input by name; long values as their digest, and what is declared sensitive, here or there, masked."""
    return {
        name: MASK if name in step.masked or any(_hidden(plan, origins[name])) else kept(value)
        for name, value in given.items()
    }


def _hidden(plan: "Plan", origin: "Json") -> Iterator[bool]:
    """Whether each place is sensitive that a value is from, or has come along."""
    ends = (end.get("source", "") for end in origin.get("made_of", ()))
    for path in (origin["source"], *origin.get("reads", ()), *ends):
        yield any(_is_sensitive(field) for field in _declared(plan, path))


def _declared(plan: "Plan", path: str) -> "Iterator[Field]":
    """The fields that a place may hold, as far as this plan declares it."""
    root, name, *rest = [*path.split("."), "", ""]
    if root == "input" and plan.work is not None:
        yield from _named(plan.work.input, name)
    elif root == "cells" and name in plan.tools:
        tool = plan.tools[name]
        for key in [rest[0]] if rest[0] else tool.produces:
            yield from _named(tool.output or {}, tool.produces[key].at.partition(".")[0])
    elif root == "steps" and plan.work is not None:
        for step in steps_in(plan.work.steps):
            if step.id == name and isinstance(step, CallStep):
                yield from _named(plan.tools[step.tool].output or {}, rest[1] if len(rest) > 1 else "")
            elif step.id == name and isinstance(step, ReceiveStep):
                yield from _named(plan.work.events[step.event], rest[1] if len(rest) > 1 else "")


def _named(fields: "dict[str, Any]", name: str) -> "Iterator[Field]":
    """The field of that name, or all of them where a whole is meant."""
    return iter([fields[name]] if name in fields else fields.values() if not name else [])


def _is_sensitive(field: "Field") -> bool:
    inner = [*(field.fields or {}).values(), *([field.items] if field.items is not None else ())]
    return field.sensitive or any(map(_is_sensitive, inner))
