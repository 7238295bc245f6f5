"""Quick match: a message that begins with a gate's prefix; what follows is one value of the slot it fills."""

from typing import Any

from interlock.expressions.outcomes import Missing, NotMet
from interlock.interpreter.reading import accepted_bare, as_filled, read, values_of
from interlock.interpreter.replies import Answer
from interlock.interpreter.slots import put
from interlock.interpreter.texts import engine_text, said_or, slot_title
from interlock.interpreter.turn import Found, Turn
from interlock.plan.rules import Gate

USAGE = "usage"
"""The reason code of usage guidance."""


def wins(turn: Turn, gate: Gate) -> bool:
    """Whether `gate` has the longest prefix that the message begins with, of the gates whose `when` holds.

    Raises `Missing` where a `when` cannot be evaluated.
    """
    if turn.quick is None:
        turn.quick = _winner(turn)
    return turn.quick == gate.id


def _winner(turn: Turn) -> str:
    text = turn.text.lstrip()
    for gate in turn.program.prefixes:
        if text.startswith(gate.prefix) and _ends(turn, gate, text[len(gate.prefix) :]) and _admitted(turn, gate):
            return gate.id
    return ""


def _admitted(turn: Turn, gate: Gate) -> bool:
    met = not gate.when or turn.program.condition(gate.when)(turn.context)
    if isinstance(met, NotMet) and met.is_fault:
        raise Missing(met.path, met.reason)
    return bool(met)


def _ends(turn: Turn, gate: Gate, suffix: str) -> bool:
    """Whether the prefix is a word of its own: the end, white space or an identifier comes next."""
    if not suffix or suffix[0].isspace():
        return True
    return bool(gate.fills) and any(one.start == 0 for one in _accepted(turn, gate.fills, suffix))


def prepare(turn: Turn, gate: Gate) -> Answer | None:
    """Fill the gate's slot with the one value that follows the prefix; else the usage guidance."""
    if not turn.read:
        read(turn)
    offset = turn.text.index(gate.prefix) + len(gate.prefix)
    suffix = turn.text[offset:]
    if not gate.fills:
        return usage(turn, gate) if gate.verdict == "call" and suffix.strip() else None
    one = _only(turn, gate.fills, suffix)
    if one is None:
        return usage(turn, gate)
    filled = as_filled(turn, gate.fills, [Found(gate.fills, one.value, one.raw, one.start + offset, one.end + offset)])
    put(turn, filled)
    return None if filled.status == "filled" else usage(turn, gate, filled.problem)


def _only(turn: Turn, slot: str, suffix: str) -> Found | None:
    """The value that is all of `suffix`."""
    start, end = len(suffix) - len(suffix.lstrip()), len(suffix.rstrip())
    whole = [one for one in _accepted(turn, slot, suffix) if (one.start, one.end) == (start, end)]
    return whole[0] if len({one.value for one in whole}) == 1 else None


def _accepted(turn: Turn, slot: str, text: str) -> list[Found]:
    found = values_of(turn, slot, text)
    return found or [one for name, one in accepted_bare(turn.program, text, {}) if name == slot]


def usage(turn: Turn, gate: Gate, problem: str = "") -> Answer:
    """How the command is used; never an answer of the conversation behind it."""
    values: dict[str, Any] = {"prefix": gate.prefix}
    if gate.fills:
        fallback = engine_text(turn.program, turn.language, "usage", title=slot_title(turn, gate.fills), **values)
    else:
        fallback = engine_text(turn.program, turn.language, "command", **values)
    text = problem or said_or(turn, gate.usage, gate.at, fallback)
    answer = Answer("answer", text, "quick_match", USAGE, rule=gate.id, prefix=gate.prefix)
    answer.missing = [gate.fills] if gate.fills else []
    return answer
