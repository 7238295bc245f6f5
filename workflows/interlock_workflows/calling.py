"""Calls of tools as activities: what is asked, within which times, and what their ends mean."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias

from temporalio import exceptions, workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, TimeoutType
from temporalio.workflow import ActivityCancellationType, ActivityHandle

from interlock.contract import calls, limits, strict_json
from interlock.contract.calls import ToolAnswer, ToolRequest
from interlock.contract.strict_json import NotStrictJsonError
from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import ToolReturned
from interlock.interpreter.parting import stored_fields
from interlock.plan.plan import Plan
from interlock.plan.tools import Tool
from interlock_workflows.clock import GRACE_MS, now_ms
from interlock_workflows.failing import known_of, words_of

STORING_MS = 30_000
"""In place of `GRACE_MS`, where values are to be read from the store or written into it."""

HEARTBEAT_MS = 5_000
"""How soon the loss of a worker in the middle of a longer call is noticed."""

QUEUE_MS = 60_000
"""How long a call may wait for a worker, over all its attempts."""

WAITING = (TimeoutType.SCHEDULE_TO_START, TimeoutType.SCHEDULE_TO_CLOSE)
"""The time-outs of a call that no worker took."""


@dataclass(slots=True)
class Call:
    """A call under way. One that writes ends the attempt that is being made when it is stopped; any other is let go."""

    handle: ActivityHandle[ToolAnswer]
    writes: bool
    stopped: bool = False

    def stop(self) -> None:
        """Begin no further attempt; first comes the step in which the call begins."""
        self.stopped = True
        asyncio.get_running_loop().call_soon(self.handle.cancel)


Calls: TypeAlias = dict[str, Call]
"""By id."""


async def call_tool(plan: Plan, run_id: str, command: CallTool, under_way: Calls | None = None) -> ToolReturned:
    """Make one call as an activity, with the attempts that its tool allows; it stands in `under_way` meanwhile."""
    tool = plan.tools[command.tool]
    begun = now_ms()
    try:
        strict_json.check(command.arguments)
        handle: ActivityHandle[ToolAnswer] = workflow.start_activity(
            calls.CALL_TOOL,
            request_of(plan, tool, run_id, command),
            result_type=ToolAnswer,
            summary=f"{command.tool} at {command.at}",
            start_to_close_timeout=timedelta(milliseconds=_attempt_ms(tool)),
            schedule_to_close_timeout=timedelta(milliseconds=_longest_ms(tool)),
            heartbeat_timeout=timedelta(milliseconds=HEARTBEAT_MS) if tool.timeout_ms > HEARTBEAT_MS else None,
            retry_policy=_retry_policy(tool),
            cancellation_type=_cancellation(tool),
        )
        if under_way is not None:
            under_way[command.call_id] = Call(handle, tool.writes)
        answer = await handle
    except NotStrictJsonError as refused:
        message = f"the arguments cannot be sent: {refused}"
        return ToolReturned(command.call_id, "error", now_ms(), message=message, sent=command.again, attempts=0)
    except ActivityError as failure:
        if isinstance(failure.cause, exceptions.CancelledError):
            message = "it was stopped before an answer had come"
            return ToolReturned(command.call_id, "timeout" if tool.writes else "stopped", now_ms(), message=message)
        return _failed(command.call_id, failure, begun, tool.retry.attempts)
    return ToolReturned(
        command.call_id,
        "returned",
        now_ms(),
        status=answer.status,
        payload=answer.payload,
        attempts=answer.attempts,
        elapsed_ms=answer.elapsed_ms,
        earlier=answer.earlier,
        rules=answer.rules,
    )


def request_of(plan: Plan, tool: Tool, run_id: str, command: CallTool) -> ToolRequest:
    """What the activity is asked."""
    server = plan.servers.get(tool.server)
    stored = _stored(tool)
    return ToolRequest(
        tool=command.tool,
        call_id=command.call_id,
        run_id=run_id,
        step=command.step,
        transport=tool.transport,
        timeout_ms=tool.timeout_ms,
        max_bytes=limits.STORED_LIMIT if stored else limits.INLINE_LIMIT,
        server=server.model_dump(mode="json") if server else None,
        method=tool.method,
        path=tool.path,
        sql=tool.sql,
        mcp=tool.mcp,
        definition=tool.definition,
        writes=tool.writes,
        python=tool.python,
        arguments=[*(_argument(tool, name, value) for name, value in command.arguments.items()), *_key(tool, command)],
        outcomes=[one.model_dump(mode="json") for one in tool.outcomes],
        stored=stored,
        again=command.again,
    )


def _stored(tool: Tool) -> dict[str, Any] | None:
    fields = stored_fields(tool.output)
    if not fields:
        return None
    dumped = {name: one.model_dump(mode="json", exclude_defaults=True) for name, one in fields.items()}
    return {"unwrap": tool.unwrap, "fields": dumped}


def _argument(tool: Tool, name: str, value: Any) -> dict[str, Any]:
    declared = tool.input[name]
    sent = {"name": name, "value": value, "place": declared.place, "send_as": declared.send_as}
    return {**sent, "stored": True} if declared.stored else sent


def _key(tool: Tool, command: CallTool) -> list[dict[str, Any]]:
    """The idempotency key as one more argument, in the place that the tool says."""
    declared = tool.idempotency
    if declared is None or not command.key:
        return []
    place = "header" if declared.kind == "header" else _place_of_key(tool, declared.name)
    return [{"name": declared.name, "value": command.key, "place": place, "send_as": declared.name}]


def _place_of_key(tool: Tool, name: str) -> str:
    if tool.transport != "http":
        return "argument"
    if f"{{{name}}}" in tool.path:
        return "path"
    return "query" if tool.method in ("GET", "DELETE") else "body"


def _cancellation(tool: Tool) -> ActivityCancellationType:
    waits = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED
    return waits if tool.writes else ActivityCancellationType.TRY_CANCEL


def _retry_policy(tool: Tool) -> RetryPolicy:
    return RetryPolicy(
        initial_interval=timedelta(milliseconds=tool.retry.backoff_ms),
        maximum_interval=timedelta(milliseconds=max(tool.retry.backoff_ms, tool.retry.max_backoff_ms)),
        maximum_attempts=tool.retry.attempts,
    )


def _attempt_ms(tool: Tool) -> int:
    stored = any(one.stored for one in (*tool.input.values(), *(tool.output or {}).values()))
    return tool.timeout_ms + (STORING_MS if stored else GRACE_MS)


def _longest_ms(tool: Tool) -> int:
    pause = max(tool.retry.max_backoff_ms, limits.RETRY_AFTER_LIMIT_MS)
    return QUEUE_MS + tool.retry.attempts * _attempt_ms(tool) + (tool.retry.attempts - 1) * pause


def _failed(call_id: str, failure: ActivityError, begun: int, attempts: int) -> ToolReturned:
    known = known_of(failure, attempts)
    return ToolReturned(
        call_id,
        known.ending,
        now_ms(),
        status=known.status,
        payload=known.payload,
        message=_words(failure.cause),
        sent=known.sent,
        rules=known.rules,
        attempts=known.attempts,
        elapsed_ms=known.elapsed_ms or now_ms() - begun,
    )


def _words(cause: BaseException | None) -> str:
    if isinstance(cause, exceptions.TimeoutError) and cause.type in WAITING:
        return "no worker took the call in time"
    return words_of(cause)
