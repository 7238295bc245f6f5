"""Which slots a flow or a call needs: those it collects or expands, and those that its arguments are made from."""

from collections.abc import Iterator
from typing import Any

from interlock.plan.plan import Plan
from interlock.plan.steps import (
    ActStep,
    CallStep,
    CollectStep,
    FlowStep,
    GenerateStep,
    PlanStep,
    RetrieveStep,
    RunStep,
    SetStep,
    Step,
    steps_in,
)
from interlock.plan.templates import paths_in


def needs_of_flow(plan: Plan, flow: str) -> frozenset[str]:
    """The slots that a flow needs, with all the flows it leads to."""
    return frozenset(_of_flow(plan, flow, {flow}))


def needs_of_tool(plan: Plan, tool: str) -> frozenset[str]:
    """The slots that a call of a mounted tool needs."""
    return frozenset(_of_target(plan, tool))


def _of_flow(plan: Plan, name: str, seen: set[str]) -> Iterator[str]:
    for step in steps_in(plan.flows[name]):
        if not isinstance(step, FlowStep):
            yield from _of_step(plan, step)
        elif step.flow not in seen:
            seen.add(step.flow)
            yield from _of_flow(plan, step.flow, seen)


def _of_step(plan: Plan, step: Step) -> Iterator[str]:
    match step:
        case CollectStep():
            yield from step.slots
        case CallStep():
            yield from step.expand
            yield from _slots_in(step.bind)
            yield from _of_target(plan, step.tool)
        case RunStep():
            yield from _slots_in(step.bind)
            yield from _of_target(plan, step.procedure)
        case ActStep():
            for name in (*step.tools, *step.procedures):
                yield from _of_target(plan, name)
        case PlanStep():
            for name in step.actions:
                yield from _of_target(plan, name)
        case SetStep():
            yield from _slots_in(step.values)
        case GenerateStep():
            yield from _slots_in(step.bind)
        case RetrieveStep():
            yield from _slots_in(step.query)


def _of_target(plan: Plan, name: str) -> Iterator[str]:
    """What the arguments of a tool or procedure are made from, as it is mounted."""
    for argument in plan.taking(name).input.values():
        yield from _slots_in(f"{{{{ {argument.source} }}}}" if "." in argument.source else argument.value)
    for mount in plan.mounts:
        if mount.call == name:
            yield from _slots_in(mount.bind)
    if name in plan.runs:
        yield from _slots_in(plan.runs[name].bind)


def _slots_in(value: Any) -> Iterator[str]:
    yield from (path.split(".")[1] for path in paths_in(value) if path.startswith("slots."))
