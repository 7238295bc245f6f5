"""A change of an embedded index: made on a copy, put in the place of the old file when it is done."""

import asyncio
import os
import shutil
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from interlock_activities.retrieval.analysis import terms
from interlock_activities.retrieval.chunks import Passage
from interlock_activities.retrieval.sqlite_failures import told
from interlock_activities.retrieval.store import VERSION, Mark

_SCHEMA = f"""
    CREATE TABLE file (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, stamp TEXT NOT NULL,
        made_by TEXT NOT NULL, problem TEXT NOT NULL, title TEXT NOT NULL
    );
    CREATE TABLE passage (
        id INTEGER PRIMARY KEY, file INTEGER NOT NULL, locator TEXT NOT NULL, headings TEXT NOT NULL, text TEXT NOT NULL
    );
    CREATE INDEX passage_of_file ON passage (file);
    CREATE VIRTUAL TABLE words USING fts5 (headings, body, content = '', tokenize = "ascii tokenchars '-_./:^@#+'");
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
    PRAGMA user_version = {VERSION};
"""
_MERGED_AT = 50
"""From so many files on a change is worth putting the full-text index into one piece again."""


class SqliteChange:
    """Works in threads, one call at a time. The copy is made at the first change, so that no change costs nothing."""

    def __init__(self, path: Path, known: dict[str, Mark] | None) -> None:
        self.marks = known or {}
        self._path = path
        self._from_nothing = known is None
        self._copy: Path | None = None
        self._connection: sqlite3.Connection | None = None
        self._written = 0
        self._busy = threading.Lock()

    async def put(self, mark: Mark, title: str, passages: list[Passage]) -> None:
        """A file with its passages, in place of what the index had of it."""
        await self._done(_put, mark, title, passages)

    async def touch(self, mark: Mark) -> None:
        """A file whose content has not changed."""
        await self._done(_touch, mark)

    async def remove(self, path: str) -> None:
        """A file that is no longer there."""
        await self._done(_remove, path)

    async def _done(self, work: Callable[..., None], *given: Any) -> None:
        self._written += 1
        await asyncio.to_thread(self._do, work, given)

    def _do(self, work: Callable[..., None], given: tuple[Any, ...]) -> None:
        with self._busy, told("written"):
            work(self._open(), *given)

    def publish(self) -> None:
        """Puts the copy in the place of the index, whole and on disk."""
        if self._copy is not None or self._from_nothing:
            with told("written"):
                self._publish(self._open())

    def _publish(self, connection: sqlite3.Connection) -> None:
        assert self._copy is not None
        if self._written >= _MERGED_AT:
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        connection.commit()
        connection.close()
        descriptor = os.open(self._copy, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._copy.replace(self._path)
        self._copy = None

    def discard(self) -> None:
        """Ends the work; a copy that has not been published goes."""
        with self._busy:  # the work of a change that was cancelled goes on in its thread
            if self._connection is not None:
                self._connection.close()
            if self._copy is not None:
                self._copy.unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        """The copy. Nobody else reads it, so it needs no journal: it is finished, or thrown away."""
        if self._connection is None:
            for left in self._path.parent.glob(f"{self._path.stem}.*.new"):
                left.unlink(missing_ok=True)  # whoever made it died: only one change goes on at a time
            self._copy = self._path.with_suffix(f".{uuid.uuid4().hex}.new")
            if not self._from_nothing:
                shutil.copyfile(self._path, self._copy)
            self._connection = sqlite3.connect(self._copy, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = OFF")
            self._connection.execute("PRAGMA synchronous = OFF")
            if self._from_nothing:
                self._connection.executescript(_SCHEMA)
        return self._connection


def _put(connection: sqlite3.Connection, mark: Mark, title: str, passages: list[Passage]) -> None:
    _remove(connection, mark.path)
    values = (mark.path, mark.digest, mark.stamp, mark.made_by, mark.problem, title)
    of_file = "INSERT INTO file (path, digest, stamp, made_by, problem, title) VALUES (?, ?, ?, ?, ?, ?)"
    file = connection.execute(of_file, values).lastrowid
    for passage in passages:
        row = (file, passage.locator, passage.headings, passage.text)
        of_passage = "INSERT INTO passage (file, locator, headings, text) VALUES (?, ?, ?, ?)"
        number = connection.execute(of_passage, row).lastrowid
        words = (number, _joined(terms(passage.headings)), _joined(terms(passage.text)))
        connection.execute("INSERT INTO words (rowid, headings, body) VALUES (?, ?, ?)", words)


def _touch(connection: sqlite3.Connection, mark: Mark) -> None:
    connection.execute("UPDATE file SET stamp = ? WHERE path = ?", (mark.stamp, mark.path))


def _remove(connection: sqlite3.Connection, path: str) -> None:
    """The full-text index keeps no text of its own: what is taken out of it must be said again."""
    of_file = "SELECT passage.id, headings, text FROM passage JOIN file ON file.id = file WHERE path = ?"
    for number, headings, text in connection.execute(of_file, (path,)).fetchall():
        words = (number, _joined(terms(headings)), _joined(terms(text)))
        connection.execute("INSERT INTO words (words, rowid, headings, body) VALUES ('delete', ?, ?, ?)", words)
    connection.execute("DELETE FROM passage WHERE file = (SELECT id FROM file WHERE path = ?)", (path,))
    connection.execute("DELETE FROM file WHERE path = ?", (path,))


def _joined(found: Iterable[str]) -> str:
    return " ".join(found)
