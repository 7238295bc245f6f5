"""What comes to a procedure from outside, checked against its plan: its input at the start, and events."""

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from interlock.expressions.outcomes import Missing
from interlock.interpreter.opening import InvalidMessage, fitting
from interlock.interpreter.work.state import EVENTS_KEPT, MAILBOX_BYTES, Json, RunState
from interlock.text.languages import named_language

if TYPE_CHECKING:
    from interlock.interpreter.events import EventReceived
    from interlock.interpreter.program import Program
    from interlock.plan.plan import Work


def started(
    program: "Program",
    *,
    run_id: str,
    given: Mapping[str, Any],
    now_ms: int,
    language: str = "",
    given_by: Json | None = None,
) -> RunState:
    """The state of a new run. Raises InvalidMessage for an input that is not as the procedure declares.

    `language` is what whoever runs it speaks; `given_by` the `{run, step}` that does, if it is a part of another.
    """
    work = program.plan.work
    if work is None:
        raise InvalidMessage("not-a-procedure", f"{program.plan.name!r} is no procedure")
    state = RunState(
        run_id=run_id,
        plan_digest=program.digest,
        input=fitting(work.input, given, "input"),
        given_by=given_by,
        started_ms=now_ms,
        last_ms=now_ms,
        deadline_ms=None if work.deadline_ms is None else now_ms + work.deadline_ms,
    )
    context = {"input": state.input, "config": program.plan.config, "run": {"id": run_id}}
    state.requester = _requester(program, work.requester, context)
    state.language = _language(program, work.language, context, language)
    return state


def _requester(program: "Program", declared: Any, context: Json) -> str:
    try:
        return str(program.value(declared)(context))
    except Missing as missing:
        raise InvalidMessage("wrong-input", f"the requester cannot be told: {missing}") from None


def _language(program: "Program", declared: Any, context: Json, spoken: str) -> str:
    """As the spec says, else as whoever runs it, else the first; a language that it does not have is not said."""
    languages = program.plan.languages
    try:
        wanted = str(program.value(declared)(context))
    except Missing:
        wanted = ""
    return named_language(languages, wanted) or named_language(languages, spoken) or languages[0]


def admitted(work: "Work", state: RunState, event: "EventReceived", *, awaited: bool) -> Json | None:
    """The data of an event with what is declared and not given; None for one that was received before.

    Raises InvalidMessage for an event that is not declared, not as declared, the same id with other data, or one that
    nothing waits for where there is no more room.
    """
    if event.name not in work.events:
        declared = ", ".join(work.events) or "none"
        raise InvalidMessage("unknown-event", f"no event {event.name!r} is declared; declared are: {declared}")
    data = fitting(work.events[event.name], event.data, "data")
    digest = hashlib.sha256(json.dumps([event.name, data], sort_keys=True).encode()).hexdigest()
    known = state.seen.get(event.id)
    if known is not None and known != digest:
        raise InvalidMessage("conflict", f"event {event.id!r} came before, with other data")
    if known is None:
        if not awaited:
            _room_for(state, data)
        state.seen[event.id] = digest
        while len(state.seen) > EVENTS_KEPT:
            del state.seen[next(iter(state.seen))]
    return data if known is None else None


def _room_for(state: RunState, data: Json) -> None:
    """Nothing that waits to be received is dropped for something newer."""
    waiting = [one for box in state.mailbox.values() for one in box]
    taken = sum(one["bytes"] for one in waiting)
    if len(waiting) >= EVENTS_KEPT or taken + size_of(data) > MAILBOX_BYTES:
        raise InvalidMessage("mailbox-full", f"{len(waiting):,} events wait to be received, and there is no more room")


def size_of(data: Json) -> int:
    """The room that the data of an event takes."""
    return len(json.dumps(data))
