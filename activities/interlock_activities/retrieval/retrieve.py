"""The activity `retrieve`: one search, within its deadline, and what Temporal is told of it."""

import asyncio
import time
from typing import Final

import structlog
from pydantic import ValidationError
from temporalio import activity

from interlock.contract.calls import Json
from interlock.contract.retrieval import RETRIEVE, Passages, RetrieveRequest
from interlock.plan.tools import Retriever
from interlock_activities.beating import beating
from interlock_activities.clock import elapsed_ms
from interlock_activities.retrieval.answers import fitting, of_index
from interlock_activities.retrieval.failing import RetrievalError
from interlock_activities.retrieval.indexes import Indexes
from interlock_activities.retrieval.python_retriever import PythonRetrievers

QUERY_LIMIT: Final = 4_000
"""Characters of a question that are looked at; its beginning says what it is about."""

_SPARE: Final = 2
"""So many times as many passages are looked for as are wanted, for the case that some are too long."""

_log = structlog.get_logger("interlock.retrieval")


class Retrieval:
    """Searches in folders of documents and by plug-ins."""

    def __init__(self, indexes: Indexes, plug_ins: PythonRetrievers) -> None:
        self._indexes = indexes
        self._plug_ins = plug_ins

    @activity.defn(name=RETRIEVE)
    async def retrieve(self, request: RetrieveRequest) -> Passages:
        """The best passages first, `top` at most; anything else is raised as `retrieval_failed`."""
        started = time.monotonic()
        retriever = _retriever(request)
        found: list[Json] | None = None
        try:
            async with beating(), asyncio.timeout(request.timeout_ms / 1000):
                found = fitting(await self._found(retriever, request), request.top)
            return Passages(found, elapsed_ms(started))
        except TimeoutError:
            raise RetrievalError(f"no answer within {request.timeout_ms:,} ms").for_temporal() from None
        except RetrievalError as problem:
            raise problem.for_temporal() from None
        except Exception as bug:  # noqa: BLE001 - its text may hold documents, so only its class goes into the history
            failure = RetrievalError(f"the engine's own code raised {type(bug).__name__}", retryable=False)
            raise failure.for_temporal() from None
        finally:
            _log.info(
                "retrieved",
                retriever=retriever.python or f"{retriever.bundle}/{retriever.documents}",
                run=request.run_id,
                step=request.step,
                passages=None if found is None else len(found),
                elapsed_ms=elapsed_ms(started),
            )

    async def aclose(self) -> None:
        """Ends what works in the background."""
        await self._indexes.aclose()

    async def _found(self, retriever: Retriever, request: RetrieveRequest) -> list[Json]:
        query = request.query[:QUERY_LIMIT]
        if retriever.kind == "python":
            return await self._plug_ins.search(retriever.python, query, request.top)
        wanted = request.top * _SPARE
        return of_index(await self._indexes.search(retriever.bundle, retriever.documents, query, wanted))


def _retriever(request: RetrieveRequest) -> Retriever:
    try:
        return Retriever.model_validate(request.retriever)
    except ValidationError:
        raise RetrievalError("the request holds no retriever", retryable=False).for_temporal() from None
