"""What a turn has found out, and what of it a model was shown: only that bears what it writes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.interpreter.lookups import missed

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import CallResult, Turn


@dataclass(frozen=True, slots=True)
class Shown:
    """The data of a prompt: as text, and the results and passages that stand whole in it."""

    text: str = ""
    results: tuple[Any, ...] = ()
    passages: "tuple[Json, ...]" = ()
    remembers: bool = False
    """What is remembered of the person stands in it too, and bears nothing."""

    @property
    def bears(self) -> bool:
        """Whether anything of it bears an answer."""
        return bool(self.results or self.passages)


def results(turn: "Turn") -> "list[CallResult]":
    """The calls that have given something, of this turn and of those that its flow has gone on from.

    These are successful ones, and look-ups that have found a fact.
    """
    return [call for call in _calls(turn) if call.outcome == "success" and not missed(call)]


def found_in_loops(turn: "Turn") -> bool:
    """Whether a model has searched for something in a loop, and it was found."""
    loops = turn.asked.scratchpads.values() if turn.asked is not None else ()
    return any(block.get("passages") for blocks in loops for block in blocks)


def outcomes(turn: "Turn") -> "list[Json]":
    """The calls that have not, with what may be said of them; one that was silently skipped adds nothing."""
    return [
        {"tool": call.tool, "outcome": str(call.fact["status"]) if call.fact is not None else call.outcome}
        | ({"message": call.message} if call.message else {})
        for call in _calls(turn)
        if call.outcome not in ("success", "skipped") or (call.outcome == "skipped" and call.message) or missed(call)
    ]


def _calls(turn: "Turn") -> "list[CallResult]":
    return [*turn.asking.earlier, *turn.calls] if turn.asked is not None else turn.calls


def receipts(turn: "Turn", shown: Shown) -> Iterator[Any]:
    """Where a figure may stand beside facts: results, what calls were given, and passages; no word of the user's."""
    yield from shown.results
    yield from (_given(turn, call) for call in _calls(turn) if call.outcome == "success")
    yield from (one["text"] for one in shown.passages)
    yield from (one["source"] for one in shown.passages)


def sources(turn: "Turn", shown: Shown) -> Iterator[Any]:
    """Where a figure may stand: the user's words, results, passages, and what the spec itself says."""
    yield turn.message.text
    yield from (one["text"] for one in turn.state.transcript if one["role"] == "user")
    yield from receipts(turn, shown)
    yield turn.program.plan.config


def _given(turn: "Turn", call: "CallResult") -> "Json":
    """The arguments of a call that no model has made up."""
    declared = turn.program.plan.taking(call.tool).input
    return {name: value for name, value in call.arguments.items() if declared[name].source != "model"}
