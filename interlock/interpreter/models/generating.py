"""The step `generate`: prose for the reply, asked of the model that the rules choose, believed as far as it may be."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.interpreter import responses
from interlock.interpreter.called import asked_for
from interlock.interpreter.commands import Generate
from interlock.interpreter.failures import Interrupted, StepFailed
from interlock.interpreter.models import evidence, roles
from interlock.interpreter.models.asking import entered
from interlock.interpreter.models.figures import unsourced
from interlock.interpreter.models.grounding import Claim, judged
from interlock.interpreter.models.prompts import REPLY_SCHEMA, messages
from interlock.interpreter.models.quoting import with_sources, without_citations
from interlock.interpreter.models.remembering import recall
from interlock.interpreter.receipts import number
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

FIGURES_NOTED, FIGURE_CHARS = 20, 40
"""How many strange figures the record keeps, and how much of each."""

_OBJECT = re.compile(r'\{\s*"')


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, and what it says that it is; no claim where it has not said."""

    text: str
    claim: Claim | None


def generate(turn: Turn, step: "GenerateStep") -> "Calling[Json]":
    """Add prose to the reply, unless a mount's response answers the turn's only call."""
    if not turn.parts and responses.direct(turn) is not None:
        turn.asking.generations.append({"step": step.id, "at": step.at, "skipped": "a mount's response answers"})
        return {}
    if step.memory:
        yield from recall(turn)
    if turn.interrupted:
        raise Interrupted
    policy = step.grounding or turn.program.plan.grounding
    own = _instructions(turn, step)
    classed = policy.mode != "off" or turn.asking.lack is not None
    role = roles.writer(turn, step.role)
    asked = Generate(
        number(turn.state),
        "generation",
        role,
        messages(turn, own, classed=classed, lack=turn.asking.lack, remembers=step.memory),
        step.id,
        step.at,
        schema=REPLY_SCHEMA if classed else None,
        streamed=not classed,
    )
    came: Generated = (yield [asked])[0]
    _record(turn, asked, came)
    if turn.interrupted:
        raise Interrupted
    written = _read(came, classed=classed)
    part = _believed(turn, step, policy, written, own) if written else None
    if part is None:
        raise StepFailed("model", came.message or "the model wrote nothing", step.id, step.at)
    turn.parts.append(part)
    return {"result": {"text": part.text, "kind": part.outcome}}


def degraded(turn: Turn) -> str:
    """What is said when no model has answered."""
    text = turn.program.plan.fallback
    return said_or(turn, text, "fallback", engine_text(turn.program, turn.language, "no_model"))


def _instructions(turn: Turn, step: "GenerateStep") -> list[str]:
    own = [("instructions", turn.program.plan.instructions), (step.at, step.instructions)]
    return [said_or(turn, text, at, "") for at, text in own]


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
    text = answer["text"].strip()
    if classed and _OBJECT.search(text):
        return Written("", None)  # an object that is not as it was asked for is no prose
    return Written(text, None) if text else None


def _believed(turn: Turn, step: "GenerateStep", policy: Grounding, written: Written, own: list[str]) -> Part | None:
    """The part of the reply that may be said of what was written; none for an answer without words."""
    asking = turn.asking
    kind = "ask" if asking.lack else judged(policy, written.claim, evidence=evidence.is_there(turn))
    stated = without_citations(written.text, len(asking.passages))
    strange = unsourced(stated, [*evidence.sources(turn), own])
    if strange:
        noted = asking.flags.setdefault("unsourced_figures", [])
        noted += [figure[:FIGURE_CHARS] for figure in strange[: FIGURES_NOTED - len(noted)]]
    refused = bool(strange) and policy.mode == "strict"
    if refused and kind == "answer":
        kind = "decline"
    if not written.text or refused or not _claims(written, kind):
        asking.flags["prose_dropped"] = True
        if kind == "answer":
            return None
        return Part(_instead(turn, kind), "fallback", outcome=kind)
    text = with_sources(turn, written.text) if step.sources == "append" and kind == "answer" else written.text
    narrative = kind == "answer" and bool(asking.passages)
    return Part(text, "narrative" if narrative else "llm_generated", outcome=kind)


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
