"""What a turn has found out: results and passages that prose may rest on, and calls that gave nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import CallResult, Turn


def results(turn: "Turn") -> "list[CallResult]":
    """The calls that have succeeded, of this turn and of those that its flow has gone on from."""
    return [call for call in _calls(turn) if call.outcome == "success"]


def outcomes(turn: "Turn") -> "list[Json]":
    """The calls that have not, with what may be said of them; one that was silently skipped adds nothing."""
    return [
        {"tool": call.tool, "outcome": call.outcome} | ({"message": call.message} if call.message else {})
        for call in _calls(turn)
        if call.outcome not in ("success", "skipped") or (call.outcome == "skipped" and call.message)
    ]


def _calls(turn: "Turn") -> "list[CallResult]":
    return [*turn.asking.earlier, *turn.calls] if turn.asked is not None else turn.calls


def is_there(turn: "Turn") -> bool:
    """Whether anything of this turn bears an answer: a successful receipt or a passage."""
    return bool(turn.asking.passages) or bool(results(turn))


def sources(turn: "Turn") -> Iterator[Any]:
    """Where a figure may stand: the user's words, results, passages, and what the spec itself says."""
    yield turn.message.text
    yield from (one["text"] for one in turn.state.transcript if one["role"] == "user")
    yield from (call.result for call in results(turn))
    yield from (call.arguments for call in results(turn))
    yield from (one["text"] for one in turn.asking.passages)
    yield from (one["source"] for one in turn.asking.passages)
    yield turn.program.plan.config
