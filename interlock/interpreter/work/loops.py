"""The step `for_each`: one pass for each item, some at the same time; what is done is known by its key."""

import json
import re
from typing import TYPE_CHECKING, Any

from interlock.interpreter import provenance
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.work.ends import raise_first
from interlock.interpreter.work.frames import Frame
from interlock.interpreter.work.tasks import Fork, Scope, Stopped, Working
from interlock.plan.steps import ForEachStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.interpreter.work.state import Json
    from interlock.interpreter.work.walk import Walk

MOST_ITEMS = 10_000
READS = re.compile(r"\{\{\s*(\w+)(?:\.\w+)*\s*\}\}")
KEPT_OF_FAILURE = ("kind", "message", "step", "at", "tool", "text", "lacks", "instance")


def passes(walk: "Walk", step: ForEachStep, frame: Frame, entry: "Json") -> Working:
    """All passes that are not done yet; the step fails when one has failed, at once or when all have ended."""
    keyed, ends = _same_again(step, frame, entry)
    done: Json = entry.setdefault("passed", {})
    failed: Json = entry.setdefault("failed", {})
    entry["items"] = len(keyed)
    scope = Scope(frame.scope)
    left = [(key, item) for key, item in keyed.items() if key not in done and key not in failed]
    work = [_pass(walk, step, frame, scope, entry, key, {step.variable: item, **ends}) for key, item in left]
    borne = (StepFailed,) if step.on_failure == "continue" else ()
    outcomes = yield Fork(work, scope, most=step.max_parallel, borne=borne)
    raise_first(one for one in outcomes if not isinstance(one, StepFailed | Stopped))  # ends of the whole procedure
    stopped = any(isinstance(one, Stopped) for one in outcomes)
    if failed and not (stopped and frame.scope.stopped):
        raise _together(step, [(key, StepFailed(**failed[key])) for key in keyed if key in failed])
    if stopped:
        raise Stopped


def _pass(
    walk: "Walk", step: ForEachStep, frame: Frame, scope: Scope, entry: "Json", key: str, roots: "Json"
) -> Working:
    """One pass; that it has failed is kept too, for it is not for a run that goes on elsewhere to try again."""
    inner = frame.one_pass(scope, step.id, key, roots)
    try:
        yield from walk.steps(step.do, inner)
    except StepFailed as failure:
        entry["failed"][key] = {name: getattr(failure, name) for name in KEPT_OF_FAILURE}
        raise
    entry["passed"][key] = 1
    walk.forget(inner.prefix)


def _same_again(step: ForEachStep, frame: Frame, entry: "Json") -> "tuple[dict[str, Any], Json]":
    """The items by their key, and where they are from, the same whenever the loop is taken up again.

    Another plan may have another list.
    """
    kept: Json | None = entry.get("list")
    if kept is not None and kept["of"] == step.each:
        return dict(kept["keyed"]), kept.get("ends", {})
    keyed = _keyed(step, frame)
    ends = {provenance.beside(step.variable): provenance.of_value(frame.scene, frame.scene.context, step.each)}
    if not (_never_changes(step.each, "") and _never_changes(step.key, step.variable)):
        entry["list"] = {"of": step.each, "keyed": keyed, "ends": ends}
    return keyed, ends


def _never_changes(value: Any, variable: str) -> bool:
    """Whether a value is plainly made of the input alone, or of the item."""
    if not isinstance(value, str):
        return "{" not in json.dumps(value)
    named = READS.fullmatch(value)
    return "{" not in value if named is None else named[1] in ("input", "config", variable)


def _keyed(step: ForEachStep, frame: Frame) -> dict[str, Any]:
    """The items by what tells them apart: their key, or their place in the list."""
    context = frame.scene.context
    items = frame.program.value(step.each)(context)
    if not isinstance(items, list):
        raise StepFailed("error", f"`items` is {_kind(items)}, not a list", step.id, step.at)
    if len(items) > MOST_ITEMS:
        raise StepFailed("error", f"{len(items):,} items, more than {MOST_ITEMS:,}", step.id, step.at)
    if not step.key:
        return {str(number): item for number, item in enumerate(items, 1)}
    keyed: dict[str, Any] = {}
    for key, item in _with_keys(step, frame, items):
        if key in keyed:
            raise StepFailed("error", f"two items have the key {key!r}: one of them would be lost", step.id, step.at)
        keyed[key] = item
    return keyed


def _with_keys(step: ForEachStep, frame: Frame, items: "Sequence[Any]") -> "Iterator[tuple[str, Any]]":
    render = frame.program.value(step.key)
    for number, item in enumerate(items, 1):
        key = render(frame.scene.context.extended(**{step.variable: item}))
        if key is None or key == "" or isinstance(key, list | dict):
            raise StepFailed("error", f"item {number} has no key that tells it from the others", step.id, step.at)
        yield str(key), item


def _together(step: ForEachStep, failed: "Sequence[tuple[str, StepFailed]]") -> StepFailed:
    """One failure for all: the first one's kind, with the keys of those that failed."""
    _, first = failed[0]
    if len(failed) == 1:
        return first
    keys = ", ".join(key for key, _ in failed[:10]) + (", …" if len(failed) > 10 else "")
    return StepFailed(first.kind, f"{len(failed):,} items failed: {keys}", step.id, step.at, first.tool, first.text)


def _kind(value: Any) -> str:
    names = {dict: "an object", str: "a text", bool: "true or false", type(None): "none"}
    return names.get(type(value), "a number")
