"""Every step of flows and procedures, in the order written, with its place and id."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from interlock.spec.steps import (
    ACTIONS,
    CallStep,
    DoStep,
    FlowStep,
    ForEachStep,
    ParallelStep,
    ReceiveStep,
    RespondStep,
    RunStep,
    SwitchStep,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path

NAMED = frozenset({"call", "run", "receive"})
"""Actions whose result others read by the step's id."""

UNDOABLE = (CallStep, RunStep, DoStep)
"""Steps that may say what undoes them."""

_ACTION_OF = {model: action for action, model in ACTIONS.items()}


@dataclass(frozen=True, slots=True)
class Written:
    """A step as written; `caught` says that it stands within a `catch`."""

    model: Any
    path: Path
    caught: bool
    action: str = field(init=False)
    """Its action key; worked out once, since every check asks for it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "action", _ACTION_OF[type(self.model)])

    def lists(self) -> Iterator[tuple[Path, Sequence[Any]]]:
        """The lists of steps within it, as they run; what undoes it and its catches are not among them."""
        model, path = self.model, self.path
        match model:
            case SwitchStep():
                for index, branch in enumerate(model.switch):
                    yield (*path, "switch", index, "do"), branch.do
            case ParallelStep():
                for name, steps in model.parallel.items():
                    yield (*path, "parallel", name), steps
            case ForEachStep():
                yield (*path, "for_each", "do"), model.for_each.do
            case DoStep():
                yield (*path, "do"), model.do
            case _:
                return

    @property
    def undoing(self) -> Sequence[Any]:
        """The steps that undo it."""
        return (self.model.compensate or ()) if isinstance(self.model, UNDOABLE) else ()

    @property
    def target(self) -> str:
        """The name it acts on, where its action has one; otherwise the action."""
        match self.model:
            case CallStep():
                return self.model.call
            case RespondStep():
                return self.model.respond
            case FlowStep():
                return self.model.flow
            case RunStep():
                return self.model.run.replace("-", "_")
            case ReceiveStep():
                return self.model.receive
            case _:
                return self.action


def steps_of(steps: Sequence[Any], path: Path, *, caught: bool = False) -> Iterator[Written]:
    """The steps and all within them; a step comes before its branches, and those before its catches."""
    for index, model in enumerate(steps):
        step = Written(model, (*path, index), caught)
        yield step
        yield from _within(step)


def _within(step: Written) -> Iterator[Written]:
    for path, steps in step.lists():
        yield from steps_of(steps, path, caught=step.caught)
    yield from steps_of(step.undoing, (*step.path, "compensate"), caught=step.caught)
    for index, catch in enumerate(step.model.catch or ()):
        yield from steps_of(catch.do or (), (*step.path, "catch", index, "do"), caught=True)


def flow_steps(flow: Part) -> tuple[Written, ...]:
    """All steps of one flow, worked out once."""
    memo = flow.unit.memo
    key = ("steps", flow.name)
    if key not in memo:
        memo[key] = tuple(steps_of(flow.model, flow.path))
    steps: tuple[Written, ...] = memo[key]
    return steps


def all_steps(unit: Unit) -> tuple[Written, ...]:
    """All steps of all flows, worked out once."""
    memo = unit.memo
    if "steps" not in memo:
        memo["steps"] = tuple(step for flow in unit.parts("flows").values() for step in flow_steps(flow))
    steps: tuple[Written, ...] = memo["steps"]
    return steps


def step_ids(steps: Sequence[Written]) -> dict[Path, str]:
    """The id of each step: as written, or what it calls; a further number where that is taken.

    Two calls of one tool, say, keep one default id: whoever reads `steps.<id>` must be able to tell them apart, so that
    is a mistake of its own.
    """
    ids = {step.path: step.model.id for step in steps if step.model.id}
    taken = set(ids.values()) | {step.target for step in steps if step.action in NAMED and not step.model.id}
    seen: Counter[str] = Counter()
    for step in steps:
        if step.path not in ids:
            ids[step.path] = step.target if step.action in NAMED else _free(step.target, seen, taken)
    return ids


def _free(name: str, seen: Counter[str], taken: set[str]) -> str:
    while True:
        seen[name] += 1
        found = name if seen[name] == 1 else f"{name}_{seen[name]}"
        if found not in taken:
            taken.add(found)
            return found
