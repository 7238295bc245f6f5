"""What a retry needs: a run that stands still, words about every effect of unknown outcome, and a plan that fits."""

from typing import TYPE_CHECKING

from interlock.interpreter.opening import InvalidMessage
from interlock.plan.steps import steps_in

if TYPE_CHECKING:
    from interlock.interpreter.events import RetryAsked
    from interlock.interpreter.work.state import Json, RunState
    from interlock.plan.plan import Plan


def prepared(state: "RunState", event: "RetryAsked") -> None:
    """Write into the journal what the retry says of unknown effects. Raises InvalidMessage, and changes nothing."""
    if state.status != "failed":
        raise InvalidMessage("not-failed", f"the run is {state.status!r}, and only a failed one can be retried")
    unknown = unresolved(state)
    for instance in event.resolved:
        if instance not in unknown:
            names = ", ".join(unknown) or "none"
            raise InvalidMessage("unknown-step", f"no effect of step {instance!r} is unknown; unknown are: {names}")
    left = [instance for instance in unknown if instance not in event.resolved]
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
    """The steps whose effect may have happened, and nobody knows."""
    return [
        instance for instance, entry in state.journal.items() if entry["mark"] == "unknown" and "resolved" not in entry
    ]


def changed_steps(state: "RunState", old: "Plan", new: "Plan") -> list[str]:
    """Steps that are done, begun or to be undone, and are not the same in the new plan; places do not count."""
    begun = {instance.rpartition("/")[2] for instance in state.journal} | {one["step"] for one in state.undo.values()}
    begun |= {part.split("[")[0] for prefix in state.passes for part in prefix.split("/") if part}
    before, after = _by_id(old), _by_id(new)
    finished = {instance.rpartition("/")[2] for instance, entry in state.journal.items() if entry["mark"] == "done"}
    return sorted(
        step for step in begun if step not in after or (step in finished and before.get(step) != after.get(step))
    )


def _by_id(plan: "Plan") -> dict[str, object]:
    steps = steps_in(plan.work.steps) if plan.work else ()
    return {step.id: _without_places(step.model_dump(mode="json")) for step in steps}


def _without_places(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_places(inner) for key, inner in value.items() if key != "at"}
    return [_without_places(inner) for inner in value] if isinstance(value, list) else value
