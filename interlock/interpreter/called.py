"""What a finished call is answered with, when nothing else in the flow says anything about it."""

from typing import Any

from interlock.interpreter import responses
from interlock.interpreter.rendered import Rendered
from interlock.interpreter.replies import Answer, Source
from interlock.interpreter.slots import Question, ask_text, clarify_text, offered, question, unrecognized_text
from interlock.interpreter.state import Json
from interlock.interpreter.texts import engine_text
from interlock.interpreter.turn import CallResult, Turn


def answered(turn: Turn, call: CallResult, response: str, source: Source) -> Answer:
    """The answer of a gate that calls: the result by `response` (raw if none), a question, or why there is none."""
    if can_be_asked(call):
        return asking(asked_for(turn, call), guidance(turn, call), call.outcome)
    if call.outcome in ("missing", "blocked"):
        return declined(turn, call)
    if call.outcome == "requires":
        text = call.message or engine_text(turn.program, turn.language, "requires")
        return Answer("refuse", text, source, "requires")
    if call.outcome == "skipped":
        return Answer("refuse", engine_text(turn.program, turn.language, "failed"), source, "not_available")
    rendered = responses.render(turn, response or None, call)
    if rendered.source == "facts":
        return stated(rendered)
    return Answer(
        "answer" if call.outcome == "success" else "error",
        rendered.text,
        source,
        "" if call.outcome == "success" else call.outcome,
        rendered.data,
        output_mode=rendered.output_mode,
        rule=response or None,
        fallback_used=rendered.fallback_used,
    )


def stated(rendered: Rendered) -> Answer:
    """The answer that states facts."""
    mode, rule = rendered.output_mode, rendered.rule
    return Answer(rendered.outcome, rendered.text, "facts", rendered.reason, rendered.data, output_mode=mode, rule=rule)


def can_be_asked(call: CallResult) -> bool:
    """Whether the person can give what the call lacks."""
    return call.outcome in ("missing", "ambiguous", "blocked") and bool(call.missing or call.candidates)


def declined(turn: Turn, call: CallResult) -> Answer:
    """The answer when a call lacks what the person cannot give."""
    text = call.message or engine_text(turn.program, turn.language, "no_result")
    return Answer("decline", text, "fallback", call.outcome, guidance(turn, call))


def direct(turn: Turn) -> Answer | None:
    """The direct response: exactly one real call in the turn, and its mount says how it is answered."""
    rendered = responses.direct(turn)
    if rendered is None:
        return None
    if rendered.source == "facts":
        answer = stated(rendered)
        answer.text = "\n\n".join([answer.text, *_refused(turn)])
        return answer
    call = turn.real_calls[0]
    return Answer(
        "answer" if call.outcome == "success" else "error",
        rendered.text,
        "direct_response",
        "" if call.outcome == "success" else call.outcome,
        rendered.data,
        output_mode=rendered.output_mode,
        rule=turn.program.mounts[call.tool].respond,
        fallback_used=rendered.fallback_used,
    )


def _refused(turn: Turn) -> list[str]:
    """Why the calls of loops that never went out did not, as far as there are words for it."""
    loops = turn.asked.scratchpads if turn.asked is not None else {}
    stopped = [call for call in turn.calls if call.step in loops and not call.went_out and call.fact is None]
    return [call.message or _stopped(turn, call) for call in stopped if call.message or call.outcome != "skipped"]


def _stopped(turn: Turn, call: CallResult) -> str:
    return engine_text(turn.program, turn.language, "requires" if call.outcome == "requires" else "no_result")


def asked_for(turn: Turn, call: CallResult) -> Question:
    """The question for what a call lacks; the service's own words where it gave any."""
    names = (*call.candidates, *(name for name in call.missing if name not in call.candidates))
    if call.candidates:
        name, values = next(iter(call.candidates.items()))
        shown = [turn.context["$show"](value, f"slots.{name}") for value in values]
        text = clarify_text(turn, name, values)
        return Question(text, names, list(call.missing), dict(call.candidates), shown)
    if call.outcome == "blocked":
        asked = Question(ask_text(turn, names[0]), names, list(call.missing), options=offered(turn, names[0]))
    else:
        asked = question(turn, names) or _not_recognized(turn, names, call)
    asked.text = call.message or asked.text or engine_text(turn.program, turn.language, "failed")
    return asked


def _not_recognized(turn: Turn, names: tuple[str, ...], call: CallResult) -> Question:
    """The question for what was said and means nothing, where no look-up answers with that."""
    asked = Question("", names, list(call.missing))
    for name in names:
        filled = turn.slots.get(name)
        if filled is not None and filled.status == "unrecognized":
            asked.text, asked.options = unrecognized_text(turn, name, filled.unknown[0].raw), offered(turn, name)
            break
    return asked


def asking(asked: Question, data: Any, reason: str) -> Answer:
    """The answer that asks."""
    return Answer("ask", asked.text, "clarify", reason, data, asked.missing, asked.candidates, asked.options)


def guidance(turn: Turn, call: CallResult) -> Json:
    """What a call lacks, as data: slots, the arguments that take them, and the values to choose from."""
    wanted = {f"slots.{name}" for name in (*call.missing, *call.candidates)}
    inputs = turn.program.plan.taking(call.tool).input
    return {
        "missing_identifiers": list(call.missing),
        "candidate_identifier_arguments": [name for name, one in inputs.items() if one.source in wanted],
        "candidates": call.candidates,
    }
