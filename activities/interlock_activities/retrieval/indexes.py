"""Indexes that keep themselves up to date: built when they are first asked, looked after from time to time.

The first search of an index in a worker's life compares it with its folder. Later ones do so once the last look is
`LOOK_AGAIN_SECONDS` old, and answer from the index as it is meanwhile.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import Final

import structlog

from interlock_activities.retrieval.failing import RetrievalError
from interlock_activities.retrieval.folders import BundleFolders, index_name
from interlock_activities.retrieval.ingestion import Shelf, refresh
from interlock_activities.retrieval.parsers import Parsers
from interlock_activities.retrieval.store import DamagedIndexError, Found, NoIndexError, Store, StoreError

LOOK_AGAIN_SECONDS: Final = 30.0

PATIENCE_SECONDS: Final = 2.0
"""How long the first search of an index that is there waits for it to be brought up to date."""

_log = structlog.get_logger("interlock.retrieval")


@dataclass
class _Care:
    """When an index was last looked at, and the work on it that goes on."""

    looked: float | None = None
    work: asyncio.Task[None] | None = None


class Indexes:
    """Searches in the documents of bundles. Work on an index goes on when the search that began it ends."""

    def __init__(self, store: Store, folders: BundleFolders, parsers: Parsers) -> None:
        self._store = store
        self._folders = folders
        self._parsers = parsers
        self._cares: dict[str, _Care] = {}

    async def search(self, bundle: str, documents: str, query: str, top: int) -> list[Found]:
        """The best passages first; raises RetrievalError. An index that is not there yet is waited for."""
        name = index_name(bundle, documents)
        shelf = Shelf(name, self._folders.of(bundle, documents), self._parsers)
        care = self._cares.setdefault(name, _Care())
        try:
            if care.work is None or _is_old(care):
                first = care.looked is None
                work = self._look_after(shelf, care)
                if first:
                    await asyncio.wait({work}, timeout=PATIENCE_SECONDS)
            return await self._found(shelf, care, query, top)
        except StoreError as problem:
            raise RetrievalError(str(problem), retryable=problem.retryable) from None

    async def aclose(self) -> None:
        """Ends the work that goes on; what has begun is taken back."""
        works = [care.work for care in self._cares.values() if care.work is not None]
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)
        await self._store.aclose()

    async def _found(self, shelf: Shelf, care: _Care, query: str, top: int) -> list[Found]:
        try:
            return await self._store.search(shelf.index, query, top)
        except NoIndexError:
            await asyncio.shield(self._look_after(shelf, care))
        except DamagedIndexError as problem:
            _log.warning("index_damaged", index=shelf.index, problem=str(problem))
            await asyncio.shield(self._look_after(shelf, care, anew=True))
        return await self._store.search(shelf.index, query, top)

    def _look_after(self, shelf: Shelf, care: _Care, *, anew: bool = False) -> "asyncio.Task[None]":
        """The work that goes on, or else new work: several searches wait for the same."""
        if care.work is None or care.work.done():
            care.work = asyncio.create_task(self._refreshed(shelf, care, anew=anew))
            care.work.add_done_callback(_told)
        return care.work

    async def _refreshed(self, shelf: Shelf, care: _Care, *, anew: bool) -> None:
        care.looked = time.monotonic()
        try:
            summary = await refresh(self._store, shelf, anew=anew)
        except OSError as problem:
            reason = problem.strerror or type(problem).__name__
            raise RetrievalError(f"the documents of {shelf.index!r} cannot be read: {reason.lower()}") from None
        if summary.damage:
            _log.warning("index_damaged", index=shelf.index, problem=summary.damage)
        if summary.written or summary.removed:
            _log.info(
                "index_refreshed",
                index=shelf.index,
                files=summary.files,
                written=summary.written,
                removed=summary.removed,
                skipped=len(summary.skipped),
                elapsed_ms=round(summary.seconds * 1000),
            )


def _is_old(care: _Care) -> bool:
    return care.looked is None or time.monotonic() - care.looked > LOOK_AGAIN_SECONDS


def _told(work: "asyncio.Task[None]") -> None:
    """Whoever waits for the work hears of its failure; nobody may be waiting."""
    if not work.cancelled() and (problem := work.exception()) is not None:
        known = isinstance(problem, RetrievalError | StoreError)
        _log.warning("index_not_refreshed", reason=str(problem) if known else type(problem).__name__)
