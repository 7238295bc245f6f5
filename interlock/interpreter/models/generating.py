"""The step `generate`: prose for the reply, asked of the model that the rules choose, believed as far as it may be."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from interlock.expressions import Missing
from interlock.interpreter import responses
from interlock.interpreter.called import asked_for
from interlock.interpreter.commands import Generate
from interlock.interpreter.failures import Interrupted, StepFailed
from interlock.interpreter.models import evidence, prompts, roles
from interlock.interpreter.models.asking import entered, question
from interlock.interpreter.models.filling import fill
from interlock.interpreter.models.grounding import Claim, judged
from interlock.interpreter.models.quoting import with_sources
from interlock.interpreter.models.remembering import recall
from interlock.interpreter.models.sentences import whole_sentences
from interlock.interpreter.models.strangers import Basis, basis_of, strange
from interlock.interpreter.provenance import RESULT
from interlock.interpreter.stating import stated_beside
from interlock.interpreter.texts import engine_text, said_or
from interlock.interpreter.turn import Calling, Part, Turn
from interlock.plan.models import Class, Grounding

if TYPE_CHECKING:
    from interlock.interpreter.events import Generated
    from interlock.interpreter.state import Json
    from interlock.plan.steps import GenerateStep

KINDS: dict[str, Class] = {"answer": "answer", "ask_for_clarification": "ask", "decline": "decline"}
WORDS = {"ask": "say_more", "decline": "not_known"}
"""The engine's own text in place of a reply that may not be said."""

_OBJECT = re.compile(r'\{\s*"')


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, and what it says that it is; no claim where it has not said.

    `cut`: there was no room for more, and it is no more than the whole sentences.
    """

    text: str
    claim: Claim | None
    cut: bool = False


def generate(turn: Turn, step: "GenerateStep") -> "Calling[Json]":
    """Add prose to the reply, unless a mount's response answers the turn's only call; or fill in the step's fields."""
    if step.output is not None:
        filled = yield from _filled(turn, step)
        return {"result": filled, RESULT: [{"model": turn.asking.generations[-1]["call"]}]}
    if not turn.parts and not evidence.found_in_loops(turn) and responses.direct(turn) is not None:
        turn.asking.generations.append({"step": step.id, "at": step.at, "skipped": "a mount's response answers"})
        return {}
    if not turn.parts and (made := stated_beside(turn)) is not None:
        kind = "ask" if turn.asking.lack else made.outcome
        turn.parts.append(Part(made.text, "facts", made.data, made.output_mode, made.rule, False, kind, made.reason))
    if step.memory:
        yield from recall(turn)
    if turn.interrupted:
        raise Interrupted
    policy = step.grounding or turn.program.plan.grounding
    own = prompts.instructions_of(turn, step)
    classed = policy.mode != "off" or turn.asking.lack is not None
    shown = prompts.shown(turn, turn.asking.lack, remembers=step.memory)
    basis = basis_of(turn, step, shown, own)
    role = roles.writer(turn, step.role)
    asked = question(
        turn,
        step,
        "generation",
        role,
        prompts.messages(turn, own, shown, classed=classed, lack=turn.asking.lack),
        schema=prompts.REPLY_SCHEMA if classed else None,
        streamed=not classed and basis.facts is None,
    )
    came: Generated = (yield [asked])[0]
    _record(turn, asked, came)
    if turn.interrupted:
        raise Interrupted
    written = _read(came, classed=classed)
    part = _believed(turn, step, policy, written, basis) if written else None
    if part is None:
        raise StepFailed("model", came.message or _nothing(written), step.id, step.at)
    turn.parts.append(part)
    return {"result": {"text": part.text, "kind": part.outcome}, RESULT: [{"model": asked.call_id}]}


def _filled(turn: Turn, step: "GenerateStep") -> "Calling[Json]":
    try:
        given = {name: turn.program.value(value)(turn.context) for name, value in step.bind.items()}
    except Missing as missing:
        raise StepFailed("error", str(missing), step.id, step.at) from missing
    filled = yield from fill(turn, step, given)
    if turn.interrupted:
        raise Interrupted
    return filled


def degraded(turn: Turn) -> str:
    """What is said when no model has answered."""
    text = turn.program.plan.fallback
    return said_or(turn, text, "fallback", engine_text(turn.program, turn.language, "no_model"))


def _read(came: "Generated", *, classed: bool) -> Written | None:
    """What was written, if anything; a refusal of the model is a decline."""
    answer = came.answer
    if answer is None:
        return None
    if answer["finish"] == "refused":
        return Written(answer["text"].strip(), Claim("decline", sure=True))
    value: Any = answer["value"]
    if classed and isinstance(value, dict):
        return Written(value["text"].strip(), Claim(KINDS[value["kind"]], sure=value["confidence"] == "high"))
    text, cut = answer["text"].strip(), answer["finish"] == "length"
    if classed and _OBJECT.search(text):
        return Written("", None)  # an object that is not as it was asked for is no prose
    if cut:
        text = whole_sentences(text)
    return Written(text, None, cut) if text or cut else None


def _nothing(written: Written | None) -> str:
    return "the model wrote nothing whole" if written and written.cut else "the model wrote nothing"


def _believed(turn: Turn, step: "GenerateStep", policy: Grounding, written: Written, basis: Basis) -> Part | None:
    """The part of the reply that may be said of what was written; none for an answer without words."""
    asking, shown = turn.asking, basis.shown
    kind = "ask" if asking.lack else judged(policy, written.claim, evidence=shown.bears)
    strangers = strange(turn, written.text, basis)
    about_facts = basis.facts is not None
    refused = bool(strangers) if policy.mode == "strict" else about_facts and "unsourced_figures" in strangers
    if refused and kind == "answer":
        kind = "decline"
    if not written.text or refused or not _claims(written, kind):
        asking.flags["prose_dropped"] = True
        if kind == "answer":
            return None
        return Part(_instead(turn, kind), "fallback", outcome=kind)
    append = step.sources == "append" and kind == "answer"
    text = with_sources(turn, written.text, shown.passages) if append else written.text
    source: Literal["narrative", "llm_generated"] = (
        "narrative" if kind == "answer" and shown.passages else "llm_generated"
    )
    if not written.cut:
        return Part(text, source, outcome=kind)
    asking.flags["cut"] = True
    text = f"{text}\n\n{engine_text(turn.program, turn.language, 'cut')}"
    return Part(text, source, outcome="degraded", reason="cut")


def _claims(written: Written, kind: Class) -> bool:
    """Whether what was written is what may be said: an answer does not stand in for a question."""
    return kind == "answer" or (written.claim is not None and written.claim.kind == kind)


def _instead(turn: Turn, kind: Class) -> str:
    lacking = turn.asking.lacking
    return asked_for(turn, lacking).text if lacking else engine_text(turn.program, turn.language, WORDS[kind])


def _record(turn: Turn, asked: Generate, came: "Generated") -> None:
    entry = entered(turn, asked, came)
    if came.message:
        entry["error"] = came.message
    if came.answer and came.answer.get("problem"):
        entry["problem"] = came.answer["problem"]
