"""The step `call`: one call, or one for each combination of the values of the slots it expands."""

from itertools import chain, product, repeat
from math import prod
from typing import Any

from interlock.interpreter import calls
from interlock.interpreter.called import asked_for, can_be_asked
from interlock.interpreter.decomposing.port import Value as Said
from interlock.interpreter.decomposing.port import problem_of
from interlock.interpreter.failures import Interrupted, StepFailed
from interlock.interpreter.provenance import RESULT
from interlock.interpreter.slots import Question, fill_in, question
from interlock.interpreter.state import Json
from interlock.interpreter.texts import engine_text
from interlock.interpreter.texts_of_plan import TOLD
from interlock.interpreter.trusted import trusted_values
from interlock.interpreter.turn import FINE, Calling, CallResult, Turn, side_by_side
from interlock.plan.steps import CallStep
from interlock.plan.templates import only_path


def call(turn: Turn, step: CallStep, path: str) -> Calling[Json]:
    """Make the call or calls; fails when none of them succeeds."""
    needed = _needed(turn, step)
    if not any(_only_they_know(turn, name) for name in needed):
        fill_in(turn, needed)
    unknown, stands_still = calls.not_recognized(turn, tool=step.tool, bind=step.bind, step_id=step.id, at=step.at)
    results: list[CallResult] = []
    if not stands_still:
        combinations: list[dict[str, Any] | None] = [None]
        if step.expand:
            combinations = _combinations(turn, step, path, needed)
        results = yield from _made(turn, step, combinations)
    if turn.interrupted:
        raise Interrupted
    for one in unknown:
        calls.ended(turn, one)
    turn.last = results = [*results, *unknown]
    if not any(result.outcome in FINE for result in results):
        raise _failed(turn, step, path, results[0])
    if len(results) == 1 and results[0].outcome == "skipped":
        _ask_again(turn, step, path)
        return {}
    values = [result.result for result in results]
    return {
        "result": values if step.expand else values[0],
        RESULT: [{"receipt": result.receipt_id} for result in results if result.receipt_id],
        "calls": [_brief(turn, result) for result in results],
    }


def _made(turn: Turn, step: CallStep, combinations: list[dict[str, Any] | None]) -> Calling[list[CallResult]]:
    callings = [
        calls.call(turn, tool=step.tool, bind=step.bind, step_id=step.id, at=step.at, slot_values=values)
        for values in combinations
    ]
    return [(yield from callings[0])] if len(callings) == 1 else (yield from side_by_side(callings))


def _ask_again(turn: Turn, step: CallStep, path: str) -> None:
    """A message that says nothing for a call that the flow waits at does not let the flow pass it."""
    flow = turn.going_on
    if flow is None or flow["path"] != path or step.tool in turn.skipped_tools:
        return
    asked = question(turn, flow["asked"])
    if asked is not None:
        raise StepFailed("missing", "not given when asked", step.id, step.at, step.tool, question=asked, path=path)


def recalled(turn: Turn, step: CallStep, entry: Json) -> list[CallResult]:
    """The results of a call step of an earlier turn, as far as the journal keeps them."""
    values = chain(entry["result"] if step.expand else [entry["result"]], repeat(None))
    unwraps = bool(turn.program.plan.tools[step.tool].unwrap)
    results = []
    for value, brief in zip(values, entry["calls"], strict=False):
        outcome, message, receipt, fact, more = brief + _NOTHING[len(brief) :]
        result = CallResult(step.tool, step.id, step.at, outcome, result=value, message=message, receipt_id=receipt)
        result.fact, result.arguments = fact, more.get("args", {})
        result.payload = more.get("payload", None if unwraps else value)
        results.append(result)
    return results


_NOTHING: list[Any] = ["", "", None, None, {}]
"""What stands for the parts that `_brief` leaves out."""


def _brief(turn: Turn, result: CallResult) -> list[Any]:
    """Outcome, message, receipt, fact, and what a response may say of it later; the last two only if there are any."""
    told = turn.program.told if result.outcome == "success" else TOLD
    more: Json = {"args": result.arguments} if "args" in told and result.arguments else {}
    if "payload" in told and result.payload != result.result:
        more["payload"] = result.payload
    brief = [result.outcome, result.message, result.receipt_id, result.fact, more]
    while not brief[-1] and len(brief) > len(_NOTHING) - 2:
        brief.pop()
    return brief


def _needed(turn: Turn, step: CallStep) -> list[str]:
    """The slots that the call's required arguments copy."""
    inputs = turn.program.plan.tools[step.tool].input
    mount = turn.program.mounts.get(step.tool)
    bind = {**(mount.bind if mount else {}), **step.bind}
    paths = (
        only_path(bind.get(name)) if one.source == "caller" else one.source
        for name, one in inputs.items()
        if not one.optional and one.default is None
    )
    return [path.split(".")[1] for path in paths if path.startswith("slots.")]


def _only_they_know(turn: Turn, name: str) -> bool:
    """Whether the slot must be asked for; then nothing is assumed for the others yet."""
    slot = turn.program.plan.slots[name]
    given = name in turn.slots or slot.assume is not None or slot.default is not None
    return not given and not trusted_values(turn, name)


def _combinations(turn: Turn, step: CallStep, path: str, needed: list[str]) -> list[dict[str, Any] | None]:
    lists = {name: values for name in step.expand if (values := _values(turn, name))}
    asked = question(turn, [name for name in step.expand if name in needed and name not in lists])
    if asked is not None:
        message = f"nothing fills {asked.slots[0]!r}"
        raise StepFailed("missing", message, step.id, step.at, step.tool, question=asked, path=path)
    several = prod(map(len, lists.values()))
    parts = _parts(turn, step, lists) if step.decompose and several > 1 else []
    if (len(parts) or several) > step.max_parts:
        wide = tuple(name for name, values in lists.items() if len(values) > 1)
        asked = Question(engine_text(turn.program, turn.language, "narrow"), wide, candidates=lists)
        message = f"more than {step.max_parts} combinations"
        raise StepFailed("ambiguous", message, step.id, step.at, step.tool, question=asked, path=path)
    return [*parts] or [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]


def _parts(turn: Turn, step: CallStep, lists: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Which values belong together, as the decomposer says; nothing where what it says cannot be used."""
    slots = {name: _said(turn, name, values) for name, values in lists.items()}
    try:
        parts = turn.program.decomposers[step.decompose](turn.text, dict(slots))
        problem = problem_of(parts, slots)
    except Exception as bug:  # noqa: BLE001 - a plug-in may raise anything
        parts, problem = [], f"it raised {type(bug).__name__}"
    if problem:
        turn.failed(step.at, "decomposer-failed", f"decomposer {step.decompose!r}: {problem}")
        return []
    distinct: list[dict[str, Any]] = []
    for part in parts:
        values = {name: part[name].value for name in lists}
        distinct += [values] if values not in distinct else []
    return distinct


def _said(turn: Turn, name: str, values: list[Any]) -> tuple[Said, ...]:
    """The values of a slot, with their places in the message if they were said in it."""
    filled = turn.slots[name]
    here = filled.turn == turn.state.turn and [one.value for one in filled.found] == values
    return tuple(Said(one.value, one.start, one.end) for one in filled.found) if here else tuple(map(Said, values))


def _values(turn: Turn, name: str) -> list[Any]:
    filled = turn.slots.get(name)
    if filled is None or filled.status != "filled":
        return []
    return filled.value if isinstance(filled.value, list) else [filled.value]


def _failed(turn: Turn, step: CallStep, path: str, result: CallResult) -> StepFailed:
    assert result.outcome != "success"
    assert result.outcome != "skipped"
    assert result.outcome != "unrecognized"
    message = result.message or str(result.audit.get("error", ""))
    slots = turn.program.plan.slots
    theirs = [name for name in result.missing if slots[name].assume is None and slots[name].default is None]
    result.missing = tuple(theirs) or result.missing
    failure = StepFailed(result.outcome, message, step.id, step.at, step.tool, result.message, result, path=path)
    if can_be_asked(result):
        failure.question = asked_for(turn, result)
    return failure
