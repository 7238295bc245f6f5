"""The Python transport: functions by entry point, called with JSON and answering with JSON, within a deadline."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from interlock.contract import strict_json
from interlock.contract.calls import ToolRequest
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.failures import Failure, failed, misconfigured, timed_out
from interlock_activities.heavy import aside
from interlock_activities.meaning import Received
from interlock_activities.plug_ins import PlugInError, PlugIns, check_arguments, result_of, where
from interlock_activities.tool_function import ToolError

GROUP = "interlock.tools"

_log = structlog.get_logger("interlock.tools")


class PythonTransport:
    """Calls functions given by the worker, then those that installed packages declare under `interlock.tools`."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._functions = PlugIns(GROUP, functions)

    async def __call__(self, request: ToolRequest) -> Received:
        """What the function returned, as an answer of status 200; raises Failure where it returned nothing usable."""
        arguments = {argument["name"]: argument["value"] for argument in request.arguments}
        try:
            function = self._functions.function(request.python)
            check_arguments(function, arguments, request.python)
        except PlugInError as problem:
            raise misconfigured(str(problem)) from None
        try:
            async with asyncio.timeout(request.timeout_ms / 1000) as deadline:
                result = await result_of(function, arguments)
            await aside(request.stored is not None, strict_json.check, result, request.max_bytes)
        except ToolError as error:
            raise _own_failure(error, request) from None
        except NotStrictJsonError as problem:
            raise failed(f"what it returned is refused: {problem}", retryable=False) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plug-in raises is a failed call
            if isinstance(error, TimeoutError) and deadline.expired():
                raise timed_out(request.timeout_ms) from None
            _log.warning("tool_raised", tool=request.tool, error=type(error).__name__, where=where(error))
            raise failed(f"it raised {type(error).__name__}") from None
        return Received(200, result)


def _own_failure(error: ToolError, request: ToolRequest) -> Failure:
    try:
        strict_json.check([error.message, error.payload], request.max_bytes)
    except NotStrictJsonError as problem:
        return failed(f"the failure it raised is refused: {problem}", retryable=False)
    return Failure("error", error.message, error.retryable, payload=error.payload)
