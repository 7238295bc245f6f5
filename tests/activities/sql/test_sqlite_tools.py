"""SQL tools on real SQLite files: values whole, time bounded, and nothing changed by what may only read."""

import asyncio
import sqlite3
import time

import pytest
from temporalio.testing import ActivityEnvironment

from interlock.contract.calls import TOOL_ERROR, TOOL_MISCONFIGURED, TOOL_TIMEOUT
from interlock_activities import Activities, Settings
from tests.activities.sql.conftest import IDENTIFIERS

FOR_EVER = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
ATTACKS = (
    "'; DROP TABLE orders; --",
    "P1' OR '1'='1",
    ":id",
    "?1",
    "$1",
    "x\\' OR 1=1 --",
    "{{ secrets.DB }}",
    "P1\x00",
)


def test_rows_come_with_their_names_and_exact_values(shop, statement, call):
    answer = call(statement("SELECT * FROM orders WHERE id = :id", id="P1"), data=shop.folder)
    assert answer.status == 200
    row = {"id": "P1", "state": "OPEN", "amount": 2**63 - 1, "request": None}
    assert answer.payload == {"rows": [row], "count": 1}
    found = call(statement("SELECT id, amount FROM orders WHERE state = :state", state="已付款"), data=shop.folder)
    assert found.payload == {"rows": [{"id": "订单2", "amount": 1.5}], "count": 1}
    assert call(statement("SELECT 1 WHERE 1 = 2"), data=shop.folder).payload == {"rows": [], "count": 0}


def test_arguments_are_bound_whatever_is_in_them(shop, statement, call):
    for text in ATTACKS:
        request = statement("SELECT :id AS said, count(*) AS n FROM orders WHERE id = :id", id=text)
        assert call(request, data=shop.folder).payload["rows"] == [{"said": text, "n": 0}]
    assert len(shop("SELECT * FROM orders")) == 2


def test_identifiers_are_the_same_in_and_out(shop, statement, call):
    for text in IDENTIFIERS:
        write = statement("INSERT INTO orders (id) VALUES (:id) RETURNING id", writes=True, id=text)
        read = statement("SELECT id FROM orders WHERE id = :id", id=text)
        assert call(write, read, data=shop.folder).payload["rows"] == [{"id": text}]


def test_values_of_all_kinds_go_in_and_come_back(shop, statement, call):
    values = {"a": -(2**63), "b": 0.1, "c": True, "d": None, "e": "零\u200b宽", "f": [1, "二"], "g": {"k": 2**70}}
    text = "SELECT :a AS a, :b AS b, :c AS c, :d AS d, :e AS e, :f AS f, json_extract(:g, '$.k') AS g, :h AS h"
    row = call(statement(text, **values), data=shop.folder).payload["rows"][0]
    assert row["a"] == -(2**63)
    assert (row["b"], row["c"], row["d"], row["e"], row["f"]) == (0.1, 1, None, "零\u200b宽", '[1,"二"]')
    assert row["h"] is None, "an optional argument without a value is NULL"


def test_an_integer_that_sqlite_cannot_hold_is_refused(shop, statement, failing):
    kind, message, again, details = failing(statement("SELECT :n", n=2**63), data=shop.folder)
    assert (kind, again, details["sent"]) == (TOOL_MISCONFIGURED, False, False)
    assert "64 bits" in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("WITH n AS (SELECT 1) DELETE FROM orders", "may not"),
        ("WITH n AS (SELECT 1) INSERT INTO orders(id) SELECT * FROM n", "may not"),
        ("SELECT load_extension('x')", "not authorized"),
        ("WITH n AS (SELECT 1) UPDATE sqlite_master SET sql = 'x'", "sqlite_master may not be modified"),
        ("SELECT * FROM pragma_database_list", "may not"),
        ("SELECT * FROM no_table", "no such table: no_table"),
        ("SELECT no_column FROM orders", "no such column: no_column"),
        ("SELECT FROM WHERE", "syntax error"),
        ("SELECT @id, 1", "do not fit"),
        ("SELECT id, id FROM orders", "2 columns are named 'id'"),
        ("DELETE FROM orders", "begins with DELETE"),
        ("ATTACH 'x.db' AS x", "begins with ATTACH"),
        ("SELECT 1; DELETE FROM orders", "a second statement"),
    ],
)
def test_what_a_reading_tool_may_not_is_a_mistake_and_changes_nothing(shop, statement, failing, text, says):
    for read_only in (True, False):
        kind, message, again, details = failing(statement(text, read_only=read_only), data=shop.folder)
        assert (kind, again, details["sent"]) == (TOOL_MISCONFIGURED, False, False)
        assert says in message
    assert len(shop("SELECT * FROM orders")) == 2


def test_a_writing_tool_changes_nothing_on_a_server_that_is_only_read(shop, statement, failing):
    request = statement("UPDATE orders SET state = 'GONE'", writes=True, read_only=True)
    assert failing(request, data=shop.folder)[0] == TOOL_MISCONFIGURED
    assert shop("SELECT count(*) FROM orders WHERE state = 'GONE'") == [(0,)]


@pytest.mark.parametrize("text", ["WITH n AS (SELECT 1) SELECT * FROM n", "VALUES (1)", "select 1"])
def test_what_begins_like_a_query_is_one(shop, statement, call, text):
    assert call(statement(text), data=shop.folder).payload["count"] == 1


def test_a_statement_that_never_ends_is_ended_in_time(shop, statement, failing):
    begun = time.monotonic()
    kind, _, again, details = failing(statement(FOR_EVER, timeout_ms=300), data=shop.folder)
    assert time.monotonic() - begun < 2
    assert (kind, again) == (TOOL_TIMEOUT, True)
    assert details["sent"] is False, "it was interrupted, and what it did is rolled back"


def test_a_write_that_is_ended_in_time_changed_nothing(shop, statement, failing):
    text = FOR_EVER.replace("SELECT count(*) FROM n", "UPDATE orders SET amount = (SELECT count(*) FROM n)")
    kind, _, _, details = failing(statement(text, writes=True, timeout_ms=300), data=shop.folder)
    assert (kind, details["sent"]) == (TOOL_TIMEOUT, False)
    assert shop("SELECT amount FROM orders WHERE id = 'P1'") == [(2**63 - 1,)]


def test_too_many_rows_are_a_failure_and_never_cut(shop, statement, call, failing):
    text = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < :most) SELECT x FROM n"
    assert call(statement(text, most=1_000), data=shop.folder).payload["count"] == 1_000
    for most in (1_001, 10_000):
        kind, message, again, _ = failing(statement(text, most=most), data=shop.folder)
        assert (kind, again) == (TOOL_ERROR, False)
        assert "more than 1,000 rows" in message


def test_rows_that_are_too_large_are_a_failure_and_never_cut(shop, statement, failing):
    text = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100) SELECT x, :pad AS pad FROM n"
    kind, message, again, _ = failing(statement(text, pad="字" * 1_000), data=shop.folder)
    assert (kind, again) == (TOOL_ERROR, False)
    assert "262,144 bytes" in message
    assert failing(statement("SELECT replace(hex(zeroblob(8000000)), '0', 'xx')"), data=shop.folder)[0] == TOOL_ERROR


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT x'00ff' AS b", "column 'b' holds bytes"),
        ("SELECT 9e999 AS big", "big"),
        ("SELECT CAST(x'ff' AS TEXT)", "not UTF-8"),
    ],
)
def test_what_has_no_json_form_is_a_failure(shop, statement, failing, text, says):
    kind, message, again, _ = failing(statement(text), data=shop.folder)
    assert (kind, again) == (TOOL_ERROR, False)
    assert says in message


def test_a_write_is_one_transaction_and_tells_how_many_rows_it_changed(shop, statement, call):
    request = statement("UPDATE orders SET state = :state", writes=True, state="PAID")
    assert call(request, data=shop.folder).payload == {"rows": [], "count": 2}
    request = statement("DELETE FROM orders WHERE id = :id RETURNING id, state", writes=True, id="P1")
    assert call(request, data=shop.folder).payload == {"rows": [{"id": "P1", "state": "PAID"}], "count": 1}
    assert shop("SELECT id FROM orders") == [("订单2",)]


def test_a_repeated_write_with_its_key_changes_nothing(shop, statement, call):
    text = "INSERT INTO orders (id, request) VALUES (:id, :key) ON CONFLICT (request) DO NOTHING"
    request = statement(text, writes=True, id="P7", key="run-1/pay")
    assert [call(request, data=shop.folder).payload["count"] for _ in range(3)] == [1, 0, 0]


def test_a_refused_write_is_no_lost_one_and_its_message_holds_no_value(shop, statement, failing):
    request = statement("INSERT INTO orders (id) VALUES (:id)", writes=True, id="P1")
    kind, message, again, details = failing(request, data=shop.folder)
    assert (kind, again, details["sent"]) == (TOOL_ERROR, False, False)
    assert "SQLITE_CONSTRAINT_PRIMARYKEY" in message
    assert "P1" not in message


def test_too_many_returned_rows_take_the_write_back(shop, statement, failing):
    text = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000) "
        "INSERT INTO orders (id) SELECT x FROM n RETURNING id"
    )
    assert failing(statement(text, writes=True), data=shop.folder)[3]["sent"] is False
    assert len(shop("SELECT * FROM orders")) == 2


@pytest.mark.parametrize("text", ["CREATE TABLE x (a)", "DROP TABLE orders", "PRAGMA user_version = 3", "VACUUM"])
def test_no_tool_alters_tables_or_settings(shop, statement, failing, text):
    assert failing(statement(text, writes=True), data=shop.folder)[0] == TOOL_MISCONFIGURED


def test_a_locked_database_is_waited_for_and_then_said_to_be(shop, statement, failing):
    other = sqlite3.connect(shop.folder / "shop.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    begun = time.monotonic()
    request = statement("UPDATE orders SET state = 'X'", writes=True, timeout_ms=300)
    kind, _, again, details = failing(request, data=shop.folder)
    other.close()
    assert kind in (TOOL_TIMEOUT, TOOL_ERROR)
    assert (again, details["sent"]) == (True, False)
    assert 0.2 < time.monotonic() - begun < 2


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:////etc/passwd",
        "sqlite:///../shop.db",
        "sqlite:///a/../../shop.db",
        "sqlite:///link.db",
        "sqlite:///shop.db?mode=rwc",
        "sqlite:///missing.db",
        "sqlite:///.",
        "sqlite:///folder",
        "sqlite://shop.db",
        "file:shop.db",
        "{{ env.MISSING }}",
    ],
)
def test_only_files_of_the_data_folder_are_opened(shop, statement, failing, address, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "shop.db"
    sqlite3.connect(outside).close()
    (shop.folder / "link.db").symlink_to(outside)
    (shop.folder / "folder").mkdir()
    kind, _, again, details = failing(statement("SELECT 1", server=address), data=shop.folder)
    assert (kind, again, details["sent"]) == (TOOL_MISCONFIGURED, False, False)
    assert not (shop.folder / "missing.db").exists()


def test_the_address_may_come_from_the_environment(shop, statement, call):
    request = statement("SELECT 1 AS one", server="{{ env.SHOP_DB }}")
    assert call(request, data=shop.folder, env={"SHOP_DB": "sqlite:///shop.db"}).payload["count"] == 1


def test_full_text_tables_can_be_read_and_their_messages_hold_no_argument(shop, statement, call, failing):
    shop("CREATE VIRTUAL TABLE notes USING fts5(body, tokenize = trigram)")
    shop("INSERT INTO notes VALUES ('客户要求退款处理')")
    text = "SELECT body FROM notes WHERE notes MATCH :words"
    assert call(statement(text, words="要求退款"), data=shop.folder).payload["count"] == 1
    kind, message, _, _ = failing(statement(text, words="geheim:x"), data=shop.folder)
    assert kind == TOOL_ERROR
    assert "geheim" not in message


def test_many_calls_at_once_each_get_their_own_rows(shop, statement):
    async def work():
        served = Activities(Settings(env={}, secrets={}, data=shop.folder))
        requests = [statement("SELECT :n AS n", n=number) for number in range(100)]
        calls = [ActivityEnvironment().run(served.callables[0], request) for request in requests]
        answers = await asyncio.gather(*calls)
        await served.aclose()
        return [answer.payload["rows"][0]["n"] for answer in answers]

    assert asyncio.run(work()) == list(range(100))


def test_writes_at_once_are_all_made(shop, statement):
    async def work():
        served = Activities(Settings(env={}, secrets={}, data=shop.folder))
        requests = [statement("INSERT INTO orders (id) VALUES (:n)", writes=True, n=str(n)) for n in range(40)]
        await asyncio.gather(*(ActivityEnvironment().run(served.callables[0], request) for request in requests))
        await served.aclose()

    asyncio.run(work())
    assert len(shop("SELECT * FROM orders")) == 42
