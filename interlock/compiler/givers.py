"""Which steps of a procedure give what it reads: the cells, results, variables and items of loops."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from interlock.compiler.fillings import filled_by
from interlock.compiler.walk import flow_steps, ids_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from interlock.compiler.keyed_calls import Read
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written


def givers_of(unit: Unit) -> Mapping[Read, Sequence[Written]]:
    """The steps by the path of what they give, such as `("vars", "total")` and `("steps", "pay")`, worked out once."""
    if "givers" not in unit.memo:
        found: defaultdict[Read, list[Written]] = defaultdict(list)
        if unit.steps is not None:
            ids = ids_of(unit.steps)
            for step in flow_steps(unit.steps):
                for path in _given(step, ids[step.path]):
                    found[path].append(step)
        unit.memo["givers"] = dict(found)
    givers: Mapping[Read, Sequence[Written]] = unit.memo["givers"]
    return givers


def _given(step: Written, name: str) -> Iterator[Read]:
    yield from filled_by(step)
    match step.action:
        case "call" | "run" | "receive" | "generate":
            yield "steps", name
        case "for_each":
            yield (step.model.for_each.as_,)
