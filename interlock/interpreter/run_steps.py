"""The step `run` of a flow: a procedure is begun with a traced input, and the flow goes on when it has ended."""

from typing import Any, Literal

from interlock.interpreter import receipts
from interlock.interpreter.arguments import Assembled, assemble
from interlock.interpreter.attempts import lacking, without
from interlock.interpreter.called import asked_for, can_be_asked
from interlock.interpreter.commands import RunProcedure
from interlock.interpreter.failures import FlowRuns, StepFailed
from interlock.interpreter.reading import read
from interlock.interpreter.replies import Answer
from interlock.interpreter.slots import entries_of
from interlock.interpreter.sources import Block, Desk
from interlock.interpreter.state import Json
from interlock.interpreter.texts import engine_text, said_or
from interlock.interpreter.turn import CallResult, Part, Turn
from interlock.plan.steps import RunStep


def run(turn: Turn, step: RunStep, path: str, entry: Json) -> Any:
    """The result of the procedure, once it has ended; before that the flow is left, to go on later."""
    ended = entry.get("ended")
    if ended is None:
        raise FlowRuns(step, path, _given(turn, step, path).arguments)
    if ended["ending"] != "done":
        kind: Literal["cancelled", "error"] = "cancelled" if ended["ending"] == "cancelled" else "error"
        raise StepFailed(kind, ended["message"], step.id, step.at, step.procedure, path=path)
    return ended["result"]


def _given(turn: Turn, step: RunStep, path: str) -> Assembled:
    """The input, traced and verified as the arguments of a call are."""
    if not turn.read:
        read(turn)
    mount = turn.program.plan.runs[step.procedure]
    assembled = assemble(Desk(turn, turn.context), mount, {**mount.bind, **step.bind})
    if assembled.blocks:
        raise _lacks(turn, step, path, assembled.blocks)
    return assembled


def _lacks(turn: Turn, step: RunStep, path: str, blocks: tuple[Block, ...]) -> StepFailed:
    mount, lack = turn.program.plan.runs[step.procedure], lacking(blocks)
    message = "" if lack.missing or lack.candidates else without(turn, mount, step.at, blocks[0])
    result = CallResult(
        step.procedure,
        step.id,
        step.at,
        lack.outcome,
        missing=lack.missing,
        candidates=lack.candidates,
        message=message,
    )
    why = "; ".join(block.reason for block in blocks)
    failure = StepFailed(lack.outcome, why, step.id, step.at, step.procedure, message, result, path=path)
    if can_be_asked(result):
        failure.question = asked_for(turn, result)
    return failure


def begin(turn: Turn, runs: FlowRuns, position: Json) -> Answer:
    """Leave the flow to go on later, and say meanwhile what the step says."""
    step, state = runs.step, turn.state
    mount = turn.program.plan.runs[step.procedure]
    child = f"{state.turn}/{step.id}"
    state.background[child] = {
        **position,
        "procedure": step.procedure,
        "turn": state.turn,
        "language": turn.language,
        "slots": entries_of(turn),
        "vars": dict(state.vars),
        "ended": None,
    }
    turn.begun.append(RunProcedure(child, step.procedure, mount.digest, runs.given, step.id, step.at, turn.language))
    assembled = _given(turn, step, runs.path)
    turn.runs.append(
        {
            "procedure": step.procedure,
            "run": child,
            "step": step.id,
            "at": step.at,
            "arguments": receipts.shown(turn.program.plan, mount, assembled),
            "sources": receipts.origins(turn.program.plan, mount, assembled),
        }
    )
    fallback = engine_text(turn.program, turn.language, "running")
    turn.parts.append(Part(said_or(turn, step.waiting, step.at, fallback), "fixed_reply"))
    return Answer("queued", "\n\n".join(part.text for part in turn.parts if part.text), "fixed_reply")
