"""The tables of the served store: plain SQL in numbered files, each applied once, in order, by one process."""

from importlib.resources import files
from typing import Any

from interlock_activities.postgres_pool import Connection

_LOCK = 0x696E7465726C6F63
"""Any number that others are unlikely to lock."""

_BEGINNING = """
    CREATE SCHEMA IF NOT EXISTS interlock_retrieval;
    CREATE TABLE IF NOT EXISTS interlock_retrieval.migration (
        number integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now()
    )
"""


def migrations() -> list[tuple[int, str]]:
    """Number and text of each, in order."""
    folder = files(__package__) / "migrations"
    found = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return sorted((int(file.name.partition("_")[0]), file.read_text(encoding="utf-8")) for file in found)


async def migrate(connection: Connection) -> None:
    """Applies what has not been applied yet, in the transaction that the connection is in. Raises psycopg.Error."""
    there = await _one(connection, "SELECT to_regclass('interlock_retrieval.migration') IS NOT NULL")
    if there and await _newest(connection) >= migrations()[-1][0]:
        return
    await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    if not there:
        await connection.execute(_BEGINNING)
    newest = await _newest(connection)
    for number, text in migrations():
        if number > newest:
            await connection.execute(text.encode())
            await connection.execute("INSERT INTO interlock_retrieval.migration (number) VALUES (%s)", (number,))


async def _newest(connection: Connection) -> int:
    return int(await _one(connection, "SELECT coalesce(max(number), 0) FROM interlock_retrieval.migration"))


async def _one(connection: Connection, statement: str) -> Any:
    row = await (await connection.execute(statement.encode())).fetchone()
    assert row is not None
    return row[0]
