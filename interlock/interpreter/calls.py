"""One call of a tool from end to end: may it be tried, with which arguments, what came back, and what that changes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.expressions import Missing, NotMet
from interlock.interpreter import checks, effects, lookups, pregate, reading, receipts, returned
from interlock.interpreter.arguments import as_sent, assemble, sent_before
from interlock.interpreter.attempts import Attempt, blocked, gated, unrecognized, verified
from interlock.interpreter.commands import CallTool
from interlock.interpreter.conditions import Assertions, Reader, Verdict
from interlock.interpreter.masking import learn
from interlock.interpreter.showing import show_arguments
from interlock.interpreter.sources import Desk
from interlock.interpreter.texts import said_or
from interlock.interpreter.turn import Calling, CallOutcome, CallResult

if TYPE_CHECKING:
    from interlock.interpreter.context import Context
    from interlock.interpreter.events import ToolReturned
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Effect, Turn
    from interlock.plan.rules import Check


def call(
    turn: "Turn",
    *,
    tool: str,
    bind: Mapping[str, Any],
    step_id: str,
    at: str,
    slot_values: Mapping[str, Any] | None = None,
) -> Calling[CallResult]:
    """Call a mounted tool and add the result to the turn's calls, whether or not it went out.

    `bind` gives `caller` arguments, over those of the mount; `slot_values` gives slots one value each for this call.
    """
    if not turn.read:
        reading.read(turn)
    mount = turn.program.mounts.get(tool)
    attempt = _attempt(turn, tool, bind, step_id, at, slot_values or {})
    if mount is None:
        result = attempt.ended("blocked", f"{tool!r} is not mounted")
    elif tool in turn.skipped_tools:
        result = attempt.ended("skipped", "a gate has skipped this tool")
    else:
        result = yield from _gated(attempt, mount.intent)
    ended(turn, result)
    return result


def _attempt(
    turn: "Turn", tool: str, bind: Mapping[str, Any], step_id: str, at: str, slot_values: Mapping[str, Any]
) -> Attempt:
    mount = turn.program.mounts.get(tool)
    context = turn.context
    if slot_values:
        context = context.extended(slots={**context["slots"], **slot_values})
    bound = {**mount.bind, **bind} if mount else bind
    desk = Desk(turn, context, slot_values)
    instance = f"{turn.state.turn}/{step_id}" + (f"[{instance_of(slot_values)}]" if slot_values else "")
    return Attempt(desk, tool, turn.program.plan.tools[tool], bound, step_id, at, instance=instance)


def not_recognized(
    turn: "Turn", *, tool: str, bind: Mapping[str, Any], step_id: str, at: str
) -> tuple[list[CallResult], bool]:
    """A result for each word that means nothing to a look-up, and whether they keep every call of it from being made.

    None for a tool that is no look-up, or that could not be called anyway.
    """
    if turn.program.plan.tools[tool].fact is None or tool not in turn.program.mounts or tool in turn.skipped_tools:
        return [], False
    attempt = _attempt(turn, tool, bind, step_id, at, {})
    said = lookups.unrecognized(turn, attempt.tool, attempt.bind)
    results = [unrecognized(_attempt(turn, tool, bind, step_id, at, {}), one) for one in said]
    return results, lookups.stands_still(attempt.desk, attempt.tool, attempt.bind)


def ended(turn: "Turn", result: CallResult) -> None:
    """Add the result of a call to those of the turn."""
    if result.outcome in ("error", "timeout"):
        turn.context["turn"]["tool_errors"] += 1
    turn.calls.append(result)


def step_call(
    turn: "Turn",
    *,
    tool: str,
    bind: Mapping[str, Any],
    step_id: str,
    at: str,
    instance: str,
    sent: "Json | None" = None,
) -> Calling[CallResult]:
    """The call of a procedure's step: nothing chooses it, so nothing has to admit it; arguments and checks are all.

    `sent` is the request of an earlier call that may have had its effect: the same is sent again.
    """
    declared = turn.program.plan.tools[tool]
    attempt = Attempt(Desk(turn, turn.context), tool, declared, bind, step_id, at, instance=instance, sent=sent)
    return (yield from made(attempt))


def instance_of(slot_values: Mapping[str, Any]) -> str:
    """What tells one combination of slot values from the others of a step."""
    return json.dumps(slot_values, ensure_ascii=False, sort_keys=True)


def holds(turn: "Turn", expression: str, *, step_id: str) -> Calling[Verdict]:
    """Whether an expression of a step holds, with the calls its conditions need; these fill no cells."""
    assertions = _assertions(turn, step_id)
    verdict = yield from assertions.holds(expression)
    _record(turn, assertions)
    return verdict


def _gated(attempt: Attempt, intent: str) -> Calling[CallResult]:
    """The call, unless it is bound to identifiers and the message gives no cause to try it."""
    judged = pregate.of_call(attempt.desk, attempt.tool, attempt.bind, intent) if intent else None
    if judged is not None:
        if (stopped := gated(attempt, judged)) is not None:
            return stopped
        attempt.desk = replace(attempt.desk, history=judged.history)
    return (yield from made(attempt))


def made(attempt: Attempt) -> Calling[CallResult]:
    """Assemble, verify, check, call, check again; nothing is left that may keep it from being tried."""
    turn = attempt.turn
    if attempt.tool.fact is not None and lookups.stands_still(attempt.desk, attempt.tool, attempt.bind):
        return unrecognized(attempt, next(lookups.unrecognized(turn, attempt.tool, attempt.bind)))
    again = sent_before(attempt.desk, attempt.tool, attempt.sent)
    attempt.assembled = again or assemble(attempt.desk, attempt.tool, attempt.bind)
    attempt.audit["arguments"] = receipts.shown(turn, attempt.name, attempt.assembled)
    attempt.audit["sources"] = receipts.origins(turn, attempt.name, attempt.assembled)
    verified(attempt)
    if attempt.assembled.blocks:
        return blocked(attempt, attempt.assembled.blocks)
    show = show_arguments(turn, attempt.tool, attempt.bind)
    context = attempt.desk.context.extended(**{"args": attempt.assembled.arguments, "$show": show})
    failed = yield from _failures(attempt, "requires", attempt.tool.requires, context)
    if failed:
        return attempt.ended("requires", message=checks.messages(failed))
    if turn.interrupted:
        return attempt.ended("skipped", "a person took over before the call")
    try:
        attempt.key = attempt.sent["key"] if again and attempt.sent else effects.key_of(attempt, context)
    except Missing as missing:
        return attempt.ended("missing", f"the idempotency key cannot be made: {missing}")
    if attempt.key and attempt.tool.idempotency is not None:
        attempt.audit["key"] = receipts.key(turn, attempt.tool.idempotency, attempt.key)
    number, arguments, before = receipts.number(turn.state), attempt.assembled.arguments, attempt.sent is not None
    call = CallTool(number, attempt.name, arguments, attempt.step, attempt.at, attempt.key, again=before)
    came = (yield [call])[0]
    return (yield from _landed(attempt, came, context))


def _landed(attempt: Attempt, came: "ToolReturned", context: "Context") -> Calling[CallResult]:
    landed = returned.landed(attempt.turn, attempt.tool, came)
    learn(attempt.turn, ("tools", attempt.name), returned.business(attempt.tool, came.payload))
    meaning = landed.meaning
    effect = effects.effect_of(attempt, came, meaning)
    plain = context
    context = context.extended(payload=came.payload, status=came.status, result=landed.result)
    failed: list[checks.Failure] = []
    outcome: CallOutcome = meaning.outcome
    if outcome == "success":
        failed = yield from _failures(attempt, "ensures", attempt.tool.ensures, context)
        outcome = "ensures" if failed else outcome
    elif effect == "unknown":
        outcome, effect = yield from _resolved(attempt, outcome, plain)
    slot = attempt.slot_of(meaning.missing) if meaning.missing else ""
    went_out = came.attempts > 0
    result = attempt.ended(
        outcome,
        "" if outcome == "success" else landed.error,
        went_out=went_out,
        payload=came.payload,
        result=landed.result,
        message=said_or(attempt.turn, meaning.message, meaning.at, checks.messages(failed), context),
        missing=(slot,) if slot else (),
        receipt_id=came.call_id if went_out else None,
        effect=effect,
        sent=None if effect == "none" else as_sent(attempt.assembled, attempt.key),
        fact=_fact(attempt, landed.result) if outcome == "success" else None,
    )
    if result.fact is not None:
        result.audit["fact"] = result.fact["status"]
    if attempt.tool.writes:
        result.audit["effect"] = effect
    if went_out:
        result.audit |= returned.kept(attempt.turn.state, result, came)
    if went_out and not attempt.is_check:
        result.audit |= returned.changed(attempt.desk, result, attempt.assembled, came)
    if came.rules > 1:
        _for_undoing(attempt, result)
    return result


def _for_undoing(attempt: Attempt, result: CallResult) -> None:
    """What the answer to a request has filled is true of it as well where the same one, sent again, brings none."""
    result.cells = result.cells or (attempt.sent or {}).get("cells", {})
    if result.sent is not None:
        result.sent["cells"] = result.cells


def _fact(attempt: Attempt, result: Any) -> "Json | None":
    declared = attempt.tool.fact
    return None if declared is None else lookups.of(declared, result, attempt.assembled.arguments)


def _resolved(attempt: Attempt, outcome: CallOutcome, context: "Context") -> "Calling[tuple[CallOutcome, Effect]]":
    """What became of an effect of which no word has come back, where the tool says how that is found out."""
    lost: CallOutcome = outcome if attempt.tool.repeatable else "unknown"
    back = attempt.tool.read_back
    if back is None:
        return lost, "unknown"
    desk = replace(attempt.desk, context=context)
    assertions = Assertions(attempt.turn, _reader(desk, attempt.step, attempt.asking | {attempt.name}), context)
    found = yield from assertions.read(back.call, back.bind, back.at)
    attempt.audit.setdefault("reads", []).extend(read.audit for read in assertions.reads)
    if isinstance(found, NotMet):
        return lost, "unknown"
    happened = bool((yield from assertions.holds(back.that, found)))
    attempt.audit["read_back"] = "happened" if happened else "did not happen"
    return ("success", "happened") if happened else ("error", "none")


def _failures(
    attempt: Attempt, key: str, declared: "Sequence[Check]", context: "Context"
) -> Calling[list[checks.Failure]]:
    if not declared:
        return []
    assertions = Assertions(attempt.turn, _reader(attempt.desk, attempt.step, attempt.asking | {attempt.name}), context)
    failed = yield from checks.failures(assertions, declared)
    if failed:
        attempt.audit[key] = [failure.as_json() for failure in failed]
    if assertions.reads:
        attempt.audit.setdefault("reads", []).extend(read.audit for read in assertions.reads)
    return failed


def _reader(desk: Desk, step: str, asking: frozenset[str]) -> Reader:
    """Makes the calls of checks: they are no calls of the turn, and may not lead back to a tool that waits for them."""

    def read(tool: str, bind: Mapping[str, Any], context: "Context", at: str) -> Calling[CallResult]:
        declared = desk.turn.program.plan.tools[tool]
        attempt = Attempt(replace(desk, context=context), tool, declared, bind, step, at, asking, is_check=True)
        if tool in asking:
            return attempt.ended("blocked", "its own check asks for it")
        return (yield from made(attempt))

    return read


def _assertions(turn: "Turn", step: str) -> Assertions:
    return Assertions(turn, _reader(Desk(turn, turn.context), step, frozenset()), turn.context)


def _record(turn: "Turn", assertions: Assertions) -> None:
    reads = [read.audit for read in assertions.reads]
    for name, verdict in assertions.known.items():
        condition = turn.program.plan.conditions[name]
        entry: Json = {"at": condition.at, "met": bool(verdict)}
        turn.conditions[name] = entry | {"reads": reads} if condition.call else entry
