"""What a retry needs: a run that stands still, words about every effect of unknown outcome, and a plan that fits."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from interlock.expressions.paths import paths_of
from interlock.interpreter.opening import InvalidMessage
from interlock.plan.base import Part
from interlock.plan.steps import CallStep, ForEachStep, lists_in
from interlock.plan.templates import paths_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.interpreter.events import RetryAsked
    from interlock.interpreter.work.state import Json, RunState
    from interlock.plan.plan import Plan
    from interlock.plan.steps import Step


def prepared(state: "RunState", event: "RetryAsked") -> None:
    """Write into the journal what the retry says of unknown effects. Raises InvalidMessage, and changes nothing."""
    if state.status != "failed":
        raise InvalidMessage("not-failed", f"the run is {state.status!r}, and only a failed one can be retried")
    waiting = unresolved(state)
    for instance in event.resolved:
        if instance not in waiting:
            names = ", ".join(waiting) or "none"
            raise InvalidMessage("unknown-step", f"nothing is to be said of step {instance!r}; only of: {names}")
    left = [instance for instance in waiting if instance not in event.resolved]
    if left:
        raise InvalidMessage(
            "unresolved", f"whether these effects happened must be said first, under `resolved`: {', '.join(left)}"
        )
    for instance, said in event.resolved.items():
        state.journal[instance]["resolved"] = said
    for entry in state.journal.values():
        _begins_anew(entry, event.now_ms)


def _begins_anew(entry: "Json", now_ms: int) -> None:
    """What is tried again has its whole time again, and what had failed is tried again."""
    if entry["mark"] in ("entered", "unknown"):
        entry["began_ms"] = now_ms
        for key in ("due_ms", "next_ms", "failed"):
            entry.pop(key, None)


def unresolved(state: "RunState") -> list[str]:
    """The steps that must not be repeated unasked: a person says what became of them."""
    return [
        instance for instance, entry in state.journal.items() if entry["mark"] == "unknown" and "resolved" not in entry
    ]


def changed_steps(state: "RunState", old: "Plan", new: "Plan") -> list[str]:
    """Steps that are done, begun or to be undone, which the new plan would do again or not know; places do not count.

    What has begun may be mended, but not what it is known by: the loops that it stands in, their keys, and the key that
    a request goes out with, with the constants and tables that these are made of. The items of a loop may be others: a
    pass that is done stays so, and what one has done that has no item any more is still told, and undone.
    """
    begun = {instance.rpartition("/")[2] for instance in state.journal} | {one["step"] for one in state.undo.values()}
    begun |= {part.split("[")[0] for prefix in state.passes for part in prefix.split("/") if part}
    finished = {instance.rpartition("/")[2] for instance, entry in state.journal.items() if entry["mark"] == "done"}
    before, after = _by_id(old), _by_id(new)
    return sorted(
        step
        for step in begun
        if step not in after
        or before[step].known_by != after[step].known_by
        or (step in finished and before[step].written != after[step].written)
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """A step as it is written, and what tells it and its effects from others."""

    written: object
    known_by: object


def _by_id(plan: "Plan") -> dict[str, _Known]:
    return dict(_known(plan, plan.work.steps, ())) if plan.work else {}


def _known(plan: "Plan", steps: "tuple[Step, ...]", loops: tuple[str, ...]) -> "Iterator[tuple[str, _Known]]":
    for step in steps:
        yield step.id, _Known(_without_places(step.model_dump(mode="json")), (loops, _own_key(plan, step)))
        within = (*loops, step.id) if isinstance(step, ForEachStep) else loops
        for inner in lists_in(step):
            yield from _known(plan, inner, within if inner is getattr(step, "do", None) else loops)


def _own_key(plan: "Plan", step: "Step") -> object:
    """Of a loop what tells its items apart, their list where nothing else does; of a call the key of its request."""
    if isinstance(step, ForEachStep):
        telling = step.key or step.each
        return [step.key, telling, _made_of(plan, paths_in(telling))]
    declared = plan.tools[step.tool].idempotency if isinstance(step, CallStep) else None
    return [declared.model_dump(), _made_of(plan, paths_in(declared.key))] if declared is not None else None


def _made_of(plan: "Plan", paths: "Iterable[str]") -> "dict[str, object]":
    """What the plan itself has behind such paths: constants, conditions and tables, and what these are made of."""
    found: dict[str, object] = {}
    waiting = list(paths)
    for path in waiting:
        root, _, rest = path.partition(".")
        name = rest.partition(".")[0]
        part = getattr(plan, root).get(name) if root in ("config", "conditions", "decisions") else None
        if part is None or f"{root}.{name}" in found:
            continue
        written = part.model_dump(mode="json") if isinstance(part, Part) else part
        found[f"{root}.{name}"] = _without_places(written)
        waiting += _read_by(written)
    return found


def _read_by(part: object) -> "Iterator[str]":
    """The paths in all texts of a part: its expressions and templates, one as good as the other."""
    if isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _read_by(inner)
    elif isinstance(part, str):
        yield from (".".join(path) for template in (True, False) for path in paths_of(part, template=template))


def _without_places(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_places(inner) for key, inner in value.items() if key != "at"}
    return [_without_places(inner) for inner in value] if isinstance(value, list) else value
