"""Memory by local activities: short, repeatable without harm, and never waited for long."""

from dataclasses import asdict
from datetime import timedelta
from typing import TypeVar

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError

from interlock.contract.memory import MEMORY_READ, MEMORY_WRITE, Memories, MemoryEntry, MemoryQuestion
from interlock.interpreter.commands import ReadMemory, WriteMemory
from interlock.interpreter.events import Remembered
from interlock_workflows.clock import now_ms
from interlock_workflows.failing import words_of

T = TypeVar("T")

WITHIN = timedelta(seconds=2)
"""How long a person waits for what is remembered of them; then the turn goes on without."""


async def look_up(command: ReadMemory) -> Remembered:
    """What is remembered of a person."""
    try:
        found = await _done(MEMORY_READ, command.question, Memories)
    except (ActivityError, ApplicationError) as failure:
        return Remembered(command.call_id, now_ms(), message=_words(failure))
    return Remembered(command.call_id, now_ms(), asdict(found))


async def leave_behind(command: WriteMemory) -> Remembered:
    """Leave an exchange; done twice it is there once."""
    try:
        await _done(MEMORY_WRITE, command.entry, type(None))
    except (ActivityError, ApplicationError) as failure:
        return Remembered(command.call_id, now_ms(), message=_words(failure))
    return Remembered(command.call_id, now_ms())


async def _done(activity: str, request: MemoryQuestion | MemoryEntry, answer: type[T]) -> T:
    found: T = await workflow.execute_local_activity(
        activity,
        request,
        result_type=answer,
        start_to_close_timeout=WITHIN,
        schedule_to_close_timeout=WITHIN,
        retry_policy=RetryPolicy(maximum_attempts=1),
    )
    return found


def _words(failure: ActivityError | ApplicationError) -> str:
    return words_of(failure.cause if isinstance(failure, ActivityError) else failure)
