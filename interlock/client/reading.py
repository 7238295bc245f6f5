"""Reading runs of either kind: their records in order, which runs there are, and which of them others have begun."""

import re
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Any, TypeAlias

from temporalio.client import Client

from interlock.client.attributes import RUN_MEMO, SPEC
from interlock.client.delivery import delivered
from interlock.client.ends import CUT_OFF
from interlock.client.errors import NoSuchSessionError
from interlock.client.procedures import Procedures
from interlock.client.runs import TIMEOUT
from interlock.client.sessions import Interlock

Json: TypeAlias = dict[str, Any]

UNFINDABLE = re.compile(r'[\\"]')
"""Characters that Temporal's search does not find in an id, however they are written."""


async def records_of(client: Client, task_queue: str, run: str, after: int = 0) -> AsyncIterator[Json]:
    """The records of a procedure's run, or of the session `agent:session`, later than a number.

    One that Temporal has ended could not write that down itself: a last record, without a number, says it.
    """
    status = await Procedures(client, task_queue=task_queue).status(run)
    async for record in _records(client, task_queue, run, after, status):
        yield record


async def _records(client: Client, task_queue: str, run: str, after: int, status: Json) -> AsyncIterator[Json]:
    desk = Procedures(client, task_queue=task_queue)
    if "session" in status:
        records = _turns(client, task_queue, run, after, status["turn"])
    else:
        records = desk.records(run, after)
    async for record in records:
        yield record
    if status["status"] in CUT_OFF.values():
        closed = (await desk.described(run)).close_time
        yield {"event": status["status"], "at_ms": int(closed.timestamp() * 1000) if closed else None}


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


async def with_begun(
    client: Client, task_queue: str, runs: Iterable[str]
) -> AsyncIterator[tuple[str, Json, list[Json]]]:
    """Runs and all procedures that they have begun, and these in turn, each once: its id, status and records.

    Of a procedure that was begun and never opened, as its input was wrong, there is `spec` and `run` and no record.
    """
    desk, seen = Procedures(client, task_queue=task_queue), set[str]()
    for run in runs:
        root = (await desk.described(run)).root_id
        begun = await delivered(client, task_queue, partial(_begun, client, run, root), TIMEOUT)
        for one, unopened in {run: None, **begun}.items():
            if one not in seen and (status := unopened or await _status(desk, one, needed=one == run)):
                seen.add(one)
                found = [] if unopened else [each async for each in _records(client, task_queue, one, 0, status)]
                yield one, status, found


async def _status(desk: Procedures, run: str, *, needed: bool) -> Json | None:
    """The status of a run; of one that the server lists and has just let go none, unless it is needed."""
    try:
        return await desk.status(run)
    except NoSuchSessionError:
        if needed:
            raise
        return None


async def _begun(client: Client, run: str, root: str | None) -> dict[str, Json | None]:
    """The procedures that a run has begun, and these in turn, by id; of one that was never opened what is known.

    Their ids begin with that of the run. So may that of a stranger, which has another root.
    """
    known = UNFINDABLE.split(run + "/")[0].replace("'", "''")
    found: dict[str, Json | None] = {}
    async for one in client.list_workflows(f"WorkflowId STARTS_WITH '{known}'"):
        if one.id.startswith(run + "/") and one.root_id == root:
            if one.typed_search_attributes.get(SPEC) is not None:
                found.setdefault(one.id, None)
            elif one.id not in found:
                known = await one.memo_value(RUN_MEMO, one.run_id)
                found[one.id] = {"spec": one.workflow_type, "run": known}
    return found
