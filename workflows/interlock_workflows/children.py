"""Procedures that a run has others do for it: each a child workflow under the plan that it was checked against."""

import asyncio
from typing import Any, Literal
from uuid import NAMESPACE_URL, uuid5

from temporalio import exceptions, workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError, ChildWorkflowError, WorkflowAlreadyStartedError
from temporalio.workflow import ChildWorkflowCancellationType, ChildWorkflowHandle, ParentClosePolicy

from interlock.client.converter import JsonConverter
from interlock.interpreter.commands import RunProcedure
from interlock.interpreter.events import ProcedureEnded
from interlock_workflows import inbound
from interlock_workflows.clock import now_ms
from interlock_workflows.failing import details_of
from interlock_workflows.opening import memo_for
from interlock_workflows.trail import Trail

Handles = dict[str, ChildWorkflowHandle[Any, Any]]

EFFECTS, NONE = "interlock-effects", b"none"
"""What the metadata of a result say of a run that has changed nothing; the result itself is the author's."""


async def run_child(
    command: RunProcedure, run_id: str, at_our_end: ParentClosePolicy, handles: Handles
) -> ProcedureEnded:
    """Run a procedure for the run `run_id`, and wait for its end; while it runs its handle stands in `handles`."""
    step = {"interlock.procedure": command.procedure, "interlock.step": command.step}
    trail = Trail("procedure-call", step)
    ended = await _ended(command, _id_of_child(run_id, command), at_our_end, handles)
    trail.end({"interlock.outcome": ended.ending}, error="" if ended.ending == "done" else ended.ending)
    return ended


def _id_of_child(run_id: str, command: RunProcedure) -> str:
    """An id that a run gives to the same procedure at the same step whenever it is started."""
    return str(uuid5(NAMESPACE_URL, f"{run_id}/{command.child_id}"))


async def _ended(command: RunProcedure, run_id: str, at_our_end: ParentClosePolicy, handles: Handles) -> ProcedureEnded:
    try:
        child = await workflow.start_child_workflow(
            command.procedure,
            command.input,
            id=f"{workflow.info().workflow_id}/{command.child_id}",
            memo=memo_for(command.digest, command.language, run_id),
            parent_close_policy=at_our_end,
            cancellation_type=ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
            static_summary=f"{command.procedure} at {command.at}",
        )
        handles[command.child_id] = child
        given = await child
        result, left = inbound.body([given]), given.payload.metadata.get(EFFECTS) != NONE
    except WorkflowAlreadyStartedError:
        return ProcedureEnded(command.child_id, "failed", now_ms(), message="a run of this id is there already")
    except ChildWorkflowError as failure:
        return _failed(command, failure, run_id)
    except asyncio.CancelledError:
        return ProcedureEnded(command.child_id, "cancelled", now_ms(), message="cancelled", run_id=run_id)
    return ProcedureEnded(command.child_id, "done", now_ms(), result, run_id=run_id, left=left)


def given_back(result: dict[str, Any], *, leaves_effects: bool) -> RawValue:
    """The result of a run that has done its work, and whether whoever runs it has anything to undo."""
    payload = JsonConverter().to_payload(result)
    if not leaves_effects:
        payload.metadata[EFFECTS] = NONE
    return RawValue(payload)


def _failed(command: RunProcedure, failure: ChildWorkflowError, run_id: str) -> ProcedureEnded:
    cause = failure.cause
    stopped = isinstance(cause, exceptions.CancelledError) or (
        isinstance(cause, ApplicationError) and cause.type == inbound.CANCELLED
    )
    message = cause.message if isinstance(cause, ApplicationError) else str(cause)
    ending: Literal["cancelled", "failed"] = "cancelled" if stopped else "failed"
    left = _leaves_effects(cause)
    return ProcedureEnded(command.child_id, ending, now_ms(), message=message, run_id=run_id, left=left)


def _leaves_effects(cause: BaseException | None) -> bool:
    """What a run says that has not ended well; of one that could not say anything the worst is taken for true."""
    details = details_of(cause)
    return bool(details[0].get("leaves_effects")) if details and isinstance(details[0], dict) else True
