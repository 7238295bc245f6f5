"""The Python transport: functions by entry point, called with JSON and answering with JSON, within a deadline."""

import asyncio
import contextvars
import inspect
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import structlog

from interlock.contract import strict_json
from interlock.contract.calls import ToolRequest
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.entry_point import plugged_in
from interlock_activities.failures import Failure, failed, misconfigured, timed_out
from interlock_activities.heavy import aside
from interlock_activities.meaning import Received
from interlock_activities.tool_function import ToolError

GROUP = "interlock.tools"

_Ending: TypeAlias = tuple[Any, Exception | SystemExit | None]
"""What a function returned, or what it raised."""

_log = structlog.get_logger("interlock.tools")


class PythonTransport:
    """Calls functions given by the worker, then those that installed packages declare under `interlock.tools`."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._functions = dict(functions)

    async def __call__(self, request: ToolRequest) -> Received:
        """What the function returned, as an answer of status 200; raises Failure where it returned nothing usable."""
        function = self._function(request.python)
        arguments = {argument["name"]: argument["value"] for argument in request.arguments}
        _check_arguments(function, arguments, request.python)
        try:
            async with asyncio.timeout(request.timeout_ms / 1000) as deadline:
                result = await _result(function, arguments)
            await aside(request.stored is not None, strict_json.check, result, request.max_bytes)
        except ToolError as error:
            raise _own_failure(error, request) from None
        except NotStrictJsonError as problem:
            raise failed(f"what it returned is refused: {problem}", retryable=False) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plug-in raises is a failed call
            if isinstance(error, TimeoutError) and deadline.expired():
                raise timed_out(request.timeout_ms) from None
            _log.warning("tool_raised", tool=request.tool, error=type(error).__name__, where=_where(error))
            raise failed(f"it raised {type(error).__name__}") from None
        return Received(200, result)

    def _function(self, name: str) -> Callable[..., Any]:
        if name not in self._functions:
            self._functions[name] = _load(name)
        return self._functions[name]


def _load(name: str) -> Callable[..., Any]:
    function = plugged_in(GROUP, name)
    if not callable(function):
        raise misconfigured(f"entry point {name!r} is not callable")
    return function  # type: ignore[no-any-return] # callable was just checked


def _check_arguments(function: Callable[..., Any], arguments: dict[str, Any], name: str) -> None:
    try:
        inspect.signature(function).bind(**arguments)
    except (TypeError, ValueError) as problem:
        raise misconfigured(f"function {name!r} does not take these arguments: {problem}") from None


async def _result(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        return await function(**arguments)
    returned, raised = await _in_thread(function, arguments)
    if raised is not None:
        raise raised
    return returned


def _in_thread(function: Callable[..., Any], arguments: dict[str, Any]) -> asyncio.Future[_Ending]:
    """A daemon thread for one call: a pool's threads, once stuck, would block later calls and the worker's exit."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[_Ending] = loop.create_future()
    context = contextvars.copy_context()

    def settle(ending: _Ending) -> None:
        if not ended.done():
            ended.set_result(ending)

    def run() -> None:
        ending: _Ending
        try:
            ending = context.run(function, **arguments), None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - raised again where the call is awaited
            ending = None, error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, ending)

    threading.Thread(target=run, name="interlock-tool", daemon=True).start()
    return ended


def _own_failure(error: ToolError, request: ToolRequest) -> Failure:
    try:
        strict_json.check([error.message, error.payload], request.max_bytes)
    except NotStrictJsonError as problem:
        return failed(f"the failure it raised is refused: {problem}", retryable=False)
    return Failure("error", error.message, error.retryable, payload=error.payload)


def _where(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}"
