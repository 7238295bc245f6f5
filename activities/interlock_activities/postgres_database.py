"""Statements on PostgreSQL: each in a transaction of its own, on a pooled connection, ended at the deadline."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import psycopg
from psycopg.rows import tuple_row

from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities import postgres_values
from interlock_activities.addresses import AddressRules
from interlock_activities.failures import failed, timed_out
from interlock_activities.postgres_failures import failure_of
from interlock_activities.postgres_pool import Connection, Database, Pool
from interlock_activities.sql_rows import Rows, payload

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

__all__ = ["Database", "Job", "PostgresDatabases"]

_STOP_SECONDS: Final = 0.5
"""How long the server's own word that time is up is waited for."""

_CHUNK: Final = 100
"""Rows that are fetched at once, so that a statement which finds too many can be ended early."""


@dataclass
class Job:
    """One statement with what it is about to do, and how far it has come."""

    database: Database
    text: str
    values: list[Any]
    writes: bool
    timeout_ms: int
    max_bytes: int
    begun: bool = field(default=False)
    committing: bool = field(default=False)

    @property
    def lost(self) -> bool:
        """Whether the statement may have changed something by now, if no word of it comes."""
        return self.writes and self.begun

    def opening(self, left_ms: int) -> str:
        """Begins the transaction; `SET LOCAL` ends with it, whatever stands between us and the server."""
        mode = "READ WRITE" if self.writes else "READ ONLY"
        return (
            f"BEGIN {mode}; SET LOCAL statement_timeout = {left_ms}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {left_ms + 5_000}; "
            "SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'iso_8601'; "
            "SET LOCAL standard_conforming_strings = on; SET LOCAL extra_float_digits = 1"
        )


class PostgresDatabases:
    """Runs statements, over one pool a database and user."""

    def __init__(self, rules: AddressRules, ca_file: str = "") -> None:
        self._rules = rules
        self._ca_file = ca_file
        self._pools: dict[Database, Pool] = {}
        self._late: set[asyncio.Task[Any]] = set()

    async def run(self, job: Job) -> Any:
        """The payload of one statement; raises Failure."""
        work = asyncio.create_task(self._worked(job))
        try:
            done, _ = await asyncio.wait({work}, timeout=job.timeout_ms / 1000 + _STOP_SECONDS)
        except asyncio.CancelledError:
            self._abandon(work)
            raise
        if done:
            return work.result()
        self._abandon(work)
        raise timed_out(job.timeout_ms, sent=job.lost)

    async def aclose(self) -> None:
        """Closes all connections."""
        for work in self._late:
            work.cancel()
        pools, self._pools = list(self._pools.values()), {}
        for pool in pools:
            await pool.aclose()

    def _abandon(self, work: "asyncio.Task[Any]") -> None:
        """Ending a statement may itself hang, where the server is gone: nobody waits for it."""
        work.cancel()
        self._late.add(work)
        work.add_done_callback(self._forget)

    def _forget(self, work: "asyncio.Task[Any]") -> None:
        self._late.discard(work)
        if not work.cancelled():
            work.exception()

    async def _worked(self, job: Job) -> Any:
        values = postgres_values.bound(job.values)
        ends = asyncio.get_running_loop().time() + job.timeout_ms / 1000
        pool = self._pools.setdefault(job.database, Pool(job.database, self._rules, self._ca_file))
        async with pool.slots:
            connection = await pool.take(lambda: job.opening(max(1, round((ends - _now()) * 1000))))
            try:
                return await _in_transaction(connection, job, values)
            finally:
                await pool.give_back(connection)


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _in_transaction(connection: Connection, job: Job, values: list[Any]) -> Any:
    try:
        job.begun = True
        answer = await (_written if job.writes else _read)(connection, job, values)
        job.committing = job.writes
        await connection.execute("COMMIT" if job.writes else "ROLLBACK")
    except NotStrictJsonError as problem:
        raise failed(f"a column of JSON is refused: {problem}", retryable=False, sent=False) from None
    except psycopg.Error as problem:
        raise failure_of(problem, job.timeout_ms, committing=job.committing) from None
    return answer


async def _read(connection: Connection, job: Job, values: list[Any]) -> Any:
    """The rows as they come: more than there may be are never fetched."""
    cursor = psycopg.AsyncRawCursor(connection, row_factory=tuple_row)
    rows: Rows | None = None
    stream = cast("AsyncGenerator[tuple[Any, ...], None]", cursor.stream(job.text, values, size=_CHUNK))
    async with aclosing(stream) as found:
        async for row in found:
            if rows is None:
                rows = Rows([column.name for column in cursor.description or ()], job.max_bytes)
            rows.add(row)
    return payload(rows.rows, len(rows.rows)) if rows else payload([], 0)


async def _written(connection: Connection, job: Job, values: list[Any]) -> Any:
    cursor = psycopg.AsyncRawCursor(connection, row_factory=tuple_row)
    await cursor.execute(job.text, values, prepare=False)
    if cursor.description is None:
        return payload([], max(cursor.rowcount, 0))
    rows = Rows([column.name for column in cursor.description], job.max_bytes)
    for row in await cursor.fetchall():
        rows.add(row)
    return payload(rows.rows, len(rows.rows))
