"""Real databases: SQLite files, and a PostgreSQL behind a wire that can be cut."""

import sqlite3

import pytest

from interlock.contract.calls import ToolRequest
from interlock.contract.limits import INLINE_LIMIT
from tests.activities.postgres_server import PASSWORD, Line

IDENTIFIERS = (
    "555E898665",
    "007",
    "1e5",
    "９００７",
    "订单２",
    "18446744073709551616",
    str(2**128 - 1),
    "a0eebc99-9C0B",
    " 7 ",
)


@pytest.fixture
def statement():
    """A tool request with a statement; arguments by name."""

    def build(text, server="sqlite:///shop.db", *, writes=False, read_only=None, auth=None, **arguments):
        more = {key: arguments.pop(key) for key in ("timeout_ms", "max_bytes") if key in arguments}
        return ToolRequest(
            **{
                "tool": "look_up",
                "call_id": "c1",
                "run_id": "r1",
                "step": "s1",
                "transport": "sql",
                "timeout_ms": 5_000,
                "max_bytes": INLINE_LIMIT,
                "server": {
                    "at": "x:1:1",
                    "http": "",
                    "sql": server,
                    "read_only": not writes if read_only is None else read_only,
                    "auth": auth,
                },
                "sql": text,
                "writes": writes,
                "arguments": [
                    {"name": name, "value": value, "place": "argument", "send_as": name}
                    for name, value in arguments.items()
                ],
                **more,
            }
        )

    return build


@pytest.fixture
def shop(tmp_path):
    """A data folder with `shop.db`; gives a function that runs SQL on it, outside of the activities."""
    path = tmp_path / "shop.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE orders (id TEXT PRIMARY KEY, state TEXT, amount, request TEXT UNIQUE);
        INSERT INTO orders VALUES ('P1', 'OPEN', 9223372036854775807, NULL), ('订单2', '已付款', 1.5, NULL);
        """
    )
    connection.close()

    def run(text, *values):
        own = sqlite3.connect(path)
        with own:
            found = own.execute(text, values).fetchall()
        own.close()
        return found

    run.folder = tmp_path
    return run


@pytest.fixture
def postgres(database, statement):
    """The same, emptied, with a line of its own: builds requests, runs SQL, and holds what a call needs."""
    connection, socket = database
    connection.execute("TRUNCATE orders")
    connection.execute("INSERT INTO orders VALUES ('P1', 'OPEN', 9223372036854775807), ('订单2', '已付款', 1.50)")
    line = Line(socket)
    line.start()

    class Postgres:
        wire = line
        settings = {"secrets": {"DB": f"shop:{PASSWORD}"}}
        address = f"postgresql://127.0.0.1:{line.port}/shop?sslmode=disable"

        def run(self, text, *values):
            cursor = connection.execute(text, values)
            return cursor.fetchall() if cursor.description else []

        def asked(self, text, **more):
            more.setdefault("auth", {"kind": "basic", "header": "", "value": "{{ secrets.DB }}"})
            more.setdefault("server", self.address)
            return statement(text, **more)

    yield Postgres()
    line.stop()
