"""The activity `call_tool`: one attempt of one call, over whichever transport, and what Temporal is told of it."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

import structlog
from temporalio import activity
from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue

from interlock.contract.calls import (
    CALL_TOOL,
    RULES,
    TOOL_ERROR,
    TOOL_MISCONFIGURED,
    TOOL_TIMEOUT,
    ToolAnswer,
    ToolRequest,
)
from interlock.interpreter.outcomes import Meaning
from interlock_activities.beating import beating, to_its_end
from interlock_activities.clock import elapsed_ms
from interlock_activities.failures import Failure, Kind, as_application_error, misconfigured
from interlock_activities.meaning import Received, final
from interlock_activities.stored_values import StoredValues

Transport: TypeAlias = Callable[[ToolRequest], Awaitable[Received]]

_TYPES: Final[Mapping[Kind, str]] = {
    "timeout": TOOL_TIMEOUT,
    "error": TOOL_ERROR,
    "misconfigured": TOOL_MISCONFIGURED,
}

_NO_EFFECT, _UNTRIED = "no effect", "untried"
"""What an attempt leaves to the next, with its number: none so far has changed anything, or was even tried. Where that
is lost, one may have.
"""

_log = structlog.get_logger("interlock.tools")


class ToolCalls:
    """Holds the transports by name, as `ToolRequest.transport` names them, and the values that stay outside runs."""

    def __init__(self, transports: Mapping[str, Transport], values: StoredValues) -> None:
        self._transports = transports
        self._values = values

    @activity.defn(name=CALL_TOOL)
    async def call_tool(self, request: ToolRequest) -> ToolAnswer:
        """A final answer; anything else is raised as `tool_timeout`, `tool_error` or `tool_misconfigured`."""
        started = time.monotonic()
        attempt = activity.info().attempt
        none_changed, none_tried = _known_before()
        earlier = request.again or not none_changed
        status: int | None = None
        outcome: str = "cancelled"
        try:
            async with beating():
                made = self._called(request)
                received, outcome = await (to_its_end(made) if request.writes else made)
            status = received.status
            return ToolAnswer(status, received.payload, elapsed_ms(started), attempt, earlier, RULES)
        except Failure as failure:
            status, outcome = failure.status, _TYPES[failure.kind]
            untried = none_tried and not failure.tried and not failure.sent
            told = replace(failure, sent=failure.sent or earlier)
            if not told.sent:
                activity.heartbeat(f"{_UNTRIED if untried else _NO_EFFECT} {attempt}")
            tries = 0 if untried else attempt
            raise as_application_error(told, f"tool {request.tool!r}", _TYPES, tries, elapsed_ms(started)) from None
        finally:
            _log.info(
                "tool_called",
                tool=request.tool,
                run=request.run_id,
                step=request.step,
                call=request.call_id,
                outcome=outcome,
                status=status,
                attempt=attempt,
                elapsed_ms=elapsed_ms(started),
            )

    async def _called(self, request: ToolRequest) -> tuple[Received, Meaning]:
        if request.transport not in self._transports:
            raise misconfigured(f"this worker has no transport {request.transport!r}")
        try:
            received = await self._transports[request.transport](await self._values.whole(request))
            received = await self._values.parted(request, received)
            return received, final(request, received)
        except Failure:
            raise
        except Exception as bug:  # noqa: BLE001 - its text may hold arguments, so only its class goes into the history
            failure = misconfigured(f"the engine's own code raised {type(bug).__name__}")
            raise replace(failure, sent=True) from None


def _known_before() -> tuple[bool, bool]:
    """Whether it is known that no earlier attempt of this call has changed anything, and that none was even tried."""
    info = activity.info()
    left = [one.payload if isinstance(one, RawValue) else one for one in info.heartbeat_details]
    texts = [activity.payload_converter().from_payload(one, str) if isinstance(one, Payload) else one for one in left]
    none_tried = info.attempt == 1 or texts == [f"{_UNTRIED} {info.attempt - 1}"]
    return none_tried or texts == [f"{_NO_EFFECT} {info.attempt - 1}"], none_tried
