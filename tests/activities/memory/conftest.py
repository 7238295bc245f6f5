"""Both stores of memories, empty."""

import asyncio

import pytest

from interlock.contract.memory import Person
from interlock_activities.addresses import AddressRules, Origin
from interlock_activities.memory.sqlite_store import SqliteMemory
from tests.activities.postgres_server import PASSWORD, Line


class Desk:
    """A store; every use runs a loop of its own, with a store of its own."""

    def __init__(self, opening):
        self.opening = opening

    def __getattr__(self, name):
        def use(*given, **more):
            async def done():
                store = self.opening()
                try:
                    return await getattr(store, name)(*given, **more)
                finally:
                    await store.aclose()

            return asyncio.run(done())

        return use


@pytest.fixture
def line(database):
    """A way to the database that a test may cut; nothing is remembered there."""
    administrator, socket = database
    administrator.execute("DROP SCHEMA IF EXISTS interlock_memory CASCADE")
    line = Line(socket)
    line.start()
    yield line
    line.stop()
    administrator.execute("GRANT CREATE ON DATABASE shop TO shop")  # a test may have taken it away


@pytest.fixture
def served(line):
    """A store in PostgreSQL."""
    from interlock_activities.memory.postgres_store import PostgresMemory
    from interlock_activities.postgres_pool import Database
    from interlock_activities.sql_address import PostgresAddress

    address = PostgresAddress(Origin("postgresql", "127.0.0.1", line.port), "shop", "disable")
    return Desk(lambda: PostgresMemory(Database(address, "shop", PASSWORD), AddressRules(), ""))


@pytest.fixture
def embedded(tmp_path):
    """A store in a file."""
    return Desk(lambda: SqliteMemory(tmp_path / "kept" / "memory.db"))


@pytest.fixture(params=["embedded", "served"])
def store(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def ann():
    return Person("desk", "user.id", "ann")
