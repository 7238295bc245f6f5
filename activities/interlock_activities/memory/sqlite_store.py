"""Memories in one SQLite file, for a worker or several on one machine; what is deleted is overwritten."""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from interlock.contract.memory import Person
from interlock_activities.memory.store import MemoryStoreError, Row, as_stored, beyond, from_stored, key_of

_BUSY_SECONDS: Final = 1.5

_TABLE = """
    CREATE TABLE IF NOT EXISTS memory (
        agent TEXT NOT NULL, attribute TEXT NOT NULL, value TEXT NOT NULL, tenant TEXT NOT NULL,
        at_ms INTEGER NOT NULL, id TEXT NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (agent, attribute, value, tenant, id, place)
    ) WITHOUT ROWID
"""
_OF = "agent = ? AND attribute = ? AND value = ? AND tenant = ?"
_READ = f"SELECT kind, id, place, at_ms, content FROM memory WHERE {_OF} ORDER BY at_ms, id, place"  # noqa: S608 - no values
_ADD = (
    "INSERT OR IGNORE INTO memory (agent, attribute, value, tenant, kind, id, place, at_ms, content) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_DROP = f"DELETE FROM memory WHERE {_OF} AND id = ? AND place = ?"  # noqa: S608 - no values
_CHOSEN = "value = ? AND (? = '' OR agent = ?) AND (? IS NULL OR tenant = ?)"
_COUNT = f"SELECT agent, attribute, value, tenant, count(*) FROM memory WHERE {_CHOSEN} GROUP BY 1, 2, 3, 4"  # noqa: S608 - no values
_FORGET = f"DELETE FROM memory WHERE {_CHOSEN}"  # noqa: S608 - no values


class SqliteMemory:
    """One file, opened for each use; it is there once something is to be remembered."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def read(self, person: Person) -> list[Row]:
        """All rows of a person, oldest first."""
        return await asyncio.to_thread(self._read, person)

    async def add(self, person: Person, rows: list[Row], chars: int, results: int) -> None:
        """Add rows and drop what is beyond the bounds, in one transaction."""
        await asyncio.to_thread(self._add, person, rows, chars, results)

    async def held(self, value: str, agent: str = "", tenant: str | None = None) -> dict[Person, int]:
        """How many rows there are, by person."""
        return await asyncio.to_thread(self._chosen, value, agent, tenant, delete=False)

    async def forget(self, value: str, agent: str = "", tenant: str | None = None) -> dict[Person, int]:
        """Delete rows; what they were."""
        return await asyncio.to_thread(self._chosen, value, agent, tenant, delete=True)

    async def aclose(self) -> None:
        """Nothing is kept open between two uses."""

    def _read(self, person: Person) -> list[Row]:
        if not self._file.exists():
            return []
        with _told(), self._opened() as connection:
            return _rows(connection, person)

    def _add(self, person: Person, rows: list[Row], chars: int, results: int) -> None:
        of = key_of(person)
        with _told(), self._opened() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(_ADD, [(*of, *as_stored(row)) for row in rows])
            old = beyond(_rows(connection, person), chars, results)
            connection.executemany(_DROP, [(*of, row.id, row.place) for row in old])

    def _chosen(self, value: str, agent: str, tenant: str | None, *, delete: bool) -> dict[Person, int]:
        if not self._file.exists():
            return {}
        given = (value, agent, agent, tenant, tenant)
        with _told(), self._opened() as connection, connection:
            connection.execute("BEGIN IMMEDIATE" if delete else "BEGIN")
            found = {Person(*row[:4]): row[4] for row in connection.execute(_COUNT, given).fetchall()}
            if delete:
                connection.execute(_FORGET, given)
        return found

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection to the file, which only its owner can read."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self._file, os.O_CREAT | os.O_EXCL, 0o600))
        connection = sqlite3.connect(self._file, timeout=_BUSY_SECONDS, isolation_level=None)
        with contextlib.closing(connection):
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(_TABLE)
            yield connection


def _rows(connection: sqlite3.Connection, person: Person) -> list[Row]:
    return from_stored(connection.execute(_READ, key_of(person)).fetchall())


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Raises MemoryStoreError for what goes wrong in the block."""
    try:
        yield
    except sqlite3.Error as problem:
        raise MemoryStoreError(f"the memory cannot be used: {problem}") from None
    except ValueError:
        raise MemoryStoreError("the memory is damaged: a row is no JSON") from None
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise MemoryStoreError(f"the memory cannot be used: {reason}") from None
