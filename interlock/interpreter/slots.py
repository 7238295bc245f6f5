"""Slots over the length of a conversation: what is kept, how they stand in the context, what is filled in and asked."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from interlock.expressions.outcomes import Missing, Several
from interlock.interpreter.state import Json
from interlock.interpreter.texts import SEPARATOR, engine_text, options_said, said_or, slot_title
from interlock.interpreter.turn import Filled, Found, Turn
from interlock.interpreter.valid import unfit

OPTIONS_OFFERED = 10
"""How many terms of a vocabulary are offered when the author lists no options."""


@dataclass(slots=True)
class Question:
    """What is asked for slots that a flow needs: words, and the same as data."""

    text: str
    slots: tuple[str, ...]
    missing: list[str] = field(default_factory=list)
    candidates: dict[str, list[Any]] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)


def root(turn: Turn) -> Json:
    """The context root `slots`: a value, values, or none for every declared slot."""
    values: Json = dict(turn.program.no_slots)
    for name, filled in turn.slots.items():
        if filled.status == "filled":
            values[name] = filled.value
        elif filled.status == "ambiguous":
            values[name] = Several(filled.candidates)
    return values


def put(turn: Turn, filled: Filled) -> None:
    """Fill a slot in this turn."""
    turn.slots[filled.slot] = filled
    turn.context["slots"] = root(turn)


def kept(turn: Turn) -> dict[str, Filled]:
    """The slots of the session that earlier turns left; those of a waiting flow come in when it goes on."""
    slots = turn.program.plan.slots
    return {name: filled for name, filled in _left(turn).items() if slots[name].keep == "session"}


def take_up(turn: Turn) -> None:
    """Bring in the slots of the flow that goes on; what the message says itself counts before them."""
    for name, filled in _left(turn).items():
        known = turn.slots.get(name)
        if known is None or known.source in ("assumed", "default"):
            turn.slots[name] = filled
    turn.context["slots"] = root(turn)


def _left(turn: Turn) -> dict[str, Filled]:
    return _filled(turn, turn.state.slots)


def _filled(turn: Turn, entries: dict[str, Any]) -> dict[str, Filled]:
    return {
        name: Filled(
            name,
            entry["status"],
            entry["value"],
            tuple(Found(name, *one) for one in entry["found"]),
            "kept",
            entry["turn"],
            "",
            tuple(Found(name, *one) for one in entry.get("unknown", ())),
        )
        for name, entry in entries.items()
        if name in turn.program.plan.slots
    }


def entries_of(turn: Turn) -> dict[str, Any]:
    """All slots that are known, as the state keeps them."""
    return {name: _entry(filled) for name, filled in turn.slots.items() if _lives_on(filled)}


def _lives_on(filled: Filled) -> bool:
    """Whether another turn may need it: not what is no value, or one value that may be another slot's."""
    return filled.status != "invalid" and not (filled.status == "ambiguous" and len(filled.found) == 1)


def _entry(filled: Filled) -> dict[str, Any]:
    entry = {
        "status": filled.status,
        "value": filled.value,
        "found": [[one.value, one.raw, one.start, one.end] for one in filled.found],
        "turn": filled.turn,
    }
    unknown = [[one.value, one.raw, one.start, one.end] for one in filled.unknown]
    return entry | {"unknown": unknown} if unknown else entry


def restore(turn: Turn, entries: dict[str, Any]) -> None:
    """Bring in slots that `entries_of` gave; nothing is read from a message."""
    turn.read = True
    turn.slots = _filled(turn, entries)
    turn.intents = dict(turn.program.no_intents)
    turn.context["intents"] = turn.intents
    turn.context["slots"] = root(turn)


def keep(turn: Turn) -> None:
    """Leave to later turns what is to live on: all slots of a flow that waits, and those of the session."""
    flow = turn.state.flow
    waits_from_before = flow is not None and flow["turn"] != turn.state.turn
    entries = dict(turn.state.slots) if waits_from_before else {}
    for name, filled in turn.slots.items():
        if _lives_on(filled) and (_of_session(turn, filled) or (flow is not None and not waits_from_before)):
            entries[name] = _entry(filled)
    turn.state.slots = entries


def _of_session(turn: Turn, filled: Filled) -> bool:
    of_session = turn.program.plan.slots[filled.slot].keep == "session"
    return of_session and filled.status == "filled" and filled.source in ("message", "kept")


def fill_in(turn: Turn, names: Iterable[str]) -> None:
    """Assume or default those of `names` that are not filled, in their order; what is assumed is said."""
    for name in names:
        slot = turn.program.plan.slots[name]
        given = slot.assume if slot.assume is not None else slot.default
        if name in turn.slots or given is None:
            continue
        try:
            value = turn.program.value(given)(turn.context)
        except Missing as missing:
            turn.failed(slot.at, "cannot-fill-in", str(missing))
            continue
        assume(turn, name, value, said=slot.assume is not None)


def assume(turn: Turn, name: str, value: Any, *, said: bool = True) -> None:
    """Fill a slot without the person having said it, with a value that it takes; several values are none."""
    if turn.program.plan.slots[name].many and isinstance(value, list):
        value = [one for one in value if one is not None] or None
    if value is None or isinstance(value, Several):
        return
    if reason := unfit(turn, name, value):
        turn.failed(turn.program.plan.slots[name].at, "cannot-fill-in", reason)
        return
    put(turn, Filled(name, "filled", value, (), "assumed" if said else "default", turn.state.turn))
    if not said:
        return
    slot = turn.program.plan.slots[name]
    shown = turn.context["$show"](value, f"slots.{name}")
    note = said_or(turn, slot.note, slot.at, "") if slot.note is not None else ""
    turn.notes.append((name, note or f"{slot_title(turn, name)} {shown}"))


def assumed(turn: Turn) -> list[tuple[str, str]]:
    """Slots whose assumed value has stood to the end of the turn, with the words that say so."""
    return [(name, note) for name, note in turn.notes if name in turn.slots and turn.slots[name].source == "assumed"]


def question(turn: Turn, names: Iterable[str]) -> Question | None:
    """What must be asked before all of `names` are filled: one slot at a time; none if they are."""
    open_ = [name for name in names if _is_open(turn, name)]
    if not open_:
        return None
    first = next((name for name in open_ if name in turn.slots), open_[0])
    filled = turn.slots.get(first)
    asked = Question("", (first, *(name for name in open_ if name != first)))
    asked.missing = [
        name for name in open_ if name not in turn.slots or turn.slots[name].status in ("invalid", "unrecognized")
    ]
    asked.candidates = {
        name: turn.slots[name].candidates
        for name in open_
        if name in turn.slots and turn.slots[name].status == "ambiguous"
    }
    if filled is None:
        asked.text, asked.options = ask_text(turn, first), offered(turn, first)
    elif filled.status == "invalid":
        asked.text, asked.options = filled.problem, offered(turn, first)
    elif filled.status == "unrecognized":
        asked.text, asked.options = unrecognized_text(turn, first, filled.unknown[0].raw), offered(turn, first)
    else:
        asked.text = clarify_text(turn, first, filled.candidates)
        asked.options = [turn.context["$show"](value, f"slots.{first}") for value in filled.candidates]
    return asked


def _is_open(turn: Turn, name: str) -> bool:
    """Whether a slot is still to be filled; the word that means nothing to a look-up is what that answers with."""
    filled = turn.slots.get(name)
    if filled is None:
        return True
    if filled.status == "unrecognized":
        return name not in turn.program.looked_up
    return filled.status != "filled"


def unrecognized_text(turn: Turn, name: str, raw: str) -> str:
    """That a word means none of a slot's codes."""
    return engine_text(turn.program, turn.language, "unrecognized", title=slot_title(turn, name), raw=raw)


def ask_text(turn: Turn, name: str) -> str:
    """The question for a slot that is not filled."""
    slot = turn.program.plan.slots[name]
    return said_or(
        turn, slot.ask, slot.at, engine_text(turn.program, turn.language, "ask", title=slot_title(turn, name))
    )


def clarify_text(turn: Turn, name: str, candidates: list[Any]) -> str:
    """The question which of several values is meant."""
    slot = turn.program.plan.slots[name]
    shown = turn.context["$show"](candidates, f"slots.{name}")
    if len(candidates) == 1:
        return _contended_text(turn, name, shown)
    fallback = engine_text(turn.program, turn.language, "clarify", title=slot_title(turn, name), candidates=shown)
    return said_or(turn, slot.clarify, slot.at, fallback, turn.context.extended(candidates=candidates))


def _contended_text(turn: Turn, name: str, shown: str) -> str:
    """The question for a slot whose one value may be another slot's."""
    asked = ask_text(turn, name)
    spans = {(one.start, one.end) for one in turn.contended if one.slot == name}
    rivals = dict.fromkeys(slot_title(turn, one.slot) for one in turn.contended if (one.start, one.end) in spans)
    if not rivals:
        return asked
    titles = SEPARATOR.get(turn.language, ", ").join(rivals)
    said = engine_text(turn.program, turn.language, "contended", candidates=shown, titles=titles)
    return f"{said}{'' if turn.language.startswith('zh') else ' '}{asked}"


def offered(turn: Turn, name: str) -> list[str]:
    """What the person may answer: the declared options, or the first terms of the vocabulary."""
    slot = turn.program.plan.slots[name]
    if slot.options or not slot.vocabulary:
        return options_said(turn, slot.options, slot.at)
    terms = turn.program.plan.vocabularies[slot.vocabulary].terms[:OPTIONS_OFFERED]
    return [turn.program.term_title(slot.vocabulary, term.code, turn.language) for term in terms]


def narrowing(turn: Turn, name: str) -> list[str]:
    """What the person may say in place of a value that was assumed for them."""
    shown = turn.context["$show"](turn.slots[name].value, f"slots.{name}")
    return [option for option in offered(turn, name) if option != shown]


def answers(turn: Turn) -> bool:
    """Whether the message gave a slot that the waiting flow asked for its value, or several values anew."""
    assert turn.state.flow is not None
    known, before = turn.slots, turn.state.slots
    return any(
        known[name].status == "filled" or before.get(name, {}).get("status") != "ambiguous"
        for name in turn.state.flow["asked"]
        if _said_now(turn, name)
    )


def speaks_of(turn: Turn, asked: Iterable[str]) -> bool:
    """Whether the message gave values to one of `asked`, be they too many."""
    return any(_said_now(turn, name) for name in asked)


def _said_now(turn: Turn, name: str) -> bool:
    filled = turn.slots.get(name)
    return filled is not None and filled.status in ("filled", "ambiguous") and filled.turn == turn.state.turn
