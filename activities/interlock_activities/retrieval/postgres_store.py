"""The served store: PostgreSQL with pgvector, one database for all workers and all indexes.

Passages are ranked by the terms of our analyser, each counting by how few passages hold it, and, where there is an
embedder, by the distance of their vectors; the two rankings become one.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from math import log
from typing import Any, Final

import psycopg
import structlog

from interlock_activities.addresses import AddressRules
from interlock_activities.failures import Failure
from interlock_activities.postgres_failures import failure_of
from interlock_activities.postgres_pool import Connection, Database, Pool
from interlock_activities.retrieval.analysis import asked
from interlock_activities.retrieval.embedding import Embedder, EmbeddingError
from interlock_activities.retrieval.migrating import migrate
from interlock_activities.retrieval.postgres_change import PostgresChange, Stamps, as_vector, marks_of
from interlock_activities.retrieval.ranking import CANDIDATES, fused, needed
from interlock_activities.retrieval.store import VERSION, Found, Mark, NoIndexError, StoreError

QUESTION_SECONDS: Final = 5
"""How long the vector of a question is waited for, before words alone decide."""

_SEARCH_MS: Final = 10_000
_CHANGE_MS: Final = 600_000
"""The longest statement of a change; a change is many."""

_FORBIDDEN: Final = (
    "the database's user may not make the tables it needs: let an administrator run CREATE EXTENSION vector, "
    "and grant CREATE on the database"
)

_BY_TERMS = """
    SELECT passage.id
    FROM interlock_retrieval.passage AS passage
    JOIN unnest(%(terms)s::text[], %(weights)s::float8[]) AS asked (term, weight)
        ON passage.words @@ asked.term::tsquery
    WHERE passage.collection = %(collection)s AND passage.words @@ %(needed)s::tsquery
    GROUP BY passage.id
    ORDER BY sum(asked.weight * ts_rank('{0.5, 0.5, 0.5, 1}'::real[], passage.words, asked.term::tsquery, 1)) DESC, id
    LIMIT %(most)s
"""
_SPREAD = "SELECT term, passages FROM interlock_retrieval.term WHERE collection = %s AND term = ANY (%s)"
_BY_VECTOR = """
    SELECT id FROM interlock_retrieval.passage WHERE collection = %(collection)s AND embedding IS NOT NULL
    ORDER BY CASE WHEN vector_dims(embedding) = %(length)s THEN embedding <=> %(vector)s::vector END, id
    LIMIT %(most)s
"""
_WHOLE = """
    SELECT passage.id, passage.text, document.title, document.path, passage.locator
    FROM interlock_retrieval.passage AS passage
    JOIN interlock_retrieval.document AS document ON document.id = passage.document
    WHERE passage.id = ANY (%(ids)s)
"""
_COLLECTION = "SELECT id, passages FROM interlock_retrieval.collection WHERE name = %s AND version = %s"

_log = structlog.get_logger("interlock.retrieval")


class PostgresStore:
    """All indexes of a database, in its schema `interlock_retrieval`."""

    def __init__(self, database: Database, rules: AddressRules, ca_file: str, embedder: Embedder | None) -> None:
        self._pool = Pool(database, rules, ca_file)
        self._embedder = embedder
        self._stamps: Stamps = {}
        self._is_migrated = False
        self.makes = f"postgresql {VERSION}" + (f", {embedder.name}" if embedder else "")

    async def marks(self, index: str) -> dict[str, Mark] | None:
        """The files in an index by path; none if there is no such index of this version."""
        async with self._transaction("READ ONLY", _SEARCH_MS) as connection:
            found = await _collection(connection, index)
            return None if found is None else await marks_of(connection, index, found[0], self._stamps)

    @contextlib.asynccontextmanager
    async def changing(self, index: str, *, anew: bool = False) -> AsyncIterator[PostgresChange]:
        """Begins a change, in one transaction; other processes wait for it."""
        async with self._transaction("READ WRITE", _CHANGE_MS) as connection:
            change = PostgresChange(connection, index, self._embedder, self._stamps)
            await change.begin(anew=anew)
            yield change
            await change.finish()
            await connection.execute("COMMIT")

    async def search(self, index: str, question: str, top: int) -> list[Found]:
        """The best passages first; none where nothing fits. Raises NoIndexError."""
        terms = asked(question)
        vector = await self._vector(question) if terms else []
        async with self._transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY", _SEARCH_MS) as connection:
            collection = await _collection(connection, index)
            if collection is None:
                raise NoIndexError("there is no index yet")
            rankings = [await _by_terms(connection, collection, terms, most=max(top, CANDIDATES))]
            if vector:
                given = {"collection": collection[0], "length": len(vector), "vector": as_vector(vector)}
                rankings.append(await _ids(connection, _BY_VECTOR, {**given, "most": max(top, CANDIDATES)}))
            return await _whole(connection, fused(rankings)[:top])

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._pool.aclose()

    async def _vector(self, question: str) -> list[float]:
        """The question's vector; where none can be had, words alone must do."""
        if self._embedder is None:
            return []
        try:
            async with asyncio.timeout(QUESTION_SECONDS):
                (vector,) = await self._embedder.embed([question])
        except (EmbeddingError, TimeoutError) as problem:
            _log.warning("question_not_embedded", reason=str(problem) or f"nothing within {QUESTION_SECONDS} s")
            return []
        return vector

    @contextlib.asynccontextmanager
    async def _transaction(self, mode: str, statement_ms: int) -> AsyncIterator[Connection]:
        """Taken back where the block does not commit it. Raises StoreError for whatever the database says."""
        opening = f"BEGIN {mode}; SET LOCAL statement_timeout = {statement_ms}; SET LOCAL jit = off"
        try:
            await self._migrated()
            async with self._pool.slots:
                connection = await self._pool.take(lambda: opening)
                try:
                    yield connection
                finally:
                    await self._pool.give_back(connection)
        except EmbeddingError as problem:
            raise StoreError(str(problem)) from None
        except Failure as failure:
            raise StoreError(f"the index cannot be reached: {failure}", retryable=failure.retryable) from None
        except psycopg.Error as problem:
            told = failure_of(problem, statement_ms, committing=False)
            raise StoreError(f"the index cannot be used: {told}", retryable=told.retryable) from None

    async def _migrated(self) -> None:
        if self._is_migrated:
            return
        async with self._pool.slots:
            connection = await self._pool.take(lambda: "BEGIN")
            try:
                await migrate(connection)
                await connection.execute("COMMIT")
            except psycopg.errors.InsufficientPrivilege:
                raise StoreError(_FORBIDDEN, retryable=False) from None
            except psycopg.errors.FeatureNotSupported:
                raise StoreError("the database has no pgvector: install it there", retryable=False) from None
            finally:
                await self._pool.give_back(connection)
        self._is_migrated = True


async def _collection(connection: Connection, index: str) -> tuple[int, int] | None:
    row = await (await connection.execute(_COLLECTION, (index, VERSION))).fetchone()
    return None if row is None else (row[0], row[1])


async def _by_terms(connection: Connection, collection: tuple[int, int], terms: list[str], most: int) -> list[int]:
    """The best by words: each term weighs by how few passages hold it, as in BM25."""
    number, passages = collection
    rows = await (await connection.execute(_SPREAD, (number, terms))).fetchall()
    spread: dict[str, int] = dict(rows)
    if not spread:
        return []
    given = {
        "collection": number,
        "terms": [_quoted(term) for term in spread],
        "weights": [log(1 + (passages - held + 0.5) / (held + 0.5)) for held in spread.values()],
        "needed": " | ".join(map(_quoted, needed(spread))),
        "most": most,
    }
    return await _ids(connection, _BY_TERMS, given)


def _quoted(term: str) -> str:
    """A term as a tsquery: text, whatever it holds; the analyser leaves no quotes in one."""
    return f"'{term}'"


async def _ids(connection: Connection, statement: str, given: dict[str, Any]) -> list[int]:
    cursor = await connection.execute(statement.encode(), given)
    return [row[0] for row in await cursor.fetchall()]


async def _whole(connection: Connection, ranked: list[tuple[int, float]]) -> list[Found]:
    cursor = await connection.execute(_WHOLE, {"ids": [number for number, _ in ranked]})
    rows = {row[0]: row[1:] for row in await cursor.fetchall()}
    return [
        Found(text, title, document, locator, round(score, 6))
        for number, score in ranked
        for text, title, document, locator in [rows[number]]
    ]
