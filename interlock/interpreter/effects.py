"""What a call of a tool that writes has done: the key it goes out with, and what is known of its effect afterwards."""

from typing import TYPE_CHECKING

from interlock.expressions.outcomes import Missing
from interlock.interpreter.outcomes import may_have_acted

if TYPE_CHECKING:
    from interlock.interpreter.attempts import Attempt
    from interlock.interpreter.context import Context
    from interlock.interpreter.events import ToolReturned
    from interlock.interpreter.outcomes import Classified
    from interlock.interpreter.turn import Effect

LOST = frozenset({408, 502, 504})
"""Statuses of the last attempt that by rules 1 were no word of the service."""


def key_of(attempt: "Attempt", context: "Context") -> str:
    """The idempotency key; empty for a call that carries none. Raises `Missing`."""
    declared = attempt.tool.idempotency
    if declared is None or declared.kind == "none":
        return ""
    if not declared.key:
        return f"{attempt.turn.state.run_id}:{attempt.instance}"
    key = attempt.turn.program.value(declared.key)(context)
    if key is None or key == "":
        raise Missing("idempotency.key", "missing")
    return str(key)


def effect_of(attempt: "Attempt", came: "ToolReturned", meaning: "Classified") -> "Effect":
    """Whether something has changed outside, as far as the answers of all attempts tell."""
    if not attempt.tool.writes:
        return "none"
    if came.rules == 1:
        return _by_rules_1(came, meaning)
    if _has_acted(came, meaning):
        return "happened"
    answered = came.ending == "returned"
    doubtful = came.earlier or may_have_acted(meaning, came.status) if answered else came.sent
    return "unknown" if doubtful else "none"


def _has_acted(came: "ToolReturned", meaning: "Classified") -> bool:
    answered_well = came.ending == "returned" and came.status is not None and 200 <= came.status < 300
    return meaning.outcome == "success" or (answered_well and not meaning.at)


def _by_rules_1(came: "ToolReturned", meaning: "Classified") -> "Effect":
    """What was told of a call before `RULES` were written: its run goes on as it began."""
    if came.status is None:
        lost = came.sent and came.ending != "returned"
    else:
        unread = came.ending != "returned" and 200 <= came.status < 300
        lost = unread or came.status in LOST
    if lost:
        return "unknown"
    return "happened" if _has_acted(came, meaning) else "none"
