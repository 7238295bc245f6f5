"""The step `act`: the runtime chooses among mounts, and a model may; rules decide what is called, and with what."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from interlock.interpreter import calls, run_steps
from interlock.interpreter.actions import hand_over
from interlock.interpreter.attempts import Attempt, held
from interlock.interpreter.called import can_be_asked, guidance
from interlock.interpreter.failures import Interrupted
from interlock.interpreter.identifiers import copied_slots
from interlock.interpreter.models.proposing import propose, traced
from interlock.interpreter.models.scratchpad import Scratchpad
from interlock.interpreter.models.selecting import Selection, goes_on, select
from interlock.interpreter.reading import read
from interlock.interpreter.record import text_to_keep
from interlock.interpreter.runtimes.port import HandOver
from interlock.interpreter.sources import Desk
from interlock.interpreter.turn import Calling, CallResult, Turn

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.plan.steps import ActStep


def act(turn: Turn, step: "ActStep", path: str, entry: "Json") -> "Calling[Json]":
    """Rounds of one action each, until the runtime ends them, one is blocked, or there have been enough.

    `entry` is the step's in the journal: it holds the scratchpad while a procedure runs.
    """
    if not turn.read:
        read(turn)
    pad = Scratchpad(entry.get("blocks", []))
    turn.asking.scratchpads[step.id] = pad.blocks
    loop = _Loop(turn, step, path, entry, pad, [])
    going = loop.taken_up() if "ended" in entry else True
    while going and pad.round < step.max_rounds:
        going = yield from loop.round()
    turn.last = loop.made
    return {"result": [one.result for one in loop.made if one.outcome == "success"]}


@dataclass(slots=True)
class _Loop:
    turn: Turn
    step: "ActStep"
    path: str
    entry: "Json"
    pad: Scratchpad
    made: list[CallResult]

    def round(self) -> Calling[bool]:
        """A choice and what comes of it; whether another may follow."""
        turn, number = self.turn, self.pad.round + 1
        turn.context["turn"] = {**turn.context["turn"], "round": number}
        move, selection = yield from select(turn, self.step, number, self.pad.blocks)
        if turn.interrupted:
            raise Interrupted
        self.pad.thought(number, move, selection)
        if isinstance(move, HandOver) and self.step.handoff is not None:
            raise hand_over(turn, self.step.handoff)
        if selection is None:
            return False
        self.pad.action(number, selection)
        result = yield from self._tried(selection, number)
        if turn.interrupted:
            raise Interrupted
        calls.ended(turn, result)
        return self._observed(result)

    def taken_up(self) -> bool:
        """Goes on after a procedure, in a turn of its own; whether another round may follow."""
        turn, ended = self.turn, self.entry.pop("ended")
        turn.asking.said = self.entry["said"]
        turn.intents |= dict.fromkeys(self.entry["intents"], True)
        self.made = self.pad.results(self.step.id, self.step.at)
        result = CallResult(self.pad.blocks[-1]["name"], self.step.id, self.step.at, "success", went_out=True)
        if ended["ending"] == "done":
            result.result = ended["result"]
        else:
            result.outcome, result.effect = "error", "unknown"
            turn.failed(self.step.at, "procedure-failed", ended["message"])
        turn.asking.earlier = [*self.made, result]
        return self._observed(result)

    def _observed(self, result: CallResult) -> bool:
        """What came of an action; one that may have changed something, or that lacks something, is the last."""
        self.made.append(result)
        failed_well = result.outcome in ("error", "timeout") and result.effect == "none"
        self.pad.observation(result)
        if can_be_asked(result):  # what a blocked call lacks comes before everything else that could be said
            self.turn.asking.lack = guidance(self.turn, result)
            self.turn.asking.lacking = result
        if result.outcome != "success" and not failed_well:
            return False
        tried = sum(block["went_out"] for block in self.pad.observations)
        return tried < self.step.max_calls and goes_on(self.turn, self.step, self.pad.blocks)

    def _tried(self, selection: Selection, number: int) -> Calling[CallResult]:
        """One action: the gate before arguments, the proposals, what can be traced of them, and the call itself."""
        turn, step = self.turn, self.step
        candidate = selection.candidate
        desk = Desk(turn, turn.context)
        instance = f"{turn.state.turn}/{step.id}/{number}"
        attempt = Attempt(desk, candidate.name, candidate.taking, candidate.bind, step.id, step.at, instance=instance)
        attempt.audit["chosen_by"] = selection.by
        if candidate.judged is not None:
            attempt.audit["pre_gate"] = candidate.judged.gravest.as_json()
            if candidate.judged.gravest.verdict != "go":
                return held(attempt, candidate.judged.gravest)
        if not selection.ready:
            return _not_ready(attempt, selection)
        proposed = yield from propose(turn, step, candidate)
        if turn.interrupted:
            return attempt.ended("skipped", "a person took over before the call")
        admitted, invented = traced(turn, candidate, proposed)
        if proposed:
            attempt.audit["proposed"] = sorted(proposed)
        if invented:
            attempt.audit["invented"] = sorted(invented)
        attempt.desk = replace(desk, history=admitted, proposed=proposed, from_history=frozenset(admitted))
        unsaid = {slot for slot in invented.values() if slot not in turn.slots}
        if unsaid:
            return attempt.ended("missing", "an identifier that the user did not say", missing=tuple(sorted(unsaid)))
        if candidate.name in turn.program.plan.tools:
            return (yield from calls.made(attempt))
        return self._run(attempt)

    def _run(self, attempt: Attempt) -> CallResult:
        """Leave the flow while the procedure runs; the scratchpad stays in the journal. What it lacks is a result."""
        turn = self.turn
        runs = run_steps.admitted(attempt, self.path)
        if isinstance(runs, CallResult):
            return runs
        said = turn.asking.said or text_to_keep(turn)
        intents = [name for name, holds in turn.intents.items() if holds]
        self.entry.update(blocks=self.pad.blocks, said=said, intents=intents)
        raise runs


def _not_ready(attempt: Attempt, selection: Selection) -> CallResult:
    """The model says that something is missing; what a person can give of it is asked for."""
    inputs = attempt.taking.input
    slots = copied_slots(inputs, attempt.bind)
    named = [slots[name] for name in selection.missing if name in slots]
    needed = [slot for name, slot in slots.items() if slot not in attempt.turn.slots and not inputs[name].optional]
    missing = tuple(dict.fromkeys(slot for slot in (*named, *needed) if slot not in attempt.turn.slots))
    return attempt.ended("missing", "the model says that it cannot be called yet", missing=missing)
