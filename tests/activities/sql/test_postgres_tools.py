"""SQL tools on a real PostgreSQL: values whole, time bounded, writes whole or not at all, and what is lost is said to be."""

import asyncio
import socket
import time

import pytest
from temporalio.testing import ActivityEnvironment

from interlock.contract.calls import TOOL_ERROR, TOOL_MISCONFIGURED, TOOL_TIMEOUT
from interlock_activities import Activities, Settings
from tests.activities.sql.conftest import IDENTIFIERS

NUMERIC_40 = "1234567890123456789012345678901234567890"
ATTACKS = (
    "'; DROP TABLE orders; --",
    "P1' OR '1'='1",
    ":id",
    "$1",
    "%s",
    "%(id)s",
    "x\\' OR 1=1 --",
    "{{ secrets.DB }}",
)


def test_rows_come_with_their_names_and_exact_values(postgres, call):
    answer = call(postgres.asked("SELECT * FROM orders WHERE id = :id", id="订单2"), **postgres.settings)
    row = {"id": "订单2", "state": "已付款", "amount": "1.50", "request": None}
    assert answer.payload == {"rows": [row], "count": 1}
    assert call(postgres.asked("SELECT 1 WHERE false"), **postgres.settings).payload == {"rows": [], "count": 0}


def test_arguments_are_bound_whatever_is_in_them(postgres, call):
    for text in ATTACKS:
        request = postgres.asked("SELECT :id::text AS said, count(*) AS n FROM orders WHERE id = :id", id=text)
        assert call(request, **postgres.settings).payload["rows"] == [{"said": text, "n": 0}]
    assert len(postgres.run("SELECT * FROM orders")) == 2


@pytest.mark.parametrize(
    ("expression", "comes"),
    [
        ("9223372036854775807::bigint", 2**63 - 1),
        (f"{NUMERIC_40}::numeric(40)", NUMERIC_40),
        ("10.00::numeric(10, 2)", "10.00"),
        ("'NaN'::numeric", "NaN"),
        ("0.1::float8", 0.1),
        ("true", True),
        ("NULL::text", None),
        ("'2026-11-30'::date", "2026-11-30"),
        ("'infinity'::date", "infinity"),
        ("'2026-11-30 21:18:15.25'::timestamp", "2026-11-30T21:18:15.25"),
        ("'2026-11-30 21:18:15+08'::timestamptz", "2026-11-30T13:18:15+00:00"),
        ("'21:18'::time", "21:18:00"),
        ("'1 day 2 hours'::interval", "P1DT2H"),
        ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        (f'\'{{"n": {2**70}, "列": [1, null]}}\'::jsonb', {"n": 2**70, "列": [1, None]}),
        ("ARRAY[1, 2, NULL]", [1, 2, None]),
        ("ARRAY['a', '二']", ["a", "二"]),
        ("ARRAY[[1.50::numeric]]", [["1.50"]]),
        ("ARRAY['2026-11-30'::date]", ["2026-11-30"]),
        ("'[1,5)'::int4range", "[1,5)"),
        ("'192.168.0.1'::inet", "192.168.0.1"),
        ("'全角'::text", "全角"),
    ],
)
def test_each_type_comes_without_loss(postgres, call, expression, comes):
    value = call(postgres.asked(f"SELECT {expression} AS v"), **postgres.settings).payload["rows"][0]["v"]
    assert value == comes
    assert type(value) is type(comes)


def test_identifiers_are_the_same_in_and_out(postgres, call):
    for text in IDENTIFIERS:
        write = postgres.asked("INSERT INTO orders (id) VALUES (:id) RETURNING id", writes=True, id=text)
        read = postgres.asked("SELECT id FROM orders WHERE id = :id", id=text)
        assert call(write, read, **postgres.settings).payload["rows"] == [{"id": text}]


def test_values_of_all_kinds_go_in(postgres, call):
    text = (
        "SELECT :a::bigint = 9223372036854775807 AS a, :b::numeric AS b, :c AS c, :d::date AS d, "
        "'P1' = ANY(:e) AS e, :f->>'k' AS f, :g::text IS NULL AS g, :h::numeric AS h"
    )
    values = {
        "a": 2**63 - 1,
        "b": NUMERIC_40,
        "c": True,
        "d": "2026-11-30",
        "e": ["P0", "P1"],
        "f": {"k": "值"},
        "h": 2**80,
    }
    row = call(postgres.asked(text, **values), **postgres.settings).payload["rows"][0]
    assert row == {
        "a": True,
        "b": NUMERIC_40,
        "c": True,
        "d": "2026-11-30",
        "e": True,
        "f": "值",
        "g": True,
        "h": str(2**80),
    }


@pytest.mark.parametrize("value", ["a\0b", [[1]], [{"a": 1}]])
def test_an_argument_that_cannot_be_sent_is_said_to_be(postgres, failing, value):
    kind, _, again, details = failing(postgres.asked("SELECT :v", v=value), **postgres.settings)
    assert (kind, again, details["sent"]) == (TOOL_MISCONFIGURED, False, False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone", "may only read"),
        ("SELECT * INTO copied FROM orders", "may only read"),
        ("SELECT * FROM orders FOR UPDATE", "may only read"),
        ("SELECT set_config('transaction_read_only', 'off', false), count(*) FROM orders", "refuses"),
        ("SELECT nextval('s')", "s"),
        ("SELECT * FROM no_table", 'relation "no_table" does not exist'),
        ("SELECT id FROM orders WHERE id = 5", "operator does not exist"),
        ("SELECT id, id FROM orders", "2 columns are named 'id'"),
        ("DELETE FROM orders", "begins with DELETE"),
    ],
)
def test_what_a_reading_tool_may_not_changes_nothing(postgres, failing, text, says):
    for read_only in (True, False):
        kind, message, again, details = failing(postgres.asked(text, read_only=read_only), **postgres.settings)
        assert kind in (TOOL_MISCONFIGURED, TOOL_ERROR)
        assert (again, details["sent"]) == (False, False)
        assert says in message
    assert len(postgres.run("SELECT * FROM orders")) == 2


def test_what_a_call_sets_does_not_outlive_it(postgres, call):
    settle = postgres.asked("SELECT set_config('search_path', 'nowhere', false) AS v")
    look = postgres.asked("SELECT current_setting('search_path') AS v, current_setting('transaction_read_only') AS r")
    assert call(settle, look, **postgres.settings).payload["rows"] == [{"v": '"$user", public', "r": "on"}]
    assert postgres.wire.opened == 1


@pytest.mark.parametrize(
    "text", ["SELECT pg_sleep(30)", "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT max(x) FROM n"]
)
def test_a_statement_that_never_ends_is_ended_in_time(postgres, failing, text):
    begun = time.monotonic()
    kind, _, again, details = failing(postgres.asked(text, timeout_ms=400), **postgres.settings)
    assert time.monotonic() - begun < 2
    assert (kind, again, details["sent"]) == (TOOL_TIMEOUT, True, False)
    running = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'interlock' AND state = 'active'"
    assert postgres.run(running) == [(0,)], "the server has ended it too"


def test_too_many_rows_are_a_failure_never_cut_and_never_all_fetched(postgres, call, failing):
    text = "SELECT generate_series(1, :most::int) AS x"
    assert call(postgres.asked(text, most=1_000), **postgres.settings).payload["count"] == 1_000
    for most in (1_001, 10_000, 2_000_000_000):
        kind, message, again, _ = failing(postgres.asked(text, most=most), **postgres.settings)
        assert (kind, again) == (TOOL_ERROR, False)
        assert "more than 1,000 rows" in message


def test_rows_that_are_too_large_are_a_failure(postgres, failing):
    text = "SELECT x, repeat('字', 1000) AS pad FROM generate_series(1, 100) AS x"
    kind, message, again, _ = failing(postgres.asked(text), **postgres.settings)
    assert (kind, again) == (TOOL_ERROR, False)
    assert "262,144 bytes" in message


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("'\\x00ff'::bytea", "column 'v' holds bytes"),
        ("'inf'::float8", "v: inf is not JSON"),
        ("ARRAY['\\x00'::bytea]", "v"),
        ('\'{"a": 1, "a": 2}\'::json', "stands twice"),
        ("ROW(1, 2)", "column 'v' has no JSON form"),
    ],
)
def test_what_has_no_json_form_is_a_failure(postgres, failing, expression, says):
    kind, message, again, details = failing(postgres.asked(f"SELECT {expression} AS v"), **postgres.settings)
    assert (kind, again, details["sent"]) == (TOOL_ERROR, False, False)
    assert says in message


def test_a_write_is_one_transaction_and_tells_how_many_rows_it_changed(postgres, call):
    request = postgres.asked("UPDATE orders SET state = :state", writes=True, state="PAID")
    assert call(request, **postgres.settings).payload == {"rows": [], "count": 2}
    request = postgres.asked("DELETE FROM orders WHERE id = :id RETURNING id, state", writes=True, id="P1")
    assert call(request, **postgres.settings).payload == {"rows": [{"id": "P1", "state": "PAID"}], "count": 1}
    assert postgres.run("SELECT id FROM orders") == [("订单2",)]


def test_a_repeated_write_with_its_key_changes_nothing(postgres, call):
    text = "INSERT INTO orders (id, request) VALUES (:id, :key) ON CONFLICT (request) DO NOTHING"
    request = postgres.asked(text, writes=True, id="P7", key="run-1/pay")
    assert [call(request, **postgres.settings).payload["count"] for _ in range(3)] == [1, 0, 0]


def test_a_refused_write_is_no_lost_one_and_its_message_holds_no_value(postgres, failing):
    request = postgres.asked("INSERT INTO orders (id) VALUES (:id)", writes=True, id="P1")
    kind, message, again, details = failing(request, **postgres.settings)
    assert (kind, again, details["sent"]) == (TOOL_ERROR, False, False)
    assert "UniqueViolation, 23505, constraint 'orders_pkey'" in message
    assert "P1" not in message
    kind, message, _, _ = failing(postgres.asked("SELECT :n::int", n="geheim"), **postgres.settings)
    assert (kind, "geheim" in message) == (TOOL_ERROR, False)


@pytest.mark.parametrize("marker", [b"UPDATE", b"COMMIT"])
def test_a_connection_that_breaks_in_a_write_leaves_it_unknown(postgres, failing, marker):
    postgres.wire.cut = marker
    request = postgres.asked("UPDATE orders SET state = :state", writes=True, state="PAID")
    kind, message, again, details = failing(request, **postgres.settings)
    assert (kind, again, details["sent"]) == (TOOL_ERROR, True, True)
    assert "broke off" in message or "ended the connection" in message


def test_a_server_that_falls_silent_in_a_write_leaves_it_unknown(postgres, failing):
    postgres.wire.hold = b"COMMIT"
    begun = time.monotonic()
    request = postgres.asked("UPDATE orders SET state = :state", writes=True, timeout_ms=300, state="PAID")
    kind, _, again, details = failing(request, **postgres.settings)
    assert (kind, again, details["sent"]) == (TOOL_TIMEOUT, True, True)
    assert time.monotonic() - begun < 2


def test_no_connection_is_nothing_sent(postgres, failing):
    postgres.wire.stop()
    kind, message, again, details = failing(postgres.asked("SELECT 1"), **postgres.settings)
    assert (kind, again, details["sent"]) == (TOOL_ERROR, True, False)
    assert f"127.0.0.1:{postgres.wire.port}" in message
    postgres.wire.start()


@pytest.mark.parametrize(
    ("credential", "auth", "says"),
    [
        ("shop:wrong-password", "basic", "does not let this user in"),
        ("shop", "basic", "user:password"),
        ("shop:x", "bearer", "needs `auth"),
        ("", "basic", "'DB' is not set"),
    ],
)
def test_who_is_not_let_in_is_told_so_without_the_password(postgres, failing, credential, auth, says):
    request = postgres.asked("SELECT 1", auth={"kind": auth, "header": "", "value": "{{ secrets.DB }}"})
    kind, message, again, details = failing(request, secrets={"DB": credential})
    assert (kind, again, details["sent"]) == (TOOL_MISCONFIGURED, False, False)
    assert says in message
    assert "wrong-password" not in message


def test_plain_connections_are_only_made_where_the_address_says_so(postgres, failing):
    address = postgres.address.removesuffix("?sslmode=disable")
    kind, message, again, details = failing(postgres.asked("SELECT 1", server=address), **postgres.settings)
    assert (kind, again, details["sent"]) == (TOOL_MISCONFIGURED, False, False)
    assert "sslmode=disable" in message


@pytest.fixture
def named(monkeypatch):
    """`desk.test` is this machine."""
    found = socket.getaddrinfo
    here = lambda host, *rest, **more: found("127.0.0.1" if host == "desk.test" else host, *rest, **more)  # noqa: E731
    monkeypatch.setattr(socket, "getaddrinfo", here)


def test_certificates_are_verified_and_made_out_to_the_host(postgres, call, failing, named, ca_file):
    postgres.wire.tls = True
    right = f"postgresql://desk.test:{postgres.wire.port}/shop"
    assert call(postgres.asked("SELECT 1", server=right), ca_file=ca_file, **postgres.settings).payload["count"] == 1
    other = f"postgresql://127.0.0.1:{postgres.wire.port}/shop"
    for address, settings in ((right, {}), (other, {"ca_file": ca_file})):
        request = postgres.asked("SELECT 1", server=address)
        kind, message, _, details = failing(request, **settings, **postgres.settings)
        assert (kind, details["sent"]) == (TOOL_ERROR, False)
        assert "certificate is refused" in message
    unverified = postgres.asked("SELECT 1", server=other + "?sslmode=require")
    assert call(unverified, **postgres.settings).payload["count"] == 1


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://shop:word@127.0.0.1/shop",
        "postgresql:///shop",
        "postgresql://127.0.0.1,10.0.0.1/shop",
        "postgresql://127.0.0.1/shop?host=/tmp",
        "postgresql://127.0.0.1/shop?options=-c",
        "postgresql://127.0.0.1:99999/shop",
        "postgresql://127.0.0.1/",
    ],
)
def test_an_address_is_host_port_and_database_alone(postgres, failing, address):
    kind, message, again, _ = failing(postgres.asked("SELECT 1", server=address), **postgres.settings)
    assert (kind, again) == (TOOL_MISCONFIGURED, False)
    assert "word" not in message.replace("password", "")


def test_hosts_obey_the_address_rules(postgres, failing):
    request = postgres.asked("SELECT 1", server="postgresql://169.254.169.254/shop?sslmode=disable")
    kind, message, again, details = failing(request, **postgres.settings)
    assert (kind, again, details["sent"]) == (TOOL_ERROR, False, False)
    assert "not allowed" in message


def test_nothing_is_taken_from_the_environment_of_the_worker(postgres, call, monkeypatch):
    for name, value in {
        "PGHOST": "x",
        "PGUSER": "x",
        "PGPASSWORD": "x",
        "PGOPTIONS": "-c bad",
        "PGDATABASE": "x",
    }.items():
        monkeypatch.setenv(name, value)
    assert call(postgres.asked("SELECT 1"), **postgres.settings).payload["count"] == 1


def test_connections_are_kept_few_and_replaced_when_they_are_gone(postgres):
    async def work():
        served = Activities(Settings(env={}, **postgres.settings))

        async def ask(number):
            request = postgres.asked("SELECT :n::int AS n, pg_sleep(0.01)::text", n=number)
            answer = await ActivityEnvironment().run(served.callables[0], request)
            return answer.payload["rows"][0]["n"]

        found = await asyncio.gather(*map(ask, range(60)))
        opened = postgres.wire.opened
        killed = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'interlock'"
        postgres.run(killed)
        await asyncio.sleep(0.1)
        again = await ask(7)
        await served.aclose()
        return found, opened, again

    found, opened, again = asyncio.run(work())
    assert (found, again) == (list(range(60)), 7)
    assert opened <= 10


def test_a_cancelled_call_ends_its_statement(postgres):
    async def work():
        served = Activities(Settings(env={}, **postgres.settings))
        asked = postgres.asked("SELECT pg_sleep(60)", timeout_ms=60_000)
        calling = asyncio.ensure_future(ActivityEnvironment().run(served.callables[0], asked))
        await asyncio.sleep(0.5)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await asyncio.sleep(0.5)
        running = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'interlock' AND state = 'active'"
        left = postgres.run(running)
        await served.aclose()
        return left

    assert asyncio.run(work()) == [(0,)]
