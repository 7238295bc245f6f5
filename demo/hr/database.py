"""The tables in SQLite and the transactions over them: what is committed outlives a SIGKILL.

The log is written ahead and left to the operating system to flush: a killed process loses nothing, a power cut may.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from demo.hr.seed import sow

TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS pay_groups (id TEXT PRIMARY KEY, name TEXT, currency TEXT, template_id TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS employees
  (id TEXT PRIMARY KEY, pay_group_id TEXT, name TEXT, salary INTEGER, status TEXT, has_account INTEGER);
CREATE TABLE IF NOT EXISTS imports (id TEXT PRIMARY KEY, template_id TEXT, remark TEXT);
CREATE TABLE IF NOT EXISTS payruns
  (id TEXT PRIMARY KEY, pay_group_id TEXT, month TEXT, import_id TEXT, reads_left INTEGER, status TEXT,
   version INTEGER, total INTEGER, headcount INTEGER, warnings TEXT, new_hires TEXT, published INTEGER);
CREATE TABLE IF NOT EXISTS batches (id TEXT PRIMARY KEY, payrun_id TEXT, total INTEGER, status TEXT);
CREATE TABLE IF NOT EXISTS entries (id TEXT PRIMARY KEY, payrun_id TEXT, total INTEGER, reference TEXT);
CREATE TABLE IF NOT EXISTS given_ids (last INTEGER);
CREATE TABLE IF NOT EXISTS answers
  (scope TEXT, key TEXT, method TEXT, path TEXT, digest TEXT, response TEXT, PRIMARY KEY (scope, key));
CREATE TABLE IF NOT EXISTS effects
  (number INTEGER PRIMARY KEY, at TEXT, request INTEGER, operation TEXT, path TEXT, key TEXT, arguments TEXT,
   result TEXT);
CREATE TABLE IF NOT EXISTS requests
  (number INTEGER PRIMARY KEY, at TEXT, method TEXT, path TEXT, key TEXT, body TEXT, status INTEGER,
   replayed INTEGER DEFAULT 0, switches TEXT DEFAULT '[]');
CREATE TABLE IF NOT EXISTS switches
  (number INTEGER PRIMARY KEY, settings TEXT, seen INTEGER DEFAULT 0, acted INTEGER DEFAULT 0);
COMMIT;
"""


class Database:
    """One connection that the threads of the service take turns with."""

    def __init__(self, file: Path) -> None:
        self._turn = threading.Lock()
        self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=10)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.executescript(TABLES)
        with self.transaction() as db:
            sow(db)
            db.execute("INSERT INTO given_ids SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM given_ids)")

    @contextlib.contextmanager
    def transaction(self, *, kept: bool = True) -> Iterator[sqlite3.Connection]:
        """All of it is kept, or nothing; nothing after an exception, nor if it is not to be `kept`."""
        with self._turn:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT" if kept else "ROLLBACK")

    def close(self) -> None:
        """Close the file once the last transaction is through."""
        with self._turn:
            self._connection.close()


def next_number(db: sqlite3.Connection) -> int:
    """A number that no id was made from before."""
    db.execute("UPDATE given_ids SET last = last + 1")
    return int(db.execute("SELECT last FROM given_ids").fetchone()[0])
