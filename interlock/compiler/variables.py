"""What `vars` hold: the shapes of the values that steps give them, as far as all steps that do agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.compiler.scopes import OPEN, Scopes, item_shape
from interlock.compiler.shapes import carried
from interlock.compiler.sites_of_steps import given_by
from interlock.compiler.walk import all_steps, flow_steps, ids_of
from interlock.expressions.check import check_value
from interlock.expressions.shapes import STRING, Shape, merged, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from interlock.compiler.units import Part, Unit

UNKNOWN = Shape("any", may_be_none=True)


def variables_of(unit: Unit) -> Shape:
    """The variables of a spec, each none until a step gives it a value.

    The steps are taken in the order written: what is made of a variable that a later step changes is not known.
    """
    if unit.broken.get("flows"):
        return OPEN
    left = Counter(name for step in all_steps(unit) if step.action == "set" for name in step.model.set)
    known = dict.fromkeys(sorted(left), UNKNOWN)
    given: defaultdict[str, list[Shape]] = defaultdict(list)
    for name, shape in _given(unit, object_of(known)) if known else ():
        given[name].append(shape)
        left[name] -= 1
        if not left[name]:
            known[name] = replace(merged(given[name]), may_be_none=True)
    return object_of(known)


def _given(unit: Unit, variables: Shape) -> Iterator[tuple[str, Shape]]:
    scopes = Scopes(unit, variables)
    for flow in unit.parts("flows").values():
        sets = [step for step in flow_steps(flow) if step.action == "set"]
        scope = _scope(flow, scopes) if sets else {}
        for step in sets:
            yield from ((name, _shape(value, scope)) for name, value in step.model.set.items())


def _scope(flow: Part, scopes: Scopes) -> Mapping[str, Shape]:
    """What the steps of a flow read, wherever they stand: what has a name twice may be the one or the other."""
    unit, ids = flow.unit, ids_of(flow)
    results: defaultdict[str, list[Shape]] = defaultdict(list)
    for step in flow_steps(flow):
        if (given := given_by(unit, step, scopes)) is not None:
            results[ids[step.path]].append(given)
    steps = {name: merged(found) for name, found in results.items()}
    scope: dict[str, Shape] = {**scopes.steps(steps), **scopes.caught}
    items: defaultdict[str, list[Shape]] = defaultdict(list)
    for step in flow_steps(flow):
        if step.action == "for_each":
            items[step.model.for_each.as_].append(item_shape(step.model.for_each.items, scope))
    return {**scope, **{name: merged(found) for name, found in items.items()}}


def _shape(value: Any, scope: Mapping[str, Shape]) -> Shape:
    """What is given by a value as written: a text without braces can be nothing else."""
    if isinstance(value, str) and "{" not in value:
        return replace(STRING, enum=(value,))
    return carried(check_value(value, scope)[0])
