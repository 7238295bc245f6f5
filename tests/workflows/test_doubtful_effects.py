"""Writes of which an attempt may have had its effect: only what proves the contrary makes them `none`."""

import asyncio
import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from textwrap import dedent

import pytest
from temporalio.client import WorkflowFailureError

from interlock.compiler.compile import compile_folder

pytestmark = pytest.mark.server

LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: bank
servers: {bank: {http: "http://127.0.0.1:PORT"}}
tools:
  pay:
    http: POST /pay
    effect: write
    idempotency: {header: Idempotency-Key}
    output: {done: {type: boolean}, id: {type: string}}
    produces: {id: {at: id}}
    ensures: [{that: result.done}]
    outcomes:
      - {when: payload.code == 'REFUSED', outcome: error}
      - {when: payload.code == 'NO_WORD', outcome: timeout}
    retry: {attempts: 3, backoff: 10ms}
    timeout: 700ms
  pay_once:
    http: POST /pay
    effect: write
    idempotency: {none: the bank has no keys}
    output: {done: {type: boolean}}
    ensures: [{that: result.done}]
    timeout: 700ms
  undo:
    http: POST /undo
    effect: write
    idempotency: {header: Idempotency-Key}
    output: {done: {type: boolean}}
    ensures: [{that: result.done}]
  undo_by_id:
    http: POST /undo
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {id: {type: string, from: cells.pay.id}}
    output: {done: {type: boolean}}
    ensures: [{that: result.done}]
"""
HEAD = "apiVersion: interlock/v1\nkind: Procedure\nname: main\nuses: [bank]\n"
UNDONE = "on_failure: compensate\nsteps: [{call: pay, compensate: [{call: undo}]}]\n"
BY_ID = "on_failure: compensate\nsteps: [{call: pay, compensate: [{call: undo_by_id}]}]\n"
PARKED = "steps: [{call: pay}]\n"
ONCE = "steps: [{call: pay_once}]\n"
LOST, DROPPED, OK = "lost", "dropped", (200, {"done": True, "id": "0071"})


class Handler(BaseHTTPRequestHandler):
    """Answers the calls of `/pay` as the bank says, in turn; what is lost or dropped has been paid all the same."""

    def do_POST(self):
        bank = self.server
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        bank.calls.append((self.path, json.loads(body or b"{}"), self.headers.get("idempotency-key")))
        answer = OK
        if self.path == "/pay":
            answer = bank.answers.pop(0) if len(bank.answers) > 1 else bank.answers[0]
        if answer == DROPPED:
            return
        if answer == LOST:
            bank.lost.set()
            time.sleep(1.5)
            return
        status, payload = answer
        content = json.dumps(payload).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def bank():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.calls, server.answers, server.lost = [], [OK], threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def plans_of(bank, tmp_path):
    def plans(text):
        (tmp_path / "bank.yaml").write_text(LIBRARY.replace("PORT", str(bank.server_port)))
        (tmp_path / "main.yaml").write_text(HEAD + dedent(text))
        compiled = compile_folder(tmp_path)
        assert not compiled.errors, "\n".join(map(str, compiled.errors))
        return tuple(compiled.plans.values())

    return plans


async def begin(stage):
    client = await stage.plain()
    return await client.start_workflow("main", {}, id=f"main-{uuid.uuid4().hex[:8]}", task_queue=stage.queue)


async def until(handle, status):
    for _ in range(400):
        found = await handle.query("status")
        if found["status"] == status:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"{found['status']} is not {status}: {found}")


async def failure_of(handle):
    """The type of a run's failure, and its details."""
    with pytest.raises(WorkflowFailureError) as caught:
        await handle.result()
    return caught.value.cause.type, caught.value.cause.details[0]


async def call_of(handle):
    record = await handle.query("record")
    return next(call for step in record["steps"] for call in step.get("calls", ()))


ANSWERS = [
    [LOST, (503, {}), (503, {})],
    [DROPPED, (400, {})],
    [DROPPED, (422, {}), (422, {})],
    [DROPPED, (500, {}), (500, {})],
    [(502, {}), (409, {}), (409, {})],
    [(500, {}), DROPPED, (400, {})],
    [DROPPED, (200, {"code": "REFUSED"}), (200, {"code": "REFUSED"})],
    [DROPPED, DROPPED, DROPPED],
    [(500, {}), (500, {}), (500, {})],
    [(429, {}), (503, {}), (429, {})],
    [(302, {})],
    [(200, {"code": "NO_WORD"})],
]


@pytest.mark.parametrize("answers", ANSWERS)
async def test_what_may_have_been_done_in_any_attempt_is_unknown_and_undone(stage, bank, plans_of, answers):
    async with stage.serving(*plans_of(UNDONE)):
        bank.answers = list(answers)
        handle = await begin(stage)
        kind, left = await failure_of(handle)
        assert (kind, left["unknown"], left["effects"]) == ("procedure_failed", [], [])
        assert (await call_of(handle))["effect"] == "unknown"
        assert [path for path, *_ in bank.calls][-1] == "/undo"


@pytest.mark.parametrize(
    "answers",
    [
        [(400, {})],
        [(422, {})],
        [(429, {}), (409, {}), (425, {})],
        [(500, {"code": "REFUSED"}), (200, {"code": "REFUSED"}), (409, {})],
    ],
)
async def test_what_every_attempt_was_refused_has_had_no_effect(stage, bank, plans_of, answers):
    async with stage.serving(*plans_of(UNDONE)):
        bank.answers = list(answers)
        handle = await begin(stage)
        kind, left = await failure_of(handle)
        assert (kind, left["leaves_effects"]) == ("procedure_failed", False)
        assert (await call_of(handle))["effect"] == "none"
        assert {path for path, *_ in bank.calls} == {"/pay"}


async def test_a_later_answer_of_success_proves_what_happened(stage, bank, plans_of):
    async with stage.serving(*plans_of(UNDONE)):
        bank.answers = [DROPPED, (503, {}), OK]
        handle = await begin(stage)
        await handle.result()
        assert (await call_of(handle))["effect"] == "happened"
        assert len({key for _, _, key in bank.calls}) == 1


async def test_a_retry_that_is_refused_says_nothing_of_the_request_before_it(stage, bank, plans_of):
    async with stage.serving(*plans_of(PARKED)):
        bank.answers = [DROPPED, DROPPED, DROPPED, (400, {}), OK]
        handle = await begin(stage)
        status = await until(handle, "failed")
        assert (status["unknown"], status["unresolved"], status["effects"]) == (["pay"], [], ["pay"])
        await handle.execute_update("retry", {})
        status = await until(handle, "failed")
        assert len(bank.calls) == 4
        assert (status["unknown"], status["effects"]) == (["pay"], ["pay"])
        await handle.execute_update("retry", {})
        await handle.result()
        status = await handle.query("status")
        assert (status["unknown"], status["effects"]) == ([], ["pay"])
        assert len({key for _, _, key in bank.calls}) == 1


@pytest.mark.parametrize(
    ("answer", "kind", "unknown"),
    [
        (DROPPED, "unknown", True),
        ((500, {}), "unknown", True),
        ((503, {}), "unknown", True),
        ((408, {}), "unknown", True),
        ((302, {}), "unknown", True),
        ((200, {"done": "x"}), "error", False),
        ((200, {"done": False}), "ensures", False),
    ],
)
async def test_a_write_without_a_key_is_not_repeated_unasked(stage, bank, plans_of, answer, kind, unknown):
    async with stage.serving(*plans_of(ONCE)):
        bank.answers = [answer, OK]
        handle = await begin(stage)
        status = await until(handle, "failed")
        assert (status["failure"]["kind"], status["effects"]) == (kind, ["pay_once"])
        assert (status["unknown"], status["unresolved"]) == (["pay_once"] if unknown else [], ["pay_once"])
        assert [step["state"] for step in await handle.query("steps")] == ["failed"]
        await handle.execute_update("retry", {"resolved": {"pay_once": "did_not_happen"}})
        await handle.result()
        assert len(bank.calls) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 425, 429])
async def test_a_refusal_without_a_key_has_had_no_effect(stage, bank, plans_of, status):
    async with stage.serving(*plans_of(ONCE)):
        bank.answers = [(status, {}), OK]
        handle = await begin(stage)
        found = await until(handle, "failed")
        assert (found["failure"]["kind"], found["effects"], found["unresolved"]) == ("error", [], [])
        await handle.execute_update("retry", {})
        await handle.result()


async def test_what_failed_its_check_is_undone_by_its_own_id(stage, bank, plans_of):
    async with stage.serving(*plans_of(BY_ID)):
        bank.answers = [(200, {"done": False, "id": "0070"})]
        _, left = await failure_of(await begin(stage))
        assert bank.calls[-1][:2] == ("/undo", {"id": "0070"})
        assert (left["failure"]["kind"], left["leaves_effects"]) == ("ensures", False)


async def test_a_worker_that_is_killed_after_the_effect_leaves_doubt(stage, bank, plans_of, tmp_path):
    plans = plans_of(UNDONE)
    (tmp_path / "plans").write_text("\n".join(plan.canonical() for plan in plans))
    bank.answers = [LOST, (400, {})]
    async with stage.process(tmp_path / "plans") as worker:
        handle = await begin(stage)
        assert await asyncio.to_thread(bank.lost.wait, 20)
        worker.kill()
        worker.wait()
    async with stage.serving(*plans):
        _, left = await failure_of(handle)
        assert [path for path, *_ in bank.calls] == ["/pay", "/pay", "/undo"]
        assert (left["failure"]["kind"], left["leaves_effects"]) == ("error", False)
        assert (await call_of(handle))["effect"] == "unknown"
