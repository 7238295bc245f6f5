"""The step `run` of a flow: a procedure is begun with a traced input, and the flow goes on when it has ended."""

from typing import Literal

from interlock.interpreter import receipts
from interlock.interpreter.arguments import Assembled, assemble
from interlock.interpreter.attempts import Attempt, blocked, lacking, without
from interlock.interpreter.called import asked_for, can_be_asked
from interlock.interpreter.commands import RunProcedure
from interlock.interpreter.failures import FlowRuns, StepFailed
from interlock.interpreter.provenance import RESULT
from interlock.interpreter.reading import read
from interlock.interpreter.replies import Answer
from interlock.interpreter.slots import entries_of
from interlock.interpreter.sources import Block, Desk
from interlock.interpreter.state import Json
from interlock.interpreter.texts import engine_text, said_or
from interlock.interpreter.turn import CallResult, Part, Turn
from interlock.plan.steps import RunStep


def run(turn: Turn, step: RunStep, path: str, entry: Json) -> Json:
    """What the journal keeps of the procedure, once it has ended; before that the flow is left, to go on later."""
    ended = entry.get("ended")
    if ended is None:
        given = _given(turn, step, path)
        raise FlowRuns(step.procedure, step.id, step.at, path, given, step.waiting)
    if ended["ending"] != "done":
        kind: Literal["cancelled", "error"] = "cancelled" if ended["ending"] == "cancelled" else "error"
        raise StepFailed(kind, ended["message"], step.id, step.at, step.procedure, path=path)
    return {"result": ended["result"], RESULT: [{"run": ended["run"]}]}


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


def admitted(attempt: Attempt, path: str) -> FlowRuns | CallResult:
    """The procedure that a model has chosen, to be run with its traced input; or what it lacks."""
    given = assemble(attempt.desk, attempt.taking, attempt.bind)
    if given.blocks:
        return blocked(attempt, given.blocks)
    return FlowRuns(attempt.name, attempt.step, attempt.at, path, given)


def begin(turn: Turn, runs: FlowRuns, position: Json) -> Answer:
    """Leave the flow to go on later, and say meanwhile what the step says."""
    state = turn.state
    mount = turn.program.plan.runs[runs.procedure]
    child = f"{state.turn}/{runs.step}"
    state.background[child] = {
        **position,
        "procedure": runs.procedure,
        "turn": state.turn,
        "language": turn.language,
        "slots": entries_of(turn),
        "vars": dict(state.vars),
        "ended": None,
    }
    given = runs.given
    turn.begun.append(
        RunProcedure(child, runs.procedure, mount.digest, given.arguments, runs.step, runs.at, turn.language)
    )
    turn.runs.append(
        {
            "procedure": runs.procedure,
            "run": child,
            "step": runs.step,
            "at": runs.at,
            "arguments": receipts.shown(turn, runs.procedure, given),
            "sources": receipts.origins(turn, runs.procedure, given),
        }
    )
    fallback = engine_text(turn.program, turn.language, "running")
    turn.parts.append(Part(said_or(turn, runs.waiting, runs.at, fallback), "fixed_reply"))
    return Answer("queued", "\n\n".join(part.text for part in turn.parts if part.text), "fixed_reply")
