"""A change of a served index: one transaction, begun under a lock that all workers respect."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeAlias

from interlock_activities.postgres_pool import Connection
from interlock_activities.retrieval.analysis import terms
from interlock_activities.retrieval.chunks import Passage
from interlock_activities.retrieval.embedding import Embedder
from interlock_activities.retrieval.store import VERSION, Mark

Stamps: TypeAlias = dict[tuple[str, str], tuple[str, str]]
"""Digest and stamp by index and path, as this process knows them: another machine's files have other stamps."""

_LAST_POSITION = 16_383
_MOST_POSITIONS = 255
"""PostgreSQL keeps no more of a term, and none beyond the last position."""

_MARKS = "SELECT path, digest, made_by, problem FROM interlock_retrieval.document WHERE collection = %s"
_DOCUMENT = """
    INSERT INTO interlock_retrieval.document (collection, path, digest, made_by, problem, title)
    VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
"""
_PASSAGE = """
    INSERT INTO interlock_retrieval.passage (collection, document, locator, text, words, embedding)
    VALUES (%s, %s, %s, %s, %s::tsvector, %s::vector)
"""
_COLLECTION = """
    INSERT INTO interlock_retrieval.collection (name, version) VALUES (%s, %s)
    ON CONFLICT (name, version) DO UPDATE SET name = excluded.name RETURNING id
"""
_COUNTED = """
    UPDATE interlock_retrieval.collection
    SET passages = (SELECT count(*) FROM interlock_retrieval.passage WHERE collection = %(collection)s)
    WHERE id = %(collection)s
"""
_SPREAD = """
    INSERT INTO interlock_retrieval.term (collection, term, passages)
    SELECT %(collection)s, word, ndoc FROM ts_stat(
        format('SELECT words FROM interlock_retrieval.passage WHERE collection = %%s', %(collection)s::text)
    )
"""


class PostgresChange:
    """Documents with their passages, embedded as they come."""

    def __init__(self, connection: Connection, index: str, embedder: Embedder | None, stamps: Stamps) -> None:
        self.marks: dict[str, Mark] = {}
        self._connection = connection
        self._index = index
        self._embedder = embedder
        self._stamps = stamps
        self._collection = 0
        self._changed = False

    async def begin(self, *, anew: bool) -> None:
        """Waits for whoever changes the index now; `anew` empties it and removes its other versions."""
        await self._run("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"interlock {self._index}",))
        if anew:
            await self._run("DELETE FROM interlock_retrieval.collection WHERE name = %s", (self._index,))
        self._collection = (await self._run(_COLLECTION, (self._index, VERSION)))[0][0]
        self.marks = await marks_of(self._connection, self._index, self._collection, self._stamps)

    async def put(self, mark: Mark, title: str, passages: list[Passage]) -> None:
        """A file with its passages, in place of what the index had of it."""
        await self.remove(mark.path)
        stored = (mark.path, mark.digest, mark.made_by, mark.problem, title)
        document = (await self._run(_DOCUMENT, (self._collection, *stored)))[0][0]
        vectors = await self._vectors(passages)
        rows = [
            (self._collection, document, one.locator, one.text, as_words(one), vector)
            for one, vector in zip(passages, vectors, strict=True)
        ]
        if rows:
            async with self._connection.cursor() as cursor:
                await cursor.executemany(_PASSAGE.encode(), rows)
        self._stamps[self._index, mark.path] = mark.digest, mark.stamp

    async def touch(self, mark: Mark) -> None:
        """A file whose content has not changed: the database need not know."""
        self._stamps[self._index, mark.path] = mark.digest, mark.stamp

    async def remove(self, path: str) -> None:
        """A file that is no longer there."""
        self._changed = True
        statement = "DELETE FROM interlock_retrieval.document WHERE collection = %s AND path = %s"
        await self._run(statement, (self._collection, path))

    async def finish(self) -> None:
        """Counts passages and terms anew, which ranking goes by."""
        if not self._changed:
            return
        given = {"collection": self._collection}
        await self._run(_COUNTED, given)
        await self._run("DELETE FROM interlock_retrieval.term WHERE collection = %(collection)s", given)
        await self._run(_SPREAD, given)

    async def _vectors(self, passages: list[Passage]) -> list[str | None]:
        if self._embedder is None or not passages:
            return [None] * len(passages)
        texts = [f"{one.headings}\n{one.text}".strip() for one in passages]
        return [as_vector(vector) for vector in await self._embedder.embed(texts)]

    async def _run(self, statement: str, given: Any) -> list[tuple[Any, ...]]:
        cursor = await self._connection.execute(statement.encode(), given)
        return await cursor.fetchall() if cursor.description else []


async def marks_of(connection: Connection, index: str, collection: int, stamps: Stamps) -> dict[str, Mark]:
    """The files of a collection; the stamp is that under which this process last saw just this content."""
    rows = await (await connection.execute(_MARKS, (collection,))).fetchall()
    found = {}
    for path, digest, made_by, problem in rows:
        known, stamp = stamps.get((index, path), ("", ""))
        found[path] = Mark(path, digest, stamp if known == digest else "", made_by, problem)
    return found


def as_words(passage: Passage) -> str:
    """A tsvector of our own terms, with those of headings weighed as `A`; the analyser leaves no quotes in a term."""
    positions: dict[str, list[str]] = defaultdict(list)
    _add(positions, terms(passage.headings), "A")
    _add(positions, terms(passage.text), "D")
    return " ".join(f"'{term}':{','.join(places[:_MOST_POSITIONS])}" for term, places in positions.items())


def _add(positions: dict[str, list[str]], found: Iterable[str], weight: str) -> None:
    for place, term in enumerate(found, 1):
        positions[term].append(f"{min(place, _LAST_POSITION)}{weight}")


def as_vector(vector: list[float]) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(map(repr, vector))}]"
