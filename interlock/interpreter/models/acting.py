"""The step `act`: a model may choose among mounts and propose arguments; rules decide what is called, and with what."""

from dataclasses import replace
from typing import TYPE_CHECKING

from interlock.interpreter import calls
from interlock.interpreter.attempts import Attempt, gated
from interlock.interpreter.called import can_be_asked, guidance
from interlock.interpreter.failures import Interrupted
from interlock.interpreter.identifiers import copied_slots
from interlock.interpreter.models.proposing import notice_unknown, propose, traced, with_strangers
from interlock.interpreter.models.selecting import Selection, select
from interlock.interpreter.reading import read
from interlock.interpreter.sources import Desk
from interlock.interpreter.turn import Calling, CallResult, Turn

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.plan.steps import ActStep


def act(turn: Turn, step: "ActStep") -> "Calling[Json]":
    """Rounds of one call each, until none is chosen, one is blocked or fails, or there have been enough."""
    if not turn.read:
        read(turn)
    turn.asking.looks_up |= any(turn.program.plan.tools[name].fact is not None for name in step.tools)
    with turn.stages.within("tool-loop", step=step.id, at=step.at) as known:
        made = yield from _rounds(turn, step)
        known["calls"] = sum(one.went_out for one in made)
    turn.last = made
    return {"result": [one.result for one in made if one.outcome == "success"]}


def _rounds(turn: Turn, step: "ActStep") -> Calling[list[CallResult]]:
    done: set[str] = set()
    made: list[CallResult] = []
    for number in range(1, step.max_rounds + 1):
        turn.context["turn"] = {**turn.context["turn"], "round": number}
        selection = yield from select(turn, step, number, done)
        if turn.interrupted:
            raise Interrupted
        if selection is None:
            break
        result = yield from _round(turn, step, selection, number)
        if turn.interrupted:
            raise Interrupted
        calls.ended(turn, result)
        made.append(result)
        done.add(result.tool)
        if result.outcome != "success":
            _lacks(turn, result)
            break
        if not selection.more or sum(one.went_out for one in made) >= step.max_calls:
            break
    return made


def _round(turn: Turn, step: "ActStep", selection: Selection, number: int) -> Calling[CallResult]:
    """One call: the gate before arguments, the proposals, what can be traced of them, and the call itself."""
    mount, judged = selection.candidate.mount, selection.candidate.judged
    desk = Desk(turn, turn.context)
    instance = f"{turn.state.turn}/{step.id}/{number}"
    attempt = Attempt(
        desk, mount.call, turn.program.plan.tools[mount.call], mount.bind, step.id, step.at, instance=instance
    )
    attempt.audit["chosen_by"] = selection.by
    if judged is not None:
        stopped = gated(attempt, judged)
        if stopped is not None:
            return stopped
    if not selection.ready:
        return _not_ready(attempt, selection)
    proposed = yield from propose(turn, step, selection)
    if turn.interrupted:
        return attempt.ended("skipped", "a person took over before the call")
    if attempt.tool.fact is not None:
        notice_unknown(turn, attempt.tool, mount.bind, proposed)
    admitted, invented = traced(turn, selection, proposed)
    strangers = with_strangers(turn, selection, proposed)
    if proposed:
        attempt.audit["proposed"] = sorted(proposed)
    if invented or strangers:
        attempt.audit["invented"] = sorted((*invented, *strangers))
        proposed = {name: given for name, given in proposed.items() if name not in strangers}
    attempt.desk = replace(desk, history=admitted, proposed=proposed, from_history=frozenset(admitted))
    unsaid = {slot for slot in invented.values() if slot not in turn.slots}
    if unsaid:
        return attempt.ended("missing", "an identifier that the user did not say", missing=tuple(sorted(unsaid)))
    return (yield from calls.made(attempt))


def _not_ready(attempt: Attempt, selection: Selection) -> CallResult:
    """The model says that something is missing; what a person can give of it is asked for."""
    slots = copied_slots(attempt.tool.input, attempt.bind)
    named = [slots[name] for name in selection.missing if name in slots]
    needed = [
        slot for name, slot in slots.items() if slot not in attempt.turn.slots and not attempt.tool.input[name].optional
    ]
    missing = tuple(dict.fromkeys(slot for slot in (*named, *needed) if slot not in attempt.turn.slots))
    return attempt.ended("missing", "the model says that it cannot be called yet", missing=missing)


def _lacks(turn: Turn, result: CallResult) -> None:
    """What a blocked call lacks comes before everything else that could be said."""
    if can_be_asked(result):
        turn.asking.lack = guidance(turn, result)
        turn.asking.lacking = result
