"""The embedded store: one SQLite file an index, never changed once it is there; a change makes a new one in its place.

So a reader sees a whole index, the old one or the new one, whoever writes meanwhile, and needs no right to write.
"""

import asyncio
import contextlib
import hashlib
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

from interlock_activities.retrieval.analysis import asked
from interlock_activities.retrieval.ranking import needed
from interlock_activities.retrieval.sqlite_change import SqliteChange
from interlock_activities.retrieval.sqlite_failures import told
from interlock_activities.retrieval.sqlite_lock import locked
from interlock_activities.retrieval.store import VERSION, Found, Mark, NoIndexError

_HEADINGS: Final = 2.0
"""What a term in a heading counts, beside one in the text."""

_SEARCH = """
    SELECT passage.text, file.title, file.path, passage.locator, best.score
    FROM (
        SELECT rowid AS id, -bm25(words, ?, 1.0) AS score FROM words WHERE words MATCH ? ORDER BY score DESC, id LIMIT ?
    ) AS best
    JOIN passage ON passage.id = best.id JOIN file ON file.id = passage.file
    ORDER BY best.score DESC, best.id
"""


class SqliteStore:
    """The indexes of one folder, each in a file named after it, a hash of its name, and the version."""

    makes = f"sqlite {VERSION}"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def marks(self, index: str) -> dict[str, Mark] | None:
        """The files in an index by path; none if there is no such index of this version."""
        return await asyncio.to_thread(_marks, self.path(index))

    @contextlib.asynccontextmanager
    async def changing(self, index: str, *, anew: bool = False) -> AsyncIterator[SqliteChange]:
        """Begins a change; other processes wait for it. What it has done is seen when the block ends."""
        path = self.path(index)
        with told("written"):
            self._folder.mkdir(parents=True, exist_ok=True)
        async with locked(path.with_suffix(".lock")):
            change = SqliteChange(path, None if anew else await asyncio.to_thread(_marks, path))
            try:
                yield change
                await asyncio.to_thread(change.publish)
            finally:
                await asyncio.to_thread(change.discard)
            if anew:
                await asyncio.to_thread(self._remove_other_versions, path)

    async def search(self, index: str, question: str, top: int) -> list[Found]:
        """The best passages first; none where nothing fits. Raises NoIndexError and DamagedIndexError."""
        terms = asked(question)
        return await asyncio.to_thread(_search, self.path(index), terms, top)

    async def aclose(self) -> None:
        """Nothing is kept open between two searches."""

    def path(self, index: str) -> Path:
        """The file of an index."""
        readable = re.sub(r"[^a-z0-9]+", "-", index.lower()).strip("-")[:60]
        return self._folder / f"{readable}-{hashlib.sha256(index.encode()).hexdigest()[:12]}.v{VERSION}.sqlite"

    def _remove_other_versions(self, path: Path) -> None:
        stem = path.name.rpartition(".v")[0]
        with told("written"):
            for other in self._folder.glob(f"{stem}.v*.sqlite"):
                if other != path:
                    other.unlink(missing_ok=True)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that takes the file for what it is: something that never changes. Raises StoreErrors."""
    if not path.exists():
        raise NoIndexError("there is no index yet")
    with told("read"):
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        with contextlib.closing(connection):
            if connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
                raise NoIndexError("the index is of another version")
            yield connection


def _marks(path: Path) -> dict[str, Mark] | None:
    try:
        with _opened(path) as connection:
            rows = connection.execute("SELECT path, digest, stamp, made_by, problem FROM file").fetchall()
    except NoIndexError:
        return None
    return {row[0]: Mark(*row) for row in rows}


def _search(path: Path, terms: list[str], top: int) -> list[Found]:
    with _opened(path) as connection:
        if not terms:
            return []
        rows = connection.execute(_SEARCH, (_HEADINGS, _expression(connection, terms), top)).fetchall()
    return [Found(text, title, document, locator, round(score, 6)) for text, title, document, locator, score in rows]


def _expression(connection: sqlite3.Connection, terms: list[str]) -> str:
    """The question to FTS5: one of the terms that are needed, and any of all."""
    counted = f"SELECT term, doc FROM vocabulary WHERE term IN ({', '.join('?' * len(terms))})"  # noqa: S608 - no values
    spread = dict(connection.execute(counted, terms).fetchall())
    rare = needed(spread)
    if len(rare) == len(spread):
        return _any_of(rare or terms)
    return f"({_any_of(rare)}) AND ({_any_of(list(spread))})"


def _any_of(terms: list[str]) -> str:
    """Quoted, a term is text to FTS5, whatever it holds; the analyser leaves no quotes in one."""
    return " OR ".join(f'"{term}"' for term in terms)
