"""Getting something delivered once: the same id on every try, until the answer is there or time is up."""
# ruff: noqa: ASYNC109 - `timeout` bounds all tries together, which `asyncio.timeout` around them could not explain

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client, WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from interlock.client.errors import (
    DeadlineError,
    InterlockError,
    NoWorkerError,
    RejectedError,
    UnknownAgentError,
    UnreachableError,
)

T = TypeVar("T")

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0
POLLS_EVERY = 70.0
"""Seconds; a living worker asks a queue for work at least this often."""

PASSING = frozenset({"draining", "AcceptedUpdateCompletedWorkflow"})
"""Refusals that pass: the run continues as new, or ended before it could answer."""

RETRIED = frozenset(
    {
        RPCStatusCode.NOT_FOUND,
        RPCStatusCode.FAILED_PRECONDITION,
        RPCStatusCode.UNAVAILABLE,
        RPCStatusCode.ABORTED,
        RPCStatusCode.RESOURCE_EXHAUSTED,
        RPCStatusCode.UNKNOWN,
        RPCStatusCode.INTERNAL,
        RPCStatusCode.CANCELLED,
        RPCStatusCode.DEADLINE_EXCEEDED,
    }
)
"""The last four are what a server that dies in the middle of a call leaves behind ("transport error")."""


async def delivered(client: Client, task_queue: str, attempt: Callable[[], Awaitable[T]], timeout: float) -> T:
    """The first answer of `attempt`, tried again while that can help. Raises an `InterlockError` that says why not."""
    deadline = time.monotonic() + timeout
    pause = FIRST_PAUSE
    last: Exception | None = None
    while (left := deadline - time.monotonic()) > 0:
        try:
            async with asyncio.timeout(left):
                return await attempt()
        except TimeoutError:
            break
        except (WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError, RPCError) as error:
            _stop_if_cancelled()
            if not _passes(error):
                raise final(error) from error
            last = error
        await asyncio.sleep(min(pause, max(deadline - time.monotonic(), 0)))
        pause = min(pause * 2, LONGEST_PAUSE)
    raise await _silence(client, task_queue, timeout, last) from last


def _stop_if_cancelled() -> None:
    # Temporal's client turns the cancellation of its caller into an error of its own.
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _passes(error: Exception) -> bool:
    if isinstance(error, RPCError):
        return error.status in RETRIED
    if isinstance(error, WorkflowUpdateFailedError):
        return isinstance(error.cause, ApplicationError) and error.cause.type in PASSING
    return True


def final(error: Exception) -> InterlockError:
    """The error for whoever called: what a run or Temporal refuses, and why."""
    cause = error.cause if isinstance(error, WorkflowUpdateFailedError) else error
    if isinstance(cause, ApplicationError):
        return rejected(cause)
    if isinstance(cause, RPCError):
        return RejectedError(cause.status.name.lower(), f"Temporal refuses the call: {cause.message}")
    return RejectedError("failed", str(cause))


def rejected(cause: ApplicationError) -> InterlockError:
    """The error that a run answered with, as ours."""
    if cause.type == "unknown_spec":
        return UnknownAgentError(f"{cause.message}; is its folder among those that the workers read (INTERLOCK_SPECS)?")
    return RejectedError(cause.type or "failed", cause.message)


async def _silence(client: Client, task_queue: str, timeout: float, last: Exception | None) -> InterlockError:
    try:
        quiet = await _quiet_for(client, task_queue)
    except RPCError as error:
        return UnreachableError(
            f"no Temporal server answers at {client.service_client.config.target_host}: {error.message}"
        )
    if quiet is None or quiet > POLLS_EVERY:
        return NoWorkerError(
            f"no answer in {timeout:g} s, and no worker polls the task queue {task_queue!r}; "
            "start one with `interlock worker`, or `interlock dev` for server and worker together"
        )
    again = "sending the same message id again is safe"
    return DeadlineError(f"no answer in {timeout:g} s{f' ({last})' if last else ''}; {again}")


async def _quiet_for(client: Client, task_queue: str) -> float | None:
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=task_queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    answer = await client.workflow_service.describe_task_queue(request)
    polls = [poller.last_access_time.ToMilliseconds() / 1000 for poller in answer.pollers]
    return time.time() - max(polls) if polls else None
