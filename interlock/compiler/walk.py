"""Every step of flows and procedures, in the order written, with its place and id."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path

NAMED = frozenset({"call", "run", "receive"})
"""Actions whose result others read by the step's id."""

UNDOABLE = (CallStep, RunStep, DoStep)
"""Steps that may say what undoes them."""

_ACTION_OF = {model: action for action, model in ACTIONS.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A step as written, with all within it.

    `inner` are the lists of steps within it, as they run; `undoing` undoes it; `catches` holds the steps of each catch.
    """

    model: Any
    path: Path
    action: str
    inner: tuple[tuple[Written, ...], ...]
    undoing: tuple[Written, ...]
    catches: tuple[tuple[Written, ...], ...]

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


def _written(models: Sequence[Any], path: Path) -> tuple[Written, ...]:
    """A list of steps and all within them: the one place where paths of steps are made."""
    return tuple([_step(model, (*path, index)) for index, model in enumerate(models)])


def _step(model: Any, path: Path) -> Written:
    inner = tuple([_written(models, (*path, *below)) for below, models in _lists(model)])
    undoing = _written(model.compensate or (), (*path, "compensate")) if isinstance(model, UNDOABLE) else ()
    caught = enumerate(model.catch or ())
    catches = tuple([_written(catch.do or (), (*path, "catch", index, "do")) for index, catch in caught])
    return Written(model, path, _ACTION_OF[type(model)], inner, undoing, catches)


def _lists(model: Any) -> Iterable[tuple[Path, Sequence[Any]]]:
    """The lists of steps within a step, each with its path there."""
    match model:
        case SwitchStep():
            return [(("switch", index, "do"), branch.do) for index, branch in enumerate(model.switch)]
        case ParallelStep():
            return [(("parallel", name), steps) for name, steps in model.parallel.items()]
        case ForEachStep():
            return [(("for_each", "do"), model.for_each.do)]
        case DoStep():
            return [(("do",), model.do)]
        case _:
            return ()


def every(steps: Iterable[Written]) -> Iterator[Written]:
    """The steps and all within them; a step comes before its lists, what undoes it, and its catches, in this order."""
    for step in steps:
        yield step
        for within in (*step.inner, step.undoing, *step.catches):
            if within:
                yield from every(within)


def listed_steps(flow: Part) -> tuple[Written, ...]:
    """The list of steps that is a flow or procedure, worked out once."""
    memo = flow.unit.memo
    key = ("listed", flow.name)
    if key not in memo:
        memo[key] = _written(flow.model, flow.path)
    steps: tuple[Written, ...] = memo[key]
    return steps


def flow_steps(flow: Part) -> tuple[Written, ...]:
    """All steps of one flow, worked out once."""
    memo = flow.unit.memo
    key = ("steps", flow.name)
    if key not in memo:
        memo[key] = tuple(every(listed_steps(flow)))
    steps: tuple[Written, ...] = memo[key]
    return steps


def all_steps(unit: Unit) -> tuple[Written, ...]:
    """All steps of all flows, worked out once."""
    memo = unit.memo
    if "steps" not in memo:
        memo["steps"] = tuple(step for flow in unit.parts("flows").values() for step in flow_steps(flow))
    steps: tuple[Written, ...] = memo["steps"]
    return steps


def ids_of(flow: Part) -> Mapping[Path, str]:
    """The id of each step of one flow, worked out once."""
    memo = flow.unit.memo
    key = ("step ids", flow.name)
    if key not in memo:
        memo[key] = step_ids(flow_steps(flow))
    ids: Mapping[Path, str] = memo[key]
    return ids


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
