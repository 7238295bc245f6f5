"""The activities `memory-read` and `memory-write`: what is remembered of a person, and one exchange more."""

import time

import structlog
from temporalio import activity
from temporalio.exceptions import ApplicationError

from interlock.contract.memory import (
    MEMORY_FAILED,
    MEMORY_READ,
    MEMORY_WRITE,
    Memories,
    MemoryEntry,
    MemoryQuestion,
    last,
    latest,
)
from interlock_activities.clock import elapsed_ms
from interlock_activities.memory.store import MemoryStore, MemoryStoreError, contents, rows_of

_log = structlog.get_logger("interlock.memory")


class Remembering:
    """Reads and writes one store. Who and what it is about is in no log."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    @activity.defn(name=MEMORY_READ)
    async def read(self, question: MemoryQuestion) -> Memories:
        """What is remembered within the bounds; anything else is raised as `memory_failed`."""
        started = time.monotonic()
        try:
            rows = await self._store.read(question.person)
        except MemoryStoreError as problem:
            raise _failed("read", question.person.agent, problem) from None
        found = Memories(
            latest(contents(rows, "exchange"), question.chars), last(contents(rows, "result"), question.results)
        )
        counts = {"exchanges": len(found.exchanges), "results": len(found.results)}
        _log.info("memory_read", agent=question.person.agent, elapsed_ms=elapsed_ms(started), **counts)
        return found

    @activity.defn(name=MEMORY_WRITE)
    async def write(self, entry: MemoryEntry) -> None:
        """Leave an exchange; of one that is there already nothing is added."""
        started = time.monotonic()
        try:
            await self._store.add(entry.person, rows_of(entry), entry.chars, entry.results)
        except MemoryStoreError as problem:
            raise _failed("write", entry.person.agent, problem) from None
        _log.info("memory_written", agent=entry.person.agent, elapsed_ms=elapsed_ms(started))

    async def aclose(self) -> None:
        """Ends what the store keeps open."""
        await self._store.aclose()


def _failed(what: str, agent: str, problem: MemoryStoreError) -> ApplicationError:
    _log.warning("memory_failed", what=what, agent=agent, reason=str(problem))
    return ApplicationError(str(problem), type=MEMORY_FAILED, non_retryable=True)
