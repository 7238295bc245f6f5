"""Which values may fill a slot: those that pass its checks; one that nobody has said must be such a value at all."""

from typing import TYPE_CHECKING, Any

from interlock.interpreter.texts import engine_text, said_or, slot_title
from interlock.interpreter.turn import Turn
from interlock.text.extractors import could_give

if TYPE_CHECKING:
    from interlock.plan.words import SlotCheck


def problem_of(turn: Turn, name: str, value: Any) -> str:
    """What the person is told when a check of the slot does not hold for `value`; empty when all hold."""
    check = _failed(turn, name, value)
    if check is None:
        return ""
    fallback = engine_text(turn.program, turn.language, "ask", title=slot_title(turn, name))
    return said_or(turn, check.otherwise, check.at, fallback, turn.context.extended(value=value))


def unfit(turn: Turn, name: str, value: Any) -> str:
    """Why a value that is computed cannot fill the slot, without the value itself; empty when it can."""
    if not turn.program.plan.slots[name].many:
        return _unfit(turn, name, value)
    if not isinstance(value, list):
        return f"the slot {name!r} takes a list of values, and this is one"
    return next(filter(None, (_unfit(turn, name, one) for one in value)), "")


def _unfit(turn: Turn, name: str, value: Any) -> str:
    slot = turn.program.plan.slots[name]
    if slot.vocabulary and not turn.program.is_code(slot.vocabulary, value):
        return f"this is no code of the vocabulary {slot.vocabulary!r}"
    if slot.extract and not could_give(slot.extract, value):
        return f"this is no value of the slot {name!r}: `extract: {slot.extract}` never gives it"
    check = _failed(turn, name, value)
    return "" if check is None else f"this does not pass a check of the slot {name!r}: `{check.that}`"


def _failed(turn: Turn, name: str, value: Any) -> "SlotCheck | None":
    """The first check of a slot that does not hold for a value."""
    context = turn.context.extended(value=value)
    checks = turn.program.plan.slots[name].checks
    return next((one for one in checks if not turn.program.condition(one.that)(context)), None)
