"""The end of a turn: what is answered and where that came from, and the reply of the public contract made of it."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from interlock.interpreter.lookups import missed
from interlock.interpreter.slots import assumed, narrowing
from interlock.interpreter.state import Json, State
from interlock.interpreter.texts import engine_text
from interlock.interpreter.turn import CallResult, Turn

Outcome: TypeAlias = Literal[
    "answer", "ask", "refuse", "decline", "queued", "handed_off", "empty", "closed", "conflict", "degraded", "error"
]
Source: TypeAlias = Literal[
    "direct_response",
    "quick_match",
    "facts",
    "fixed_reply",
    "gate",
    "llm_generated",
    "narrative",
    "clarify",
    "human",
    "fallback",
    "empty",
]


@dataclass(slots=True)
class Answer:
    """What a turn comes to, before it is a reply; `source`, and what follows it, is for the record."""

    outcome: Outcome
    text: str = ""
    source: Source = "empty"
    reason: str = ""
    data: Any = None
    missing: list[str] = field(default_factory=list)
    candidates: dict[str, list[Any]] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    output_mode: str | None = None
    rule: str | None = None
    prefix: str | None = None
    fallback_used: bool = False


def body(turn: Turn, answer: Answer) -> Json:
    """The reply of the public contract; assumptions are said in the text unless it is data for programs."""
    text = answer.text
    notes = assumed(turn) if turn.notes else []
    if notes and text and answer.output_mode not in ("raw_json", "json_subset"):
        text = f"{text}\n\n{_joined(turn, notes)}"
    reply = plain_body(turn.state, answer.outcome, text, answer.reason)
    reply["data"] = answer.data
    reply["missing"] = answer.missing
    reply["candidates"] = answer.candidates
    reply["assumptions"] = [
        {"slot": name, "value": turn.slots[name].value, "note": note, "options": _narrower(turn, answer, name)}
        for name, note in notes
    ]
    narrower = [option for one in reply["assumptions"] for option in one["options"]]
    reply["options"] = list(dict.fromkeys([*answer.options, *turn.options, *narrower]))
    reply["sources"] = [_receipt(call) for call in turn.real_calls if call.outcome == "success" and not missed(call)]
    if turn.asked is not None:
        reply["sources"] += _documents(turn.asked.passages)
    return reply


def _narrower(turn: Turn, answer: Answer, name: str) -> list[str]:
    """What may be said in place of an assumed value; a question has options of its own."""
    return [] if answer.outcome == "ask" else narrowing(turn, name)


def _receipt(call: CallResult) -> Json:
    """The call that a reply rests on, and where the fact that it found comes from."""
    source = {"tool": call.tool, "receipt": call.receipt_id}
    return source if call.fact is None else {**source, "source": call.fact["source"]}


def _documents(passages: list[Json]) -> list[Json]:
    """The sources of passages, each once."""
    return list({json.dumps(one["source"], sort_keys=True): one["source"] for one in passages}.values())


def plain_body(state: State, outcome: Outcome, text: str = "", reason: str = "") -> Json:
    """A reply with nothing but an outcome and a text."""
    return {
        "turn": state.turn,
        "text": text,
        "data": None,
        "outcome": outcome,
        "reason": reason,
        "status": state.status,
        "missing": [],
        "candidates": {},
        "options": [],
        "assumptions": [],
        "sources": [],
        "record_id": record_id(state, state.turn),
    }


def record_id(state: State, turn: int) -> str:
    """Where the record of a turn is found."""
    return f"{state.run_id}/{turn}"


def _joined(turn: Turn, notes: list[tuple[str, str]]) -> str:
    """One note that names every assumed slot: the author's words, and one sentence of the engine for the rest."""
    own = [note for name, note in notes if turn.program.plan.slots[name].note is not None]
    rest = [note for name, note in notes if turn.program.plan.slots[name].note is None]
    if rest:
        separator = "、" if turn.language.startswith("zh") else ", "
        own.append(engine_text(turn.program, turn.language, "assumed", items=separator.join(rest)))
    return ("" if turn.language.startswith("zh") else " ").join(own)
