"""Objects that installed packages declare as entry points: found by name, and functions among them called with JSON."""

import asyncio
import contextvars
import inspect
import threading
import traceback
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any, TypeAlias

_Ending: TypeAlias = tuple[Any, Exception | SystemExit | None]
"""What a function returned, or what it raised."""


class PlugInError(Exception):
    """There is no such plug-in, or none that can be used; trying again cannot help."""


class PlugIns:
    """The functions of one group: those given by the worker, then those that installed packages declare."""

    def __init__(self, group: str, given: Mapping[str, Callable[..., Any]]) -> None:
        self._group = group
        self._functions = dict(given)

    def function(self, name: str) -> Callable[..., Any]:
        """The function of that name, loaded once; raises PlugInError."""
        if name not in self._functions:
            function = loaded(self._group, name)
            if not callable(function):
                raise PlugInError(f"entry point {name!r} is not callable")
            self._functions[name] = function
        return self._functions[name]


def loaded(group: str, name: str) -> Any:
    """The object that installed packages declare under that name; raises PlugInError."""
    found = list(entry_points(group=group, name=name))
    if not found:
        raise PlugInError(f"no installed package declares {name!r} under {group!r}")
    if len({entry.value for entry in found}) > 1:
        raise PlugInError(f"several packages declare {name!r} under {group!r}")
    try:
        return found[0].load()
    except Exception as error:  # noqa: BLE001 - importing a plug-in may raise anything
        raise PlugInError(f"entry point {name!r} cannot be loaded: {type(error).__name__}") from None


def check_arguments(function: Callable[..., Any], arguments: Mapping[str, Any], name: str) -> None:
    """Raises PlugInError unless the function can be called with these arguments."""
    try:
        inspect.signature(function).bind(**arguments)
    except (TypeError, ValueError) as problem:
        raise PlugInError(f"function {name!r} does not take these arguments: {problem}") from None


async def result_of(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """What the function returns, or raises, whether it is `async` or not."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        return await function(**arguments)
    returned, raised = await _in_thread(function, arguments)
    if raised is not None:
        raise raised
    return returned


def _in_thread(function: Callable[..., Any], arguments: Mapping[str, Any]) -> asyncio.Future[_Ending]:
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

    threading.Thread(target=run, name="interlock-plug-in", daemon=True).start()
    return ended


def where(error: BaseException) -> str:
    """The line that raised it, for the log."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}"
