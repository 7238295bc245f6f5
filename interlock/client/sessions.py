"""A thin client over Temporal's: send messages to sessions, let people take over, read what happened."""
# ruff: noqa: A002, ASYNC109 - `id` and `type` are the contract's words; `timeout` bounds all tries together

import asyncio
import contextlib
import hashlib
import uuid
from datetime import timedelta
from typing import Any

from temporalio.client import (
    WithStartWorkflowOperation,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
)
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from interlock.client.ends import failed
from interlock.client.errors import RejectedError
from interlock.client.once import began_with
from interlock.client.runs import TIMEOUT, Json, Runs
from interlock.client.sent import named, written
from interlock.telemetry.client_side import traced

OPENING_PAUSE = 0.05

TASK_TIMEOUT = timedelta(seconds=5)
"""How long a session stands still when its worker dies in the middle of a task; Temporal's default is 10 s.

A task is milliseconds, but for the replay of a long run, which takes up to two seconds and more on a busy machine; one
that takes longer than this would be tried again for ever.
"""


def workflow_id(agent: str, session: str) -> str:
    """The id of the workflow that is the session. Raises RejectedError for what is no name of either."""
    return f"{named('agent', agent)}:{named('session', session)}"


class Interlock(Runs):
    """Talks to sessions; every call ends with an answer or a typed error of `interlock.client.errors`."""

    # -- messages -----------------------------------------------------------------------------------------------------

    async def send(
        self,
        agent: str,
        session: str,
        text: str,
        *,
        user: Json,
        id: str | None = None,
        type: str = "user_chat",
        role: str = "user",
        metadata: Json | None = None,
        model: Json | None = None,
        timeout: float = TIMEOUT,
    ) -> Json:
        """The reply to one message; the first one opens the session for `user`.

        `model` is the one model for this message, `{model, server, temperature, max_tokens}`, if the agent allows it.
        The same `id` again gets the first reply. A session that was closed answers with the outcome `closed`.
        """
        message_id = str(uuid.uuid4()) if id is None else named("id", id)
        message = {"id": message_id, "role": role, "type": type, "text": text, "metadata": metadata or {}}
        message |= {"model": model} if model else {}
        where, update_id = workflow_id(agent, session), _update_id(message)

        async def attempt() -> Json:
            operation = self._opening(agent, where, {"user": user})
            try:
                answer: Json = await self.client.execute_update_with_start_workflow(
                    "message", message, id=update_id, start_workflow_operation=operation, result_type=dict
                )
            except WorkflowAlreadyStartedError:
                await _look_at(operation)
                return await self._answer_of_closed(where, update_id)
            except Exception:
                await _look_at(operation)
                raise
            return answer

        with traced("message", **{"interlock.spec": agent}):
            return await self._delivered(attempt, timeout)

    async def open(
        self, agent: str, session: str, *, user: Json, model: Json | None = None, timeout: float = TIMEOUT
    ) -> Json:
        """Open the session without a message; an open one stays as it is. Gives its status.

        `model` names the one model for all of it, if the agent allows it.
        """
        where, start = workflow_id(agent, session), {"user": user} | ({"model": model} if model else {})

        async def attempt() -> Json:
            try:
                await self._start(agent, where, start)
            except WorkflowAlreadyStartedError:
                raise RejectedError("closed", f"session {session!r} of {agent!r} was closed; open another") from None
            return await self._opened(where)

        return await self._delivered(attempt, timeout)

    async def answer_once(
        self,
        agent: str,
        text: str,
        *,
        user: Json,
        id: str | None = None,
        type: str = "user_chat",
        metadata: Json | None = None,
        model: Json | None = None,
        timeout: float = TIMEOUT,
    ) -> Json:
        """The reply to one message without a session; `model` as for `send`.

        The same `id` again gets the first reply; with other words, or for another user, the outcome is `conflict`.
        """
        message_id = str(uuid.uuid4()) if id is None else named("id", id)
        message = {"id": message_id, "type": type, "text": text, "metadata": metadata or {}}
        message |= {"model": model} if model else {}
        start = {"user": user, "message": message}
        where = f"{named('agent', agent)}:once:{message_id}"

        async def attempt() -> Json:
            try:
                await self._start(agent, where, start, WorkflowIDConflictPolicy.FAIL)
            except WorkflowAlreadyStartedError:
                if not await began_with(self.client, where, start):
                    return unanswered("conflict")
            return await _result(self.client.get_workflow_handle(where, result_type=dict))

        with traced("message", **{"interlock.spec": agent}):
            return await self._delivered(attempt, timeout)

    # -- people -------------------------------------------------------------------------------------------------------

    async def takeover(self, agent: str, session: str, *, by: str = "", timeout: float = TIMEOUT) -> Json:
        """A person takes over; the assistant is silent until `release`. Gives the status."""
        return await self._event("takeover", agent, session, by, timeout)

    async def release(self, agent: str, session: str, *, by: str = "", timeout: float = TIMEOUT) -> Json:
        """The person gives the session back. Gives the status."""
        return await self._event("release", agent, session, by, timeout)

    async def close(self, agent: str, session: str, *, by: str = "", timeout: float = TIMEOUT) -> Json:
        """End the session; closing it again changes nothing. Gives the status."""
        return await self._event("close", agent, session, by, timeout)

    async def agent_message(
        self,
        agent: str,
        session: str,
        text: str,
        *,
        by: str = "",
        id: str | None = None,
        timeout: float = TIMEOUT,
    ) -> Json:
        """A human colleague's words, passed on verbatim while the colleague has the session."""
        body = {"id": str(uuid.uuid4()) if id is None else id, "text": text} | ({"by": by} if by else {})
        return await self._updated("agent_message", workflow_id(agent, session), body, _update_id(body), timeout)

    # -- reading ------------------------------------------------------------------------------------------------------

    async def status(self, agent: str, session: str, *, timeout: float = TIMEOUT) -> Json:
        """Where the session stands."""
        status: Json = await self._query("status", agent, session, None, timeout)
        return status

    async def outbox(self, agent: str, session: str, after: int = 0, *, timeout: float = TIMEOUT) -> list[Json]:
        """What was said outside a reply, later than number `after`."""
        entries: list[Json] = await self._query("outbox", agent, session, after, timeout)
        return entries

    async def record(
        self, agent: str, session: str, turn: int | None = None, *, timeout: float = TIMEOUT
    ) -> Json | None:
        """Why a turn was answered as it was, or the records of the last turns.

        A turn of an earlier run is asked of that run, as long as the namespace keeps its history.
        """
        where = workflow_id(agent, session)
        if turn is None:
            return await self._delivered(lambda: self._asked(where, "record"), timeout)
        return await self._delivered(lambda: self._record_in_chain(where, turn), timeout)

    async def _record_in_chain(self, where: str, turn: int) -> Json | None:
        run: str | None = None
        while True:
            record: Json | None = await self._asked(where, "record", [turn], run)
            if record is not None:
                return record
            run = (await self._asked(where, "status", run=run)).get("previous_run")
            if run is None:
                return None

    async def transcript(self, agent: str, session: str, *, timeout: float = TIMEOUT) -> list[Json]:
        """Who said what, as far as the session remembers."""
        entries: list[Json] = await self._query("transcript", agent, session, None, timeout)
        return entries

    async def plan(self, agent: str, session: str, *, timeout: float = TIMEOUT) -> Json:
        """The plan that the session is pinned to."""
        plan: Json = await self._query("plan", agent, session, None, timeout)
        return plan

    # -- how ----------------------------------------------------------------------------------------------------------

    def _opening(self, agent: str, where: str, start: Json) -> WithStartWorkflowOperation[Any, Any]:
        written(start)
        return WithStartWorkflowOperation(
            agent,
            start,
            id=where,
            task_queue=self._task_queue,
            task_timeout=TASK_TIMEOUT,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
        )

    async def _start(
        self,
        agent: str,
        where: str,
        start: Json,
        running: WorkflowIDConflictPolicy = WorkflowIDConflictPolicy.USE_EXISTING,
    ) -> None:
        written(start)
        await self.client.start_workflow(
            agent,
            start,
            id=where,
            task_queue=self._task_queue,
            task_timeout=TASK_TIMEOUT,
            id_conflict_policy=running,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
        )

    async def _opened(self, where: str) -> Json:
        while True:
            try:
                status: Json = await self._asked(where, "status")
            except RejectedError:  # it could not be opened; the run's own failure says why
                return await _result(self.client.get_workflow_handle(where, result_type=dict))
            if status["status"] != "opening":
                return status
            await asyncio.sleep(OPENING_PAUSE)

    async def _event(self, event: str, agent: str, session: str, by: str, timeout: float) -> Json:
        body = {"by": by} if by else {}
        return await self._updated(event, workflow_id(agent, session), body, str(uuid.uuid4()), timeout)

    async def _updated(self, update: str, where: str, body: Json, update_id: str, timeout: float) -> Json:
        async def attempt() -> Json:
            handle = self.client.get_workflow_handle(where)
            try:
                answer: Json = await handle.execute_update(update, body, id=update_id, result_type=dict)
            except RPCError as error:
                if error.status is not RPCStatusCode.NOT_FOUND:
                    raise
                return await self._asked_of_ended(where)
            return answer

        return await self._delivered(attempt, timeout)

    async def _asked_of_ended(self, where: str) -> Json:
        status: Json = await self._asked(where, "status")
        if status["status"] != "closed":  # it was only continuing as new
            raise RPCError("the session continues in a new run", RPCStatusCode.NOT_FOUND, b"")
        return status

    async def _query(self, query: str, agent: str, session: str, argument: Any, timeout: float) -> Any:
        where = workflow_id(agent, session)
        arguments = [] if argument is None else [argument]
        return await self._delivered(lambda: self._asked(where, query, arguments), timeout)

    @staticmethod
    def _nowhere(where: str) -> str:
        return f"no session {where!r}: it was never opened, or ended too long ago"

    async def _answer_of_closed(self, where: str, update_id: str) -> Json:
        first = self.client.get_workflow_handle(where).get_update_handle(update_id, result_type=dict)
        try:
            answer: Json = await first.result()
        except (RPCError, WorkflowUpdateFailedError):
            return unanswered("closed")
        return answer


def _update_id(message: Json) -> str:
    """One id a body: Temporal itself answers an update id that it knows, and would not see that the words differ."""
    content = written(message).encode()
    return f"{named('id', message['id'])}:{hashlib.sha256(content).hexdigest()[:16]}"


def unanswered(outcome: str) -> Json:
    """The reply to a message that reaches no run: its session has ended, or its id is another message's."""
    return {
        "turn": None,
        "text": "",
        "data": None,
        "outcome": outcome,
        "reason": "",
        "status": "closed",
        "missing": [],
        "candidates": {},
        "options": [],
        "assumptions": [],
        "sources": [],
        "record_id": None,
    }


async def _look_at(operation: WithStartWorkflowOperation[Any, Any]) -> None:
    """Take the error from the operation too, or asyncio reports it later as one that nobody looked at."""
    with contextlib.suppress(Exception):
        await asyncio.wait_for(operation.workflow_handle(), 1)


async def _result(handle: WorkflowHandle[Any, Any]) -> Json:
    try:
        answer: Json = await handle.result()
    except WorkflowFailureError as failure:
        raise failed(failure) from failure
    return answer
