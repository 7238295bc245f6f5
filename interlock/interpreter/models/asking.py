"""Questions to models: what those of the tool loop send and get back, and what the record keeps of every one."""

from typing import TYPE_CHECKING, Any

from interlock.interpreter.commands import Generate
from interlock.interpreter.masking import text_to_keep, without_secrets
from interlock.interpreter.models.prompts import DATA, with_context
from interlock.interpreter.models.roles import overriding
from interlock.interpreter.receipts import number
from interlock.interpreter.texts import said_or

if TYPE_CHECKING:
    from interlock.interpreter.events import Generated
    from interlock.interpreter.models.roles import Stage
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn
    from interlock.plan.steps import ActStep, PlanStep, Step


def asked(
    turn: "Turn",
    step: "ActStep | PlanStep",
    stage: "Stage",
    role: str,
    system: str,
    schema: "Json",
    context: str = "",
    *,
    partial: bool = False,
) -> Generate:
    """The question: the task, the author's guidance, the trusted history, and the message behind its `context`."""
    guidance = said_or(turn, step.guidance, step.at, "")
    said = turn.asking.said or text_to_keep(turn)
    messages = [
        {"role": "system", "content": "\n\n".join(filter(None, (system, guidance, DATA if context else "")))},
        *({"role": "user", "content": text} for text in _recent(turn, step.history)),
        {"role": "user", "content": with_context(without_secrets(turn, context), said) if context else said},
    ]
    return question(turn, step, stage, role, messages, schema=schema, partial=partial)


def question(
    turn: "Turn",
    step: "Step",
    stage: "Stage",
    role: str,
    messages: "list[Json]",
    *,
    schema: "Json | None" = None,
    streamed: bool = False,
    partial: bool = False,
) -> Generate:
    """A question of a step, as the next call of the run, to the model that was named in place of the role's, if any."""
    return Generate(
        number(turn.state),
        stage,
        role,
        messages,
        step.id,
        step.at,
        schema=schema,
        streamed=streamed,
        partial=partial,
        named=overriding(turn),
    )


def description(turn: "Turn", name: str) -> str:
    """A tool or procedure in the words of its author."""
    return in_words(name, turn.program.plan.taking(name).description)


def in_words(name: str, description: str) -> str:
    """The words of an author for a part, or its name as words."""
    return description or name.replace("_", " ").replace("-", " ")


def _recent(turn: "Turn", window: int) -> list[str]:
    """The last messages of the user that this session has received itself, as the transcript keeps them."""
    texts = [one["text"] for one in turn.state.transcript if one["role"] == "user"]
    return texts[-window:] if window else []


def noted(turn: "Turn", question: Generate, came: "Generated") -> Any:
    """The structured value of an answer, none if there is none; the record says what came."""
    answer = came.answer or {}
    entry = entered(turn, question, came)
    if problem := came.message or answer.get("problem"):
        entry["problem"] = problem
    value = answer.get("value")
    return value if isinstance(value, dict) else None


def entered(turn: "Turn", question: Generate, came: "Generated") -> "Json":
    """The entry of a question in the record: all but what was wrong with its answer."""
    answer = came.answer or {}
    entry: Json = {
        "step": question.step,
        "at": question.at,
        "stage": question.stage,
        "role": question.role,
        "call": question.call_id,
        "messages": len(question.messages),
        "elapsed_ms": came.elapsed_ms,
        "attempts": answer.get("attempts", came.attempts),
        **{key: answer.get(key) for key in ("model", "finish", "rung", "input_tokens", "output_tokens")},
    }
    turn.asking.generations.append(entry)
    return entry
