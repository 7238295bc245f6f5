"""A flow within a turn: begun, gone on with, and what its end comes to as an answer."""

from typing import Any

from interlock.interpreter.actions import may_ask
from interlock.interpreter.called import asked_for, asking, declined, direct, guidance
from interlock.interpreter.failures import FlowEnded, FlowRuns, FlowWaits, Interrupted, StepFailed
from interlock.interpreter.flows import Walk
from interlock.interpreter.models.generating import degraded
from interlock.interpreter.models.remembering import remember
from interlock.interpreter.replies import Answer, Outcome, Source
from interlock.interpreter.run_steps import begin
from interlock.interpreter.slots import Question
from interlock.interpreter.state import Json
from interlock.interpreter.stating import stated_beside
from interlock.interpreter.texts import engine_text, slot_title
from interlock.interpreter.turn import Calling, Turn


def run(turn: Turn, name: str, route: str, journal: Json) -> Calling[Answer]:
    """Walk the flow to its end, its next question, or its failure; what a model has answered is remembered."""
    answer = yield from _walked(turn, name, route, journal)
    if turn.program.plan.memory is not None:
        yield from remember(turn, answer)
    return answer


def _walked(turn: Turn, name: str, route: str, journal: Json) -> Calling[Answer]:
    try:
        yield from Walk(turn, journal).flow(name)
    except FlowWaits as wait:
        answer = asking(wait.question, None, wait.reason)
        return _waits(turn, answer, wait.question, _position(name, route, journal, wait.path))
    except FlowRuns as runs:
        return begin(turn, runs, _position(name, route, journal, runs.path))
    except FlowEnded as end:
        return _spoken(turn, end.outcome, end.reason, end.data)
    except StepFailed as failure:
        return _failed(turn, failure, _position(name, route, journal, failure.path))
    except Interrupted:
        assert turn.interrupted
        return Answer(turn.interrupted)
    lacks = _lacks(turn)
    if lacks is not None and not turn.parts:
        return _beside_facts(turn, lacks)
    if turn.parts:
        outcome = _outcome(turn)
        reason = next((part.reason for part in turn.parts if part.outcome == outcome and part.reason), "")
        return _spoken(turn, outcome, reason, None)
    return (None if turn.silent else direct(turn)) or Answer("empty")


def _position(name: str, route: str, journal: Json, path: str) -> Json:
    return {"name": name, "route": route, "journal": journal, "path": path}


def _waits(turn: Turn, answer: Answer, question: Question, position: Json) -> Answer:
    if turn.resumed and turn.state.flow is not None:
        turn.failed(turn.resumed, "cannot-ask", "another flow waits for the next message")
        return Answer("error", engine_text(turn.program, turn.language, "no_result"), "fallback", "cannot_ask")
    before = turn.going_on
    again = before is not None and before["path"] == position["path"]
    attempts = before["attempts"] + 1 if again and before is not None else 1
    asked = list(question.slots)
    turn.state.flow = {**position, "asked": asked, "attempts": attempts, "turn": turn.state.turn}
    answer.text = _joined(turn, answer.text)
    return answer


def _failed(turn: Turn, failure: StepFailed, position: Json) -> Answer:
    """What an uncaught failure comes to: a question, a refusal, or that there is no result."""
    question = failure.question
    if question is not None and may_ask(turn, failure.path):
        data = guidance(turn, failure.call) if failure.call is not None else None
        return _waits(turn, asking(question, data, failure.kind), question, position)
    turn.failed(failure.at, failure.kind, failure.message)
    if question is not None:
        title = slot_title(turn, question.slots[0])
        text = engine_text(turn.program, turn.language, "missing", title=title)
        answer = Answer("decline", text, "fallback", "missing")
        answer.missing = question.missing or list(question.slots)
    elif failure.kind == "requires":
        text = failure.text or engine_text(turn.program, turn.language, "requires")
        answer = Answer("refuse", text, "fixed_reply", "requires")
    elif failure.kind == "model":
        answer = _lacks(turn) or Answer("degraded", degraded(turn), "fallback", "model")
    elif failure.kind in ("missing", "blocked") and failure.call is not None:
        answer = declined(turn, failure.call)
    else:
        answer = _no_result(turn, failure)
    answer.text = _joined(turn, answer.text)
    return answer


def _no_result(turn: Turn, failure: StepFailed) -> Answer:
    if failure.text:
        return Answer("error", failure.text, "fixed_reply", failure.kind)
    answer = direct(turn) if failure.call is not None and not turn.parts else None
    text = engine_text(turn.program, turn.language, "no_result")
    return answer or Answer("error", text, "fallback", failure.kind)


def _lacks(turn: Turn) -> Answer | None:
    """The question for what a call of the loop lacks."""
    asked = turn.asked
    if asked is None or asked.lacking is None:
        return None
    return asking(asked_for(turn, asked.lacking), asked.lack, asked.lacking.outcome)


def _beside_facts(turn: Turn, lacks: Answer) -> Answer:
    """The question, below the facts that have been looked up by then."""
    made = stated_beside(turn)
    if made is not None:
        lacks.text, lacks.data = f"{made.text}\n\n{lacks.text}", {**made.data, **lacks.data}
    return lacks


def _outcome(turn: Turn) -> Outcome:
    """What several parts come to: an answer if any of them is one, else the most cautious."""
    kinds = {part.outcome for part in turn.parts}
    return next(kind for kind in ("answer", "decline", "ask", "degraded", "error") if kind in kinds)


def _spoken(turn: Turn, outcome: Outcome, reason: str, data: Any) -> Answer:
    """The parts joined; a single part keeps its data and how it was made."""
    if len(turn.parts) == 1 and turn.parts[0].source == "fixed_reply":
        return Answer(outcome, turn.parts[0].text, "fixed_reply", reason, data)
    answer = Answer(outcome, _joined(turn), _source(turn), reason, data)
    if outcome == "ask" and (lacks := _lacks(turn)) is not None:
        answer.data, answer.missing, answer.candidates = lacks.data, lacks.missing, lacks.candidates
        answer.options = lacks.options
    made = [part for part in turn.parts if part.source in ("direct_response", "facts")]
    if made:
        answer.rule = made[0].rule
        if made[0].source == "direct_response":
            answer.source = "direct_response"
        answer.output_mode = made[0].output_mode if len(turn.parts) == 1 else "text"
        answer.fallback_used = any(part.fallback_used for part in made)
        if data is None:
            said: Any = made[0].data if len(made) == 1 else [part.data for part in made]
            both = isinstance(said, dict) and isinstance(answer.data, dict)
            answer.data = {**said, **answer.data} if both else said
    return answer


def _source(turn: Turn) -> Source:
    """What wrote the reply: a model, where it has written any of it."""
    written = [part.source for part in turn.parts if part.source in ("llm_generated", "narrative")]
    return written[-1] if written else turn.parts[0].source


def _joined(turn: Turn, last: str = "") -> str:
    if len(turn.parts) == 1 and not last:
        return turn.parts[0].text
    return "\n\n".join(text for text in (*(part.text for part in turn.parts), last) if text)
