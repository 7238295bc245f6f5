"""Reading runs of either kind: their records in order, and which runs there are."""

from collections.abc import AsyncIterator
from typing import Any, TypeAlias

from temporalio.client import Client

from interlock.client.attributes import SPEC
from interlock.client.ends import CUT_OFF
from interlock.client.procedures import Procedures
from interlock.client.sessions import Interlock

Json: TypeAlias = dict[str, Any]


async def records_of(client: Client, task_queue: str, run: str, after: int = 0) -> AsyncIterator[Json]:
    """The records of a procedure's run, or of the session `agent:session`, later than a number.

    One that Temporal has ended could not write that down itself: a last record, without a number, says it.
    """
    desk = Procedures(client, task_queue=task_queue)
    status = await desk.status(run)
    if "session" in status:
        records = _turns(client, task_queue, run, after, status["turn"])
    else:
        records = desk.records(run, after)
    async for record in records:
        yield record
    if status["status"] in CUT_OFF.values():
        yield {"event": status["status"], "at_ms": await desk.closed_ms(run)}


async def _turns(client: Client, task_queue: str, run: str, after: int, last: int) -> AsyncIterator[Json]:
    sessions = Interlock(client, task_queue=task_queue)
    agent, _, session = run.partition(":")
    for turn in range(after + 1, last + 1):
        record = await sessions.record(agent, session, turn)
        if record is not None:
            yield record


async def runs_of(client: Client, spec: str, most: int) -> list[str]:
    """The ids of the last runs of a spec, the newest first. A run that continued as new counts once."""
    found: dict[str, None] = {}
    async for execution in client.list_workflows(f"{SPEC.name} = '{spec}'"):
        found.setdefault(execution.id)
        if len(found) >= most:
            break
    return list(found)
