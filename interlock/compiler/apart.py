"""How two steps of a procedure stand to each other: one after the other, at the same time, or never both."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from interlock.compiler.order import normal
from interlock.compiler.walk import flow_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

Relation = Literal["exclusive", "parallel", "sequence", "caught"]
"""`caught`: one handles a failure of what the other is part of."""


def stands_in(path: Path, key: str) -> bool:
    """Whether a place lies within that key of a step; a lane or a flow may have its name, but follows no number."""
    return any(part == key and isinstance(before, int) for before, part in pairwise(path))


def steps_by_path(unit: Unit) -> dict[Path, Written]:
    """The steps of a procedure by their place, worked out once."""
    if "steps by path" not in unit.memo:
        steps = flow_steps(unit.steps) if unit.steps is not None else []
        unit.memo["steps by path"] = {step.path: step for step in steps}
    found: dict[Path, Written] = unit.memo["steps by path"]
    return found


def relation(unit: Unit, one: Path, other: Path) -> Relation:
    """How two different steps stand to each other, as written."""
    at = next((at for at, (mine, theirs) in enumerate(zip(one, other, strict=False)) if mine != theirs), None)
    if at is None:
        longer, length = max(one, other, key=len), min(len(one), len(other))
        return "caught" if longer[length : length + 1] == ("catch",) else "sequence"
    key = one[at - 1] if isinstance(one[at - 2], int) else ""
    if isinstance(one[at], int) and key in ("switch", "catch"):
        return "exclusive"
    if isinstance(one[at], str) and key == "parallel":
        return "parallel"
    if "catch" in (one[at], other[at]):
        return "caught"
    steps = steps_by_path(unit)
    mine, theirs = steps.get(one[: at + 1]), steps.get(other[: at + 1])
    both = mine is not None and theirs is not None and contrary(mine.model.when, theirs.model.when)
    return "exclusive" if both else "sequence"


def contrary(one: Any, other: Any) -> bool:
    """Whether of two conditions one is the other's contrary, word for word."""
    if one is None or other is None:
        return False
    first, second = normal(one), normal(other)
    return first in (f"not {second}", f"not ({second})") or second in (f"not {first}", f"not ({first})")


def loops_around(unit: Unit, path: Path) -> tuple[Written, ...]:
    """The loops that a step stands in, the outermost first."""
    steps = steps_by_path(unit)
    around = [steps[path[:at]] for at, key in enumerate(path) if key == "for_each" and path[:at] in steps]
    return tuple(step for step in around if step.action == "for_each")


def conditions_around(unit: Unit, path: Path, most_branches: int | None = None) -> Iterator[tuple[str, bool]]:
    """The conditions around a step, as written, each with whether it holds there.

    Branches that come before are among them; `most_branches`: of how many the last ones.
    """
    steps = steps_by_path(unit)
    for at in range(1, len(path) + 1):
        step = steps.get(path[:at])
        if step is None:
            continue
        if step.model.when is not None:
            yield step.model.when, True
        if step.action == "switch" and path[at : at + 1] == ("switch",):
            taken = int(path[at + 1])
            first = 0 if most_branches is None else max(0, taken - most_branches)
            for index, branch in enumerate(step.model.switch[first : taken + 1], first):
                if branch.when is not None:
                    yield branch.when, index == taken


def guards_of(unit: Unit, path: Path) -> list[str]:
    """The conditions under which a step runs at all: its own, and those of the steps and branches around it.

    A branch that others come before, and a `catch`, count as a condition that nothing else has.
    """
    steps = steps_by_path(unit)
    found = []
    for at in range(1, len(path) + 1):
        step = steps.get(path[:at])
        if step is None:
            continue
        if step.model.when is not None:
            found.append(step.model.when)
        inside = path[at : at + 2]
        if len(inside) > 1 and inside[0] in ("switch", "catch"):
            found.append(_entry(step, inside, path[: at + 2]))
    return found


def _entry(step: Written, inside: Path, path: Path) -> str:
    when = step.model.switch[0].when if inside == ("switch", 0) else None
    return when if when is not None else f"at {path}"
