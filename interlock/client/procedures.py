"""Procedures from a service: start one, follow it, send events, retry it, cancel it, read its record."""
# ruff: noqa: A002, ASYNC109 - `id` is the contract's word; `timeout` bounds all tries together

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

from temporalio.client import WorkflowExecutionDescription, WorkflowFailureError, WorkflowQueryRejectedError
from temporalio.common import QueryRejectCondition, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from interlock.client.delivery import final
from interlock.client.ends import CUT_OFF, OVER, WORDS, failed
from interlock.client.errors import NoSuchSessionError, RejectedError
from interlock.client.once import input_of
from interlock.client.runs import TIMEOUT, Json, Runs
from interlock.client.sent import named, written
from interlock.contract.calls import BEING_OPENED
from interlock.telemetry.client_side import traced


class Procedures(Runs):
    """Talks to procedures; every call ends with an answer or a typed error of `interlock.client.errors`."""

    async def start(self, name: str, given: Json, *, id: str | None = None, timeout: float = TIMEOUT) -> str:
        """Start a procedure and give the id of its run; the same id with the same input starts nothing again.

        Raises RejectedError `conflict` for an id that was started with another input.
        """
        where = f"{named('procedure', name)}:{uuid.uuid4()}" if id is None else named("id", id)
        sent = written(given)

        async def attempt() -> str:
            try:
                await self.client.start_workflow(
                    name,
                    given,
                    id=where,
                    task_queue=self._task_queue,
                    id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
                    id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                )
            except WorkflowAlreadyStartedError:
                if written(await input_of(self.client, where)) != sent:
                    raise RejectedError("conflict", f"run {where!r} was started with another input") from None
            return where

        with traced("start", **{"interlock.spec": name}):
            return await self._delivered(attempt, timeout)

    async def status(self, id: str, *, timeout: float = TIMEOUT) -> Json:
        """Where the run stands: what runs, what it waits for, what failed, what it lacks.

        The `status` of a run that Temporal has ended is `terminated` or `timed_out`; the rest is as the run had it.
        """
        return await self._delivered(partial(self._known_status, id), timeout)

    async def _known_status(self, id: str) -> Json:
        cut_off: str | None = None
        try:
            status: Json = await self._asked(id, "status", unless=QueryRejectCondition.NOT_COMPLETED_CLEANLY)
        except WorkflowQueryRejectedError as closed:
            status = await self._asked(id, "status")
            cut_off = CUT_OFF.get(closed.status) if closed.status is not None else None
        if cut_off is not None:
            return status | {"status": cut_off}
        if status["status"] == "opening":  # which passes as soon as the plan is there
            raise RPCError(BEING_OPENED, RPCStatusCode.UNAVAILABLE, b"")
        return status

    async def described(self, id: str, *, timeout: float = TIMEOUT) -> WorkflowExecutionDescription:
        """What Temporal itself knows of the run."""
        return await self._delivered(partial(self._described, id), timeout)

    async def steps(self, id: str, *, timeout: float = TIMEOUT) -> list[Json]:
        """Every step, and how far it is."""
        steps: list[Json] = await self._query("steps", id, (), timeout)
        return steps

    async def outbox(self, id: str, after: int = 0, *, timeout: float = TIMEOUT) -> list[Json]:
        """What was said, later than number `after`."""
        entries: list[Json] = await self._query("outbox", id, (after,), timeout)
        return entries

    async def records(self, id: str, after: int = 0, *, timeout: float = TIMEOUT) -> AsyncIterator[Json]:
        """The records of the run later than number `after`, in order, from the runs that it continued."""
        for run, page in await self._delivered(partial(self._chain, id, after), timeout):
            while True:
                for record in page["records"]:
                    if record["number"] > after:  # a run holds the last ones of the run before it, too
                        after = record["number"]
                        yield record
                if after >= page["last"] or not page["records"]:
                    break
                page = await self._query("records", id, (after,), timeout, run)  # noqa: PLW2901 - the next page

    async def result(self, id: str) -> Json:
        """The result, once it is there. Raises RejectedError for a run that ends without one.

        Its `kind` is `cancelled`, or `terminated` or `timed_out` where Temporal has ended the run; else the run's own.
        """
        try:
            result: Json = await self.client.get_workflow_handle(id, result_type=dict).result()
        except WorkflowFailureError as failure:
            raise failed(failure) from failure
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise NoSuchSessionError(self._nowhere(id)) from error
            raise final(error) from error
        return result

    async def event(
        self, id: str, name: str, data: Json | None = None, *, event_id: str | None = None, timeout: float = TIMEOUT
    ) -> Json:
        """Send in what the procedure declares under `events`. Gives the status."""
        body = {"id": str(uuid.uuid4()) if event_id is None else event_id, "name": name, "data": data or {}}
        return await self._updated("event", id, body, timeout)

    async def retry(
        self, id: str, *, by: str = "", resolved: Json | None = None, plan: str = "", timeout: float = TIMEOUT
    ) -> Json:
        """Go on at the failed step; `resolved` says what became of unknown effects, `plan` is a digest or `latest`."""
        body = {"resolved": resolved or {}} | ({"by": by} if by else {}) | ({"plan": plan} if plan else {})
        return await self._updated("retry", id, body, timeout)

    async def cancel(self, id: str, *, by: str = "", timeout: float = TIMEOUT) -> Json:
        """End the run; what has begun is finished first. Gives the status."""
        return await self._updated("cancel", id, {"by": by} if by else {}, timeout)

    # -- how ----------------------------------------------------------------------------------------------------------

    async def _query(
        self, query: str, id: str, arguments: Sequence[Any], timeout: float, run: str | None = None
    ) -> Any:
        return await self._delivered(lambda: self._asked(id, query, arguments, run), timeout)

    async def _chain(self, id: str, after: int) -> list[tuple[str | None, Json]]:
        """The runs that hold records after a number, the oldest first, each with the first ones of these."""
        runs: list[tuple[str | None, Json]] = []
        run: str | None = None
        while True:
            page: Json = await self._asked(id, "records", (after,), run)
            runs.insert(0, (run, page))
            if page["last"] <= after or (page["records"] and page["records"][0]["number"] == after + 1):
                return runs
            run = (await self._asked(id, "status", run=run))["previous_run"]
            if run is None:
                return runs

    async def _updated(self, update: str, id: str, body: Json, timeout: float) -> Json:
        update_id = str(uuid.uuid4())
        written(body)

        async def attempt() -> Json:
            handle = self.client.get_workflow_handle(id)
            try:
                answer: Json = await handle.execute_update(update, body, id=update_id, result_type=dict)
            except RPCError as error:
                if error.status is RPCStatusCode.NOT_FOUND:
                    await self._must_go_on(id)
                raise
            return answer

        return await self._delivered(attempt, timeout)

    async def _must_go_on(self, id: str) -> None:
        """Raises for a run that was never there or is over; one that continues as new is neither."""
        status = (await self._described(id)).status
        if status in WORDS:
            raise RejectedError("run_over", f"run {id!r} is over: {WORDS[status]}")

    async def _described(self, id: str) -> WorkflowExecutionDescription:
        try:
            return await self.client.get_workflow_handle(id).describe()
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise NoSuchSessionError(self._nowhere(id)) from error
            raise

    @staticmethod
    def _nowhere(where: str) -> str:
        return f"no run {where!r}: it was never started, or ended too long ago"


async def followed(desk: Procedures, id: str, *, every: float = 0.2) -> AsyncIterator[tuple[Json, list[Json]]]:
    """The status with the new records, as they come, until the run has ended or stands still."""
    after = 0
    while True:
        status = await desk.status(id)
        fresh = [record async for record in desk.records(id, after)] if status.get("records", 0) > after else []
        after = fresh[-1]["number"] if fresh else after
        yield status, fresh
        if status["status"] in OVER or status["status"] == "failed":
            return
        await asyncio.sleep(every)
