"""One action of a loop or plan from end to end: gate, proposals, tracing, call; and whether another may follow it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.interpreter import calls, run_steps
from interlock.interpreter.attempts import Attempt, gated
from interlock.interpreter.called import can_be_asked, guidance
from interlock.interpreter.failures import Interrupted
from interlock.interpreter.identifiers import copied_slots
from interlock.interpreter.masking import learn, text_to_keep
from interlock.interpreter.models.proposing import notice_unknown, traced, with_strangers
from interlock.interpreter.sources import Desk, Given
from interlock.interpreter.turn import Calling, CallResult, Turn

if TYPE_CHECKING:
    from interlock.interpreter.models.scratchpad import Scratchpad
    from interlock.interpreter.models.selecting import Candidate, Selection
    from interlock.interpreter.state import Json
    from interlock.plan.steps import ActStep, PlanStep

Proposing: TypeAlias = "Callable[[Candidate], Calling[Json]]"
"""What gives the values that a model has for the arguments of an action."""


@dataclass(slots=True)
class Rounds:
    """The actions of one step so far; `entry` is the step's in the journal, for the time that a procedure runs."""

    turn: Turn
    step: "ActStep | PlanStep"
    path: str
    entry: "Json"
    pad: "Scratchpad"
    made: list[CallResult] = field(default_factory=list)

    def tried(
        self, selection: "Selection", number: int, propose: Proposing, results: Mapping[str, Given] | None = None
    ) -> Calling[bool]:
        """Try an action; whether another may follow. `results` are those of earlier actions that it takes."""
        self.pad.action(number, selection)
        result = yield from self._done(selection, propose, results or {}, number)
        if self.turn.interrupted:
            raise Interrupted
        calls.ended(self.turn, result)
        return self._observed(result)

    def taken_up(self) -> bool:
        """Goes on after a procedure, in a turn of its own; whether another action may follow."""
        turn, ended = self.turn, self.entry.pop("ended")
        turn.asking.said = self.entry["said"]
        turn.intents |= dict.fromkeys(self.entry["intents"], True)
        self.made = self.pad.results(self.step.id, self.step.at)
        turn.asking.passages += self.pad.found
        result = CallResult(self.pad.blocks[-1]["name"], self.step.id, self.step.at, "success", went_out=True)
        if ended["ending"] == "done":
            result.result = ended["result"]
            learn(turn, ("runs", result.tool), result.result)
        else:
            result.outcome, result.effect = "error", "unknown"
            turn.failed(self.step.at, "procedure-failed", ended["message"])
        turn.asking.earlier = [*self.made, result]
        return self._observed(result, ended["run"])

    @property
    def results(self) -> list[Any]:
        """What the actions that have succeeded gave, in order."""
        return [one.result for one in self.made if one.outcome == "success"]

    def _observed(self, result: CallResult, run: str = "") -> bool:
        """Note what came of an action; one that may have changed something, or that lacks something, is the last."""
        self.made.append(result)
        self.pad.observation(result, run)
        if can_be_asked(result):  # what a blocked call lacks comes before everything else that could be said
            self.turn.asking.lack = guidance(self.turn, result)
            self.turn.asking.lacking = result
        return result.outcome == "success" or (result.outcome in ("error", "timeout") and result.effect == "none")

    def _done(
        self, selection: "Selection", propose: Proposing, results: Mapping[str, Given], number: int
    ) -> Calling[CallResult]:
        turn, step, candidate = self.turn, self.step, selection.candidate
        desk = Desk(turn, turn.context, results=results)
        instance = f"{turn.state.turn}/{step.id}/{number}"
        attempt = Attempt(desk, candidate.name, candidate.taking, candidate.bind, step.id, step.at, instance=instance)
        attempt.audit["chosen_by"] = selection.by
        if candidate.judged is not None:
            stopped = gated(attempt, candidate.judged)
            if stopped is not None:
                return stopped
        if not selection.ready:
            return _not_ready(attempt, selection)
        proposed = yield from propose(candidate)
        if turn.interrupted:
            return attempt.ended("skipped", "a person took over before the call")
        notice_unknown(turn, candidate, proposed)
        admitted, invented = traced(turn, candidate, proposed)
        strangers = with_strangers(turn, candidate, proposed)
        if proposed:
            attempt.audit["proposed"] = sorted(proposed)
        if invented or strangers:
            attempt.audit["invented"] = sorted((*invented, *strangers))
            proposed = {name: given for name, given in proposed.items() if name not in strangers}
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


def _not_ready(attempt: Attempt, selection: "Selection") -> CallResult:
    """The model says that something is missing; what a person can give of it is asked for."""
    inputs = attempt.taking.input
    slots = copied_slots(inputs, attempt.bind)
    named = [slots[name] for name in selection.missing if name in slots]
    needed = [slot for name, slot in slots.items() if slot not in attempt.turn.slots and not inputs[name].optional]
    missing = tuple(dict.fromkeys(slot for slot in (*named, *needed) if slot not in attempt.turn.slots))
    return attempt.ended("missing", "the model says that it cannot be called yet", missing=missing)
