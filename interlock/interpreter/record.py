"""The record of a turn or event: what was decided and why, as data. Sensitive values are masked in it.

The transcript, too, is written here; trusted history keeps the words themselves, because identifiers are read from it.
"""

from typing import Any

from interlock.interpreter.lookups import none_found
from interlock.interpreter.masking import text_of, text_to_keep, without_secrets
from interlock.interpreter.models.roles import overriding, settings_of
from interlock.interpreter.models.scratchpad import for_record
from interlock.interpreter.program import Program
from interlock.interpreter.replies import Answer, record_id
from interlock.interpreter.secrets import Secrets
from interlock.interpreter.slots import assumed
from interlock.interpreter.state import RECORDS_KEPT, Json, State
from interlock.interpreter.turn import Asking, Filled, Turn
from interlock.plan.marks import MASK

SCHEMA = "v2"
FAULT = "internal_error"
"""The reason of a turn that a fault of ours has ended."""

NOTHING: Json = {
    "kind": "turn",
    "event": None,
    "by": None,
    "effect": None,
    "route": None,
    "gates": [],
    "slots": {},
    "identifiers": [],
    "intents": [],
    "conditions": {},
    "decisions": {},
    "steps": [],
    "calls": [],
    "runs": [],
    "invocation_count": 0,
    "events": [],
    "caught": [],
    "problems": [],
    "skipped_tools": [],
    "abandoned_flow": None,
    "waits_for": None,
    "assumed": [],
    "response_source": None,
    "output_mode": None,
    "response_rule_key": None,
    "raw_tool_key": None,
    "quick_match_prefix": None,
    "raw_passthrough": False,
    "direct_response": False,
    "format_fallback_used": False,
    "model_stage_decisions": None,
    "final_model_role": None,
    "final_model_settings": None,
    "runtime": None,
    "scratchpad": [],
    "plans": [],
    "selections": [],
    "generations": [],
    "retrievals": [],
    "memory": None,
    "sources": [],
    "guard_triggered": None,
    "guard_flags": {},
}
"""A record of something in which nothing was decided; every record has these keys."""


def of_turn(turn: Turn, answer: Answer, reply: Json) -> Json:
    """The record of a turn that ran through the rules."""
    real = turn.real_calls
    record = {
        **NOTHING,
        **_head(turn.state, turn.message.now_ms, turn.now_ms),
        "request_id": turn.message.id,
        "message": _message(turn),
        "language": turn.language,
        "route": turn.route,
        "gates": turn.gates,
        "slots": {name: _slot(turn, filled) for name, filled in turn.slots.items()},
        "identifiers": _identifiers(turn),
        "intents": [name for name, holds in turn.intents.items() if holds],
        "conditions": turn.conditions,
        "decisions": turn.decisions,
        "steps": turn.steps,
        "calls": [call.audit for call in turn.calls],
        "runs": turn.runs,
        "invocation_count": len(real),
        "events": turn.events,
        "caught": turn.caught,
        "problems": turn.problems,
        "skipped_tools": sorted(turn.skipped_tools),
        "abandoned_flow": turn.abandoned or None,
        "waits_for": _waits_for(turn),
        "assumed": [name for name, _ in assumed(turn)],
        "outcome": reply["outcome"],
        "reason": reply["reason"],
        "response_source": answer.source,
        "output_mode": answer.output_mode,
        "response_rule_key": answer.rule,
        "quick_match_prefix": answer.prefix,
        "direct_response": bool(real) and answer.source in ("direct_response", "quick_match"),
        "format_fallback_used": answer.fallback_used,
        "sources": reply["sources"],
        "guard_triggered": none_found(turn),
        **({} if turn.asked is None else _asked(turn, turn.asked)),
    }
    return without_secrets(turn, record, record=True)


def plain(
    program: Program, state: State, message: Any, secrets: Secrets | None, outcome: str, source: str, effect: str
) -> Json:
    """The record of a message that no rule was asked about."""
    metadata = _metadata(program, message.metadata)
    return {
        **NOTHING,
        **_head(state, message.now_ms, message.now_ms),
        "request_id": message.id,
        "message": _message_of(message, text_of(program, message, secrets), metadata),
        "language": None,
        "effect": effect,
        "outcome": outcome,
        "reason": "",
        "response_source": source,
    }


def of_event(state: State, event: str, by: str, effect: str, now_ms: int) -> Json:
    """The record of a colleague's event or a timer."""
    return {
        **NOTHING,
        **_head(state, now_ms, now_ms),
        "kind": "event",
        "event": event,
        "by": by or None,
        "effect": effect,
        "request_id": None,
        "message": None,
        "language": None,
        "outcome": None,
        "reason": "",
    }


def of_fault(state: State, message_id: str, error: Exception, now_ms: int) -> Json:
    """The record of a turn that a fault of the engine has ended; nothing is kept of what nobody has read."""
    return {
        **NOTHING,
        **_head(state, now_ms, now_ms),
        "request_id": message_id or None,
        "message": None,
        "language": None,
        "outcome": "error",
        "reason": FAULT,
        "problems": [{"at": None, "code": FAULT, "message": type(error).__name__}],
    }


def keep(state: State, record: Json) -> None:
    """Add a record; only the last ones are kept."""
    state.records.append(record)
    if len(state.records) > RECORDS_KEPT:
        del state.records[:-RECORDS_KEPT]


def said(state: State, role: str, text: str, now_ms: int, kept: int) -> None:
    """Add a line to the transcript."""
    state.transcript.append({"turn": state.turn, "role": role, "text": text, "at_ms": now_ms})
    if len(state.transcript) > kept:
        del state.transcript[: len(state.transcript) - kept]


def _head(state: State, started_ms: int, ended_ms: int) -> Json:
    return {
        "schema": SCHEMA,
        "record_id": record_id(state, state.turn),
        "turn": state.turn,
        "session": state.session_id,
        "run": state.run_id,
        "plan": state.plan_digest,
        "status": state.status,
        "timings": {"started_ms": started_ms, "ended_ms": ended_ms},
    }


def _message(turn: Turn) -> Json:
    return _message_of(turn.message, text_to_keep(turn), _metadata(turn.program, turn.message.metadata))


def _metadata(program: Program, metadata: Json) -> Json:
    marks = program.sensitive
    masked: Json = metadata if marks is None else marks.masked(("message", "metadata"), metadata)
    return masked


def _message_of(message: Any, text: str, metadata: Json) -> Json:
    """The message; of the history that came with it only how much it was, for no rule reads it."""
    return {
        "role": message.role,
        "type": message.type,
        "text": text,
        "metadata": metadata,
        "history": len(message.history),
    }


def _slot(turn: Turn, filled: Filled) -> Json:
    hidden = filled.slot in turn.program.sensitive_slots
    words = [(MASK, MASK) if hidden else (one.value, one.raw) for one in filled.found]
    unknown = [MASK if hidden else one.raw for one in filled.unknown]
    return {
        **({"unknown": unknown} if unknown else {}),
        "status": filled.status,
        "source": filled.source,
        "turn": filled.turn,
        "value": MASK if hidden else filled.value,
        "found": [[*pair, one.start, one.end] for pair, one in zip(words, filled.found, strict=True)],
    }


def _identifiers(turn: Turn) -> list[Json]:
    names = [name for name in turn.slots if name in turn.program.identifiers]
    return [
        {"slot": name, "value": one[0], "raw": one[1], "start": one[2], "end": one[3], "turn": turn.slots[name].turn}
        for name in names
        for one in _slot(turn, turn.slots[name])["found"]
    ]


def runtime_of(turn: Turn) -> str | None:
    """The runtime of the last round so far, of a step or of the Agent; none if there was none."""
    rounds = turn.asking.selections
    return rounds[-1].get("runtime", turn.program.plan.runtime) if rounds else None


def _asked(turn: Turn, asked: Asking) -> Json:
    """What was asked of models and retrievers; who wrote last, and with which settings."""
    written = [one["role"] for one in asked.roles if one["stage"] == "generation"]
    settings = settings_of(turn.program.plan, written[-1], overriding(turn)) if written else None
    return {
        "model_stage_decisions": asked.roles or None,
        "final_model_role": written[-1] if written else None,
        "final_model_settings": settings and settings.model_dump(exclude={"at"}, exclude_none=True),
        "runtime": runtime_of(turn),
        "scratchpad": [
            {"step": step, **for_record(block)} for step, blocks in asked.scratchpads.items() for block in blocks
        ],
        "plans": asked.plans,
        "selections": asked.selections,
        "generations": asked.generations,
        "retrievals": asked.retrievals,
        "memory": asked.memory,
        "guard_flags": asked.flags,
    }


def _waits_for(turn: Turn) -> list[str] | None:
    flow = turn.state.flow
    return list(flow["asked"]) if flow is not None else None
