"""Any text or number is bound as it is and comes back as it was, whatever it looks like."""

import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.contract import sql
from interlock_activities.sqlite_database import Job

VALUES = st.one_of(st.text(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "shop.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE kept (n)")
    connection.execute("INSERT INTO kept VALUES (1)")
    connection.commit()
    connection.close()
    return path


def sent(file, text, values):
    statement = sql.read(text)
    bound = [values[name] for name in statement.arguments]
    return Job(file, statement.numbered("?"), bound, writes=False, timeout_ms=5_000, max_bytes=100_000).run()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES, st.text())
def test_what_goes_in_comes_back(file, value, other):
    text = "SELECT :a AS a, :b AS b, ':a' AS c, count(*) AS n /* :b */ FROM kept WHERE :a IS :a"
    row = sent(file, text, {"a": value, "b": other})["rows"][0]
    assert row == {"a": value, "b": other, "c": ":a", "n": 1}
    assert type(row["a"]) is type(value)
