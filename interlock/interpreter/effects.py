"""What a call of a tool that writes has done: the key it goes out with, and what is known of its effect afterwards."""

from typing import TYPE_CHECKING

from interlock.expressions.outcomes import Missing

if TYPE_CHECKING:
    from interlock.interpreter.attempts import Attempt
    from interlock.interpreter.context import Context
    from interlock.interpreter.events import ToolReturned
    from interlock.interpreter.outcomes import Classified
    from interlock.interpreter.turn import Effect

LOST = frozenset({408, 502, 504})
"""Statuses that a gateway answers with when the service itself has said nothing."""


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


def is_lost(came: "ToolReturned") -> bool:
    """Whether the request may have arrived, and no word of the service has come back."""
    if came.status is None:
        return came.sent and came.ending != "returned"
    unread = came.ending != "returned" and 200 <= came.status < 300  # it has acted, and nobody can tell how
    return unread or came.status in LOST


def effect_of(attempt: "Attempt", came: "ToolReturned", meaning: "Classified") -> "Effect":
    """Whether something has changed outside, as far as the answer tells."""
    if not attempt.tool.writes:
        return "none"
    if is_lost(came):
        return "unknown"
    answered_well = came.ending == "returned" and came.status is not None and 200 <= came.status < 300
    return "happened" if meaning.outcome == "success" or (answered_well and not meaning.at) else "none"
