"""Runs of the tests in this folder: how they are begun, waited for and replayed."""

import asyncio
import time
import uuid

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer

from interlock_workflows.plugin import interlock_plugin

PATIENCE_S = 30.0


async def begin(stage, spec, given, **how):
    """A run of a procedure, begun by a client that has nothing of ours; `how` is for Temporal."""
    client = await stage.plain()
    run = f"{spec}-{uuid.uuid4().hex[:8]}"
    return await client.start_workflow(spec, given, id=run, task_queue=stage.queue, **how)


async def until(look, holds=bool):
    """What a look gives, once that holds of it."""
    last = time.monotonic() + PATIENCE_S
    while not holds(found := await look()):
        assert time.monotonic() < last, f"it never was so: {found}"
        await asyncio.sleep(0.05)
    return found


async def comes_to(handle, status):
    """What a procedure says of itself, once its status is that."""
    return await until(lambda: handle.query("status"), lambda found: found["status"] == status)


async def waits_for(handle, what):
    """What a procedure says of itself, once it waits for that."""
    return await until(
        lambda: handle.query("status"), lambda found: what in [one["for"] for one in found["waiting"] or ()]
    )


async def heard(talk, session, agent="desk"):
    """What stands in the outbox of a session, once something does."""
    return await until(lambda: talk.outbox(agent, session))


async def reset(handle):
    """A run that Temporal has begun anew from its first task."""
    client, history = handle._client, await handle.fetch_history()
    asked = ResetWorkflowExecutionRequest(
        namespace=client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=handle.id, run_id=handle.first_execution_run_id or ""),
        reason="a test",
        workflow_task_finish_event_id=next(
            event.event_id
            for event in history.events
            if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
        ),
        request_id=uuid.uuid4().hex,
    )
    await client.workflow_service.reset_workflow_execution(asked)
    return client.get_workflow_handle(handle.id)


async def replayed(*histories):
    """Histories as they are stored, replayed; the first that does not raises."""
    replayer = Replayer(workflows=[], plugins=[interlock_plugin()])
    for history in histories:
        await replayer.replay_workflow(WorkflowHistory.from_json(history.workflow_id, history.to_json()))
