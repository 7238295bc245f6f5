"""What errors of SQLite and of the file system mean for an embedded index."""

import contextlib
import sqlite3
from collections.abc import Iterator

from interlock_activities.retrieval.store import DamagedIndexError, StoreError


@contextlib.contextmanager
def told(done: str) -> Iterator[None]:
    """Raises StoreError for what goes wrong in the block; `done` is what the index cannot be: read or written."""
    try:
        yield
    except sqlite3.Error as problem:
        raise _failure(problem, done) from None
    except OSError as problem:
        raise StoreError(f"the index cannot be {done}: {problem.strerror or type(problem).__name__}") from None


def _failure(problem: sqlite3.Error, done: str) -> StoreError:
    """A table that is not there, in a file of our version, is damage too."""
    code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "no such table" in str(problem):
        return DamagedIndexError(f"the index is damaged: {problem}")
    return StoreError(f"the index cannot be {done}: {problem}")
