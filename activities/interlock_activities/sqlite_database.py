"""Statements on SQLite files: each in a thread and a transaction of its own, ended at the deadline, kept to rows."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from interlock.contract import strict_json
from interlock_activities.failures import Failure, failed, misconfigured, timed_out
from interlock_activities.sql_rows import Rows, payload

_THREADS: Final = 16
_STEPS: Final = 10_000
"""Instructions of SQLite's machine between two looks at the clock."""

_STOP_SECONDS: Final = 0.5
"""How long a statement that was told to stop is waited for, so that what became of it is known."""

_LARGEST: Final = 16 * 1024 * 1024
"""Bytes of a value that a statement may make on its way."""

_LONGEST_PATTERN: Final = 1_000
"""Characters of a LIKE or GLOB pattern: their cost grows with the power of its wildcards, and no clock is looked at."""

_READS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_TRANSACTION}
)
_WRITES: Final = _READS | {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
_REFUSED_FUNCTIONS: Final = frozenset({"load_extension", "fts3_tokenizer"})


@dataclass
class Job:
    """One statement with what it is about to do; `stop` may be called from another thread."""

    path: Path
    text: str
    values: Sequence[Any]
    writes: bool
    timeout_ms: int
    max_bytes: int
    ends: float = field(init=False)
    committing: bool = False
    stopped: threading.Event = field(default_factory=threading.Event)
    connection: sqlite3.Connection | None = None

    def __post_init__(self) -> None:
        self.ends = time.monotonic() + self.timeout_ms / 1000

    def stop(self) -> None:
        """End the statement, if it still runs."""
        self.stopped.set()
        connection = self.connection
        if connection is not None:
            with suppress(sqlite3.Error):  # it has just been closed
                connection.interrupt()

    def is_over(self) -> bool:
        """Whether the statement must end now."""
        return self.stopped.is_set() or time.monotonic() >= self.ends

    def run(self) -> Any:
        """The payload; raises Failure."""
        if self.is_over():
            raise timed_out(self.timeout_ms, sent=False)
        try:
            self.connection = _opened(self)
            return _in_transaction(self, self.connection)
        except sqlite3.Error as problem:
            raise _failure(problem, self) from None
        finally:
            if self.connection is not None:
                self.connection.close()


class SqliteDatabases:
    """Runs statements on files, at most so many at once."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="interlock-sqlite")

    async def run(self, job: Job) -> Any:
        """The payload of one statement; raises Failure."""
        future: Future[Any] = self._threads.submit(job.run)
        waited = asyncio.wrap_future(future)
        waited.add_done_callback(_forget)
        try:
            for seconds in (job.timeout_ms / 1000, _STOP_SECONDS):
                done, _ = await asyncio.wait({waited}, timeout=seconds)
                if done:
                    return waited.result()
                job.stop()
        finally:
            job.stop()
        never_begun = future.cancel()
        raise timed_out(job.timeout_ms, sent=job.writes and not never_begun)

    def close(self) -> None:
        """Takes no more statements."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _forget(late: "asyncio.Future[Any]") -> None:
    """What comes after the deadline, or to a call that was cancelled, nobody asks for."""
    if not late.cancelled():
        late.exception()


def _opened(job: Job) -> sqlite3.Connection:
    if not job.path.is_file():
        raise misconfigured(f"there is no database file {job.path.name!r} in the data folder")
    mode = "rw" if job.writes else "ro"
    seconds = max(0.0, job.ends - time.monotonic())
    connection = sqlite3.connect(f"{job.path.as_uri()}?mode={mode}", uri=True, timeout=seconds, isolation_level=None)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _LONGEST_PATTERN)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        if not job.writes:
            connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(_Authorizer(_WRITES if job.writes else _READS))
        connection.set_progress_handler(job.is_over, _STEPS)
    except BaseException:
        connection.close()
        raise
    return connection


class _Authorizer:
    """Allows a statement what its tool may do, and nothing of files, settings or tables' shapes."""

    def __init__(self, allowed: frozenset[int]) -> None:
        self._allowed = allowed

    def __call__(self, action: int, first: str | None, second: str | None, _where: str | None, _by: str | None) -> int:
        if action == sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() not in _REFUSED_FUNCTIONS
        elif action == sqlite3.SQLITE_PRAGMA:
            allowed = first == "data_version"  # full-text tables ask it
        elif action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
            allowed = True  # what opening a virtual table looks like; SQLite itself lets nobody write there
        else:
            allowed = action in self._allowed
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _in_transaction(job: Job, connection: sqlite3.Connection) -> Any:
    """Whatever raises before COMMIT leaves nothing behind: closing a connection rolls back."""
    connection.execute("BEGIN IMMEDIATE" if job.writes else "BEGIN")
    try:
        cursor = connection.execute(job.text, job.values)
    except OverflowError:
        raise misconfigured("an argument is an integer of more than 64 bits, which SQLite does not hold") from None
    except (UnicodeEncodeError, sqlite3.InterfaceError):
        raise misconfigured("an argument cannot be sent") from None
    rows = Rows([column[0] for column in cursor.description or ()], job.max_bytes)
    for values in cursor:
        rows.add(values)
    count = len(rows.rows) if cursor.description else max(cursor.rowcount, 0)
    if job.writes:
        job.committing = True
        connection.execute("COMMIT")
    return payload(rows.rows, count)


def _failure(problem: sqlite3.Error, job: Job) -> Failure:
    name = getattr(problem, "sqlite_errorname", "")
    busy = name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
    if name == "SQLITE_INTERRUPT" or (busy and job.is_over()):
        return timed_out(job.timeout_ms, sent=False)
    if job.committing and not busy and not name.startswith("SQLITE_CONSTRAINT"):
        return failed(f"the database failed while it made the change last ({name})")
    if busy:
        return failed("the database is locked by another", sent=False)
    if name == "SQLITE_AUTH" or name.startswith("SQLITE_READONLY"):
        return misconfigured(
            "the statement does what this tool may not: it would change something, or leave its tables", tried=True
        )
    if isinstance(problem, sqlite3.ProgrammingError):
        return misconfigured("the statement and its arguments do not fit: an argument is written :name")
    if name == "SQLITE_ERROR" and (mistake := _mistake(job)):
        return misconfigured(f"the statement is refused: {mistake}", tried=True)
    return failed(
        f"the database refuses the statement ({name or 'text that is not UTF-8'})", retryable=False, sent=False
    )


def _mistake(job: Job) -> str:
    """What is wrong with the statement itself. A message that came only when it ran may hold an argument's text."""
    if job.connection is None:
        return ""
    try:
        job.connection.execute(f"EXPLAIN {job.text}", job.values)
    except sqlite3.Error as problem:
        return strict_json.shown(str(problem))
    return ""
