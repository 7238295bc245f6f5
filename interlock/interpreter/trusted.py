"""Trusted history: what the last messages of the user, as this session received them, say about the present one.

Only identifiers, follow-ups and bare values ask here; screens and slots never do.
"""

from typing import Any

from interlock.interpreter.state import Json
from interlock.interpreter.turn import Found, Turn
from interlock.text.hits import Hit

EDGES = " \t\r\n\u3000,.;:!?#，。；：！？、“”\"'()（）"
"""White space and punctuation that may stand around a bare value or a follow-up."""

CHAT = "user_chat"
"""The one type of message for which history counts."""

_FILLERS = "请帮我您你麻烦给再吧呢吗啊呀哦嗯了的那就也好下"
FILLER_WORDS = frozenset("please pls now again then and so ok okay for me can could would you just it".split())  # noqa: SIM905 - legible
"""Politeness and particles that may stand beside a follow-up phrase."""

_BLANK = str.maketrans(dict.fromkeys(_FILLERS + EDGES, " "))


def trusted_values(turn: Turn, slot: str) -> list[Found]:
    """The distinct identifiers that stand in the trusted history for `slot`; none but for a chat message."""
    if turn.message.type != CHAT:
        return []
    found: dict[Any, Found] = {}
    for message in _recent(turn):
        for value, raw, start, end in message["slots"].get(slot, ()):
            found.setdefault(value, Found(slot, value, raw, start, end))
    return list(found.values())


def trusted_entry(turn: Turn) -> Json:
    """What the trusted history keeps of this turn's message."""
    identifiers = turn.program.identifiers
    return {
        "turn": turn.state.turn,
        "text": turn.text,
        "intents": [name for name, holds in turn.intents.items() if holds],
        "called": [call.tool for call in turn.real_calls],
        "slots": {
            name: [[one.value, one.raw, one.start, one.end] for one in filled.found]
            for name, filled in turn.slots.items()
            if name in identifiers and filled.turn == turn.state.turn
        },
    }


def _recent(turn: Turn) -> list[Json]:
    window = turn.program.plan.trusted_messages
    return turn.state.messages[-window:] if window else []


def expected(turn: Turn, slot: str) -> bool:
    """Whether this conversation is about what `slot` is for: it was asked, or recent messages show its capability."""
    if turn.state.flow is not None and slot in turn.state.flow["asked"]:
        return True
    intents, tools = turn.program.capability(slot)
    return any(
        not intents.isdisjoint(message["intents"]) or not tools.isdisjoint(message["called"])
        for message in _recent(turn)
    )


def shows_anything(turn: Turn) -> bool:
    """Whether recent messages show any intent or led to any call."""
    return any(message["intents"] or message["called"] for message in _recent(turn))


def shown(turn: Turn, intent: str) -> bool:
    """Whether trusted history shows the intent, or a call of a tool that is mounted for it."""
    tools = turn.program.tools_of.get(intent, set())
    return any(intent in message["intents"] or not tools.isdisjoint(message["called"]) for message in _recent(turn))


def is_short(text: str, hits: list[Hit], found: list[Found]) -> bool:
    """Whether nothing but follow-up phrases, values of slots, politeness and punctuation stands in `text`."""
    letters = list(text)
    for start, end in [*((hit.start, hit.end) for hit in hits), *((one.start, one.end) for one in found)]:
        letters[start:end] = " " * (end - start)
    return all(word.lower() in FILLER_WORDS for word in "".join(letters).translate(_BLANK).split())
