"""Procedures that read and write a real database, and what a run knows of a write that was not sent or was refused."""

import socket
import sqlite3

import pytest

from tests.compiled import plans_in
from tests.workflows.runs import begin, comes_to

pytestmark = pytest.mark.server

LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
servers:
  orders: {{sql: "sqlite:///orders.db", read_only: false, timeout: 2s}}
  bank: {{http: "http://127.0.0.1:{port}"}}
tools:
  get_order:
    sql: SELECT id, amount, state FROM orders WHERE id = :order_no
    effect: read
    input: {{order_no: {{type: string, from: caller}}}}
    unwrap: rows.0
    output: {{id: {{type: string}}, amount: {{type: integer}}, state: {{type: string}}}}
  pay_order:
    sql: >-
      INSERT INTO payments (order_no, note, request) VALUES (:order_no, :note, :request)
      ON CONFLICT (request) DO UPDATE SET request = request RETURNING order_no
    effect: write
    idempotency: {{argument: request}}
    input:
      order_no: {{type: string, from: caller}}
      note: {{type: string, from: caller, optional: true}}
    ensures: [{{that: payload.count == 1}}]
    retry: {{attempts: 2, backoff: 10ms}}
  transfer:
    http: POST /transfers
    effect: write
    idempotency: {{header: Idempotency-Key}}
    input: {{order_no: {{type: string, from: caller}}}}
    ensures: [{{that: payload is defined}}]
    retry: {{attempts: 3, backoff: 10ms}}
"""
PROCEDURE = "apiVersion: interlock/v1\nkind: Procedure\nname: pay\nuses: [tools]\ninput: {order_no: {type: string}}\n"


@pytest.fixture
def closed_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.fixture
def orders(tmp_path):
    connection = sqlite3.connect(tmp_path / "orders.db")
    connection.executescript(
        "CREATE TABLE orders (id TEXT PRIMARY KEY, amount, state TEXT);"
        "INSERT INTO orders VALUES ('007', 9223372036854775807, '待付款');"
        "CREATE TABLE payments (order_no TEXT REFERENCES orders, note TEXT, request TEXT NOT NULL UNIQUE);"
    )
    yield connection
    connection.close()


@pytest.fixture
def plan(tmp_path, closed_port):
    def build(steps):
        folder = tmp_path / "specs"
        folder.mkdir()
        (folder / "tools.yaml").write_text(LIBRARY.format(port=closed_port))
        (folder / "pay.yaml").write_text(PROCEDURE + steps)
        return plans_in(folder)["pay"]

    return build


async def failed(handle):
    """The record of a run, once it has failed."""
    await comes_to(handle, "failed")
    return await handle.query("record")


async def test_a_run_reads_and_writes_a_database_and_its_key_is_bound(stage, orders, plan, tmp_path):
    found = plan(
        "steps:\n"
        "  - {call: get_order, with: {order_no: '{{ input.order_no }}'}}\n"
        "  - {call: pay_order, with: {order_no: '{{ input.order_no }}'}}\n"
        "result: {amount: '{{ steps.get_order.result.amount }}', state: '{{ steps.get_order.result.state }}'}\n"
    )
    async with stage.serving(found, data=tmp_path):
        handle = await begin(stage, "pay", {"order_no": "007"})
        assert await handle.result() == {"amount": 2**63 - 1, "state": "待付款"}
    ((order_no, note, request),) = orders.execute("SELECT * FROM payments").fetchall()
    assert (order_no, note) == ("007", None)
    assert request.endswith(":pay_order")


async def test_a_write_that_the_database_refuses_is_known_not_to_have_happened(stage, orders, plan, tmp_path):
    found = plan("steps: [{call: pay_order, with: {order_no: '{{ input.order_no }}'}}]\n")
    async with stage.serving(found, data=tmp_path):
        record = await failed(await begin(stage, "pay", {"order_no": "no such order"}))
    assert orders.execute("SELECT * FROM payments").fetchall() == []
    assert record["steps"][0]["calls"][0]["effect"] == "none", record


async def test_a_write_that_was_never_sent_in_any_attempt_is_known_not_to_have_happened(stage, plan, tmp_path):
    found = plan("steps: [{call: transfer, with: {order_no: '{{ input.order_no }}'}}]\n")
    async with stage.serving(found, data=tmp_path):
        record = await failed(await begin(stage, "pay", {"order_no": "007"}))
    assert record["steps"][0]["calls"][0]["attempts"] == 3
    assert record["steps"][0]["calls"][0]["effect"] == "none", record
