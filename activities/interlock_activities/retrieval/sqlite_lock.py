"""A lock between processes that ends with its holder, by SQLite, which has one on every platform."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from interlock_activities.retrieval.sqlite_failures import told

_PAUSE_SECONDS: Final = 0.1


@contextlib.asynccontextmanager
async def locked(path: Path) -> AsyncIterator[None]:
    """Holds the lock that `path` stands for; waits until it is free. Raises StoreError."""
    with told("written"):
        connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    with contextlib.closing(connection):
        while not _taken(connection):  # noqa: ASYNC110 - another process gives no sign when it is done
            await asyncio.sleep(_PAUSE_SECONDS)
        yield


def _taken(connection: sqlite3.Connection) -> bool:
    with told("written"):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                return False
            raise
    return True
