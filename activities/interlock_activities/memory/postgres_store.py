"""Memories in PostgreSQL, for workers on several machines: one table in the schema `interlock_memory`."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final

import psycopg

from interlock.contract.memory import Person
from interlock_activities.addresses import AddressRules
from interlock_activities.failures import Failure
from interlock_activities.memory.store import MemoryStoreError, Row, as_stored, beyond, from_stored, key_of
from interlock_activities.postgres_failures import failure_of
from interlock_activities.postgres_pool import Connection, Database, Pool

_STATEMENT_MS: Final = 1_500
_LOCK: Final = 0x696E7465726C6D65
"""Any number that others are unlikely to lock."""

_TABLE = """
    CREATE SCHEMA IF NOT EXISTS interlock_memory;
    CREATE TABLE IF NOT EXISTS interlock_memory.entry (
        agent text NOT NULL, attribute text NOT NULL, value text NOT NULL, tenant text NOT NULL,
        at_ms bigint NOT NULL, id text NOT NULL, place integer NOT NULL, kind text NOT NULL, content text NOT NULL,
        PRIMARY KEY (agent, attribute, value, tenant, id, place)
    );
    CREATE INDEX IF NOT EXISTS entry_value ON interlock_memory.entry (value)
"""
_IS_THERE = "SELECT to_regclass('interlock_memory.entry_value') IS NOT NULL"
_OF = "agent = %s AND attribute = %s AND value = %s AND tenant = %s"
_READ = f"SELECT kind, id, place, at_ms, content FROM interlock_memory.entry WHERE {_OF} ORDER BY at_ms, id, place"  # noqa: S608 - no values
_ADD = (
    "INSERT INTO interlock_memory.entry (agent, attribute, value, tenant, kind, id, place, at_ms, content) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
_DROP = f"DELETE FROM interlock_memory.entry WHERE {_OF} AND id = %s AND place = %s"  # noqa: S608 - no values
_CHOSEN = "value = %s AND (%s = '' OR agent = %s) AND (%s::text IS NULL OR tenant = %s::text)"
_COUNT = (
    f"SELECT agent, attribute, value, tenant, count(*) FROM interlock_memory.entry WHERE {_CHOSEN} GROUP BY 1, 2, 3, 4"  # noqa: S608 - no values
)
_FORGET = f"DELETE FROM interlock_memory.entry WHERE {_CHOSEN}"  # noqa: S608 - no values


class PostgresMemory:
    """One database for all workers; its table is made by whoever needs it first."""

    def __init__(self, database: Database, rules: AddressRules, ca_file: str) -> None:
        self._pool = Pool(database, rules, ca_file)
        self._is_there = False

    async def read(self, person: Person) -> list[Row]:
        """All rows of a person, oldest first."""
        async with self._transaction() as connection:
            return await _rows(connection, person)

    async def add(self, person: Person, rows: list[Row], chars: int, results: int) -> None:
        """Add rows and drop what is beyond the bounds, in one transaction."""
        of = key_of(person)
        async with self._transaction() as connection:
            for row in rows:
                await _run(connection, _ADD, (*of, *as_stored(row)))
            for row in beyond(await _rows(connection, person), chars, results):
                await _run(connection, _DROP, (*of, row.id, row.place))
            await connection.execute("COMMIT")

    async def held(self, value: str, agent: str = "", tenant: str | None = None) -> dict[Person, int]:
        """How many rows there are, by person."""
        async with self._transaction() as connection:
            return await _counted(connection, (value, agent, agent, tenant, tenant))

    async def forget(self, value: str, agent: str = "", tenant: str | None = None) -> dict[Person, int]:
        """Delete rows; what they were."""
        given = (value, agent, agent, tenant, tenant)
        async with self._transaction() as connection:
            found = await _counted(connection, given)
            await _run(connection, _FORGET, given)
            await connection.execute("COMMIT")
        return found

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._pool.aclose()

    @contextlib.asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Connection]:
        """Taken back where the block does not commit it. Raises MemoryStoreError for whatever the database says."""
        opening = f"BEGIN READ WRITE; SET LOCAL statement_timeout = {_STATEMENT_MS}"
        try:
            async with self._pool.slots:
                connection = await self._pool.take(lambda: opening)
                try:
                    await self._table(connection)
                    yield connection
                finally:
                    await self._pool.give_back(connection)
        except Failure as failure:
            raise MemoryStoreError(f"the memory cannot be reached: {failure}") from None
        except psycopg.Error as problem:
            told = failure_of(problem, _STATEMENT_MS, committing=False)
            raise MemoryStoreError(f"the memory cannot be used: {told}") from None
        except ValueError:
            raise MemoryStoreError("the memory is damaged: a row is no JSON") from None

    async def _table(self, connection: Connection) -> None:
        if self._is_there:
            return
        row = await (await connection.execute(_IS_THERE.encode())).fetchone()
        if row is None or not row[0]:
            await _run(connection, "SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            await connection.execute(_TABLE.encode())
            await connection.execute("COMMIT")
            await connection.execute("BEGIN READ WRITE")
        self._is_there = True


async def _run(connection: Connection, statement: str, given: tuple[Any, ...]) -> "psycopg.AsyncCursor[Any]":
    return await connection.execute(statement.encode(), given)


async def _rows(connection: Connection, person: Person) -> list[Row]:
    return from_stored(await (await _run(connection, _READ, key_of(person))).fetchall())


async def _counted(connection: Connection, given: tuple[Any, ...]) -> dict[Person, int]:
    found = await (await _run(connection, _COUNT, given)).fetchall()
    return {Person(*row[:4]): row[4] for row in found}
