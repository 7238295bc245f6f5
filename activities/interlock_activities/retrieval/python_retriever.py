"""Retrievers in Python: functions by entry point that are asked a question and answer with passages."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import structlog

from interlock.contract.calls import Json
from interlock_activities.plug_ins import PlugInError, PlugIns, check_arguments, result_of, where
from interlock_activities.retrieval.answers import of_plug_in
from interlock_activities.retrieval.failing import RetrievalError

GROUP = "interlock.retrievers"

_log = structlog.get_logger("interlock.retrieval")


class RetrieverFunction(Protocol):
    """A retriever: plain or `async`; the best passages first, as `{text, source: {title, document, locator}, score}`.

    It is called again after an exception, of which nothing but the class is recorded. A plain function runs in a thread
    of its own, which cannot be stopped: past the deadline its answer is dropped.
    """

    def __call__(self, *, query: str, top: int) -> Any:
        """At most `top` passages; more are left out."""


class PythonRetrievers:
    """Calls functions given by the worker, then those that installed packages declare under `interlock.retrievers`."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._functions = PlugIns(GROUP, functions)

    async def search(self, name: str, query: str, top: int) -> list[Json]:
        """What the function of that name finds; raises RetrievalError."""
        arguments = {"query": query, "top": top}
        try:
            function = self._functions.function(name)
            check_arguments(function, arguments, name)
        except PlugInError as problem:
            raise RetrievalError(str(problem), retryable=False) from None
        try:
            returned = await result_of(function, arguments)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plug-in raises is a failed search
            _log.warning("retriever_raised", retriever=name, error=type(error).__name__, where=where(error))
            raise RetrievalError(f"retriever {name!r} raised {type(error).__name__}") from None
        try:
            return of_plug_in(returned)
        except TypeError as problem:
            raise RetrievalError(f"retriever {name!r}: {problem}", retryable=False) from None
