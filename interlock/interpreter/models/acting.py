"""The step `act`: the runtime chooses among mounts, and a model may; rules decide what is called, and with what."""

from functools import partial
from typing import TYPE_CHECKING

from interlock.interpreter.actions import hand_over
from interlock.interpreter.failures import Interrupted
from interlock.interpreter.models.proposing import propose
from interlock.interpreter.models.rounds import Rounds
from interlock.interpreter.models.scratchpad import Scratchpad
from interlock.interpreter.models.searching import search
from interlock.interpreter.models.selecting import goes_on, select
from interlock.interpreter.provenance import RESULT
from interlock.interpreter.reading import read
from interlock.interpreter.runtimes.port import HandOver
from interlock.interpreter.turn import Calling, Turn

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.plan.steps import ActStep


def act(turn: Turn, step: "ActStep", path: str, entry: "Json") -> "Calling[Json]":
    """Rounds of one action each, until the runtime ends them, one is blocked, or there have been enough.

    `entry` is the step's in the journal: it holds the scratchpad while a procedure runs.
    """
    if not turn.read:
        read(turn)
    turn.asking.looks_up |= any(turn.program.plan.tools[name].fact is not None for name in step.tools)
    pad = Scratchpad(entry.get("blocks", []))
    turn.asking.scratchpads[step.id] = pad.blocks
    rounds = Rounds(turn, step, path, entry, pad)
    with turn.stages.within("tool-loop", step=step.id, at=step.at) as known:
        going = _goes_on(turn, step, rounds, may=rounds.taken_up()) if "ended" in entry else True
        while going and pad.round < step.max_rounds:
            going = yield from _round(turn, step, rounds)
        known["calls"] = sum(one.went_out for one in rounds.made)
    turn.last = rounds.made
    return {"result": rounds.results, RESULT: pad.ends}


def _round(turn: Turn, step: "ActStep", rounds: Rounds) -> Calling[bool]:
    """A choice and what comes of it; whether another may follow."""
    number = rounds.pad.round + 1
    turn.context["turn"] = {**turn.context["turn"], "round": number}
    move, selection = yield from select(turn, step, number, rounds.pad.blocks)
    if turn.interrupted:
        raise Interrupted
    rounds.pad.thought(number, move, selection)
    if isinstance(move, HandOver) and step.handoff is not None:
        raise hand_over(turn, step.handoff)
    if selection is None:
        return False
    if selection.candidate.searched:
        may = yield from search(turn, step, selection, number, rounds.pad)
    else:
        may = yield from rounds.tried(selection, number, partial(propose, turn, step))
    return _goes_on(turn, step, rounds, may=may)


def _goes_on(turn: Turn, step: "ActStep", rounds: Rounds, *, may: bool) -> bool:
    tried = sum(block["went_out"] for block in rounds.pad.observations)
    return may and tried < step.max_calls and goes_on(turn, step, rounds.pad.blocks)
