"""An idempotency key that is part of the address: `PUT /payments/{key}`, the same at every attempt."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from textwrap import dedent

import pytest
from temporalio.client import WorkflowFailureError

from tests.compiled import plans_in
from tests.workflows.runs import begin

pytestmark = pytest.mark.server

PROCEDURE = """
apiVersion: interlock/v1
kind: Procedure
name: pay-all
input: {names: {type: list, items: {type: string}}}
servers: {bank: {http: "http://127.0.0.1:PORT"}}
tools:
  pay:
    http: PUT /payments/{payment}/of/{name}
    effect: write
    idempotency: {argument: payment}
    input:
      name: {type: string, from: caller}
      amount: {type: integer, value: 7}
    output: {paid: {type: boolean}}
    ensures: [{that: result.paid}]
    retry: {attempts: 3, backoff: 10ms}
steps:
  - for_each:
      items: "{{ input.names }}"
      as: name
      key: "{{ name }}"
      do: [{call: pay, with: {name: "{{ name }}"}}]
park: 0s
"""


class Bank(BaseHTTPRequestHandler):
    """Says 503 to the first request of each address."""

    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        first = self.path not in self.server.asked
        self.server.asked.append(self.path)
        content = b"{}" if first else b'{"paid": true}'
        self.send_response(503 if first else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def bank():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bank)
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def begun(stage, bank, tmp_path):
    async def done(names, change=("", "")):
        text = dedent(PROCEDURE).replace("PORT", str(bank.server_port)).replace(*change)
        (tmp_path / "pay.yaml").write_text(text)
        async with stage.serving(*plans_in(tmp_path).values()):
            handle = await begin(stage, "pay-all", {"names": names})
            await handle.result()
            return handle

    return done


async def test_the_key_stands_in_the_path_encoded_as_other_arguments_are(begun, bank):
    handle = await begun(["a b", "ü/.."])
    run = handle.first_execution_run_id
    keys = [f"{run}%3Afor_each%5B{item}%5D%2Fpay" for item in ("a%2520b", "%25C3%25BC%252F..")]
    paths = [f"/payments/{key}/of/{name}" for key, name in zip(keys, ("a%20b", "%C3%BC%2F.."), strict=True)]
    assert bank.asked == [path for path in paths for _ in range(2)]


async def test_a_key_of_the_authors_own_stands_in_the_path(begun, bank):
    own = ("idempotency: {argument: payment}", 'idempotency: {argument: payment, key: "for {{ args.name }}"}')
    await begun(["ann"], own)
    assert bank.asked == ["/payments/for%20ann/of/ann"] * 2


async def test_a_key_that_would_name_another_address_is_not_sent(begun, bank):
    own = ("idempotency: {argument: payment}", 'idempotency: {argument: payment, key: "{{ args.name }}"}')
    with pytest.raises(WorkflowFailureError) as failure:
        await begun([".."], own)
    assert "cannot stand in a path" in failure.value.cause.message
    assert bank.asked == []
