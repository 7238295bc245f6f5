"""One effect for one key: replays, reused keys, races, and the service killed in between."""

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from demo.hr import audit
from demo.hr.database import Database
from demo.hr.exchange import Request
from demo.hr.seed import template_of
from demo.hr.service import Service


def test_the_same_request_with_its_key_gets_the_first_answer(hr):
    payrun = hr.calculated()
    first, again = (hr.disburse(payrun, "PG-000042/2026-11") for _ in range(2))
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert [one["key"] for one in hr.effects("disbursePayrun")] == ["PG-000042/2026-11"]
    assert [one["replayed"] for one in hr.requests()][-2:] == [False, True]


def test_the_first_answer_is_given_even_where_the_state_has_moved_on(hr):
    payrun = hr.calculated()
    first = hr.disburse(payrun, "k").json()
    hr.post(f"/batches/{first['data']['batchId']}/cancel")
    assert hr.disburse(payrun, "k").json() == first


def test_a_key_of_another_request_is_refused(hr):
    one, two = hr.calculated(), hr.calculated("PG-000107")
    hr.disburse(one, "k")
    for refused in (
        hr.disburse(two, "k"),
        hr.disburse(one, "k", version=3),
        hr.post(f"/payruns/{one}/payslips", key="k"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (422, "KEY_REUSED")
    assert len(hr.effects("disbursePayrun")) == 1
    assert hr.effects("publishPayslips") == []


def test_the_order_of_the_fields_does_not_make_another_request(hr):
    fields = {"payGroupId": "PG-000042", "month": "2026-11", "importId": hr.imported()}
    answers = [hr.post("/payruns", body, "k") for body in (fields, dict(reversed(fields.items())))]
    assert answers[0].json() == answers[1].json()


def test_a_refused_write_leaves_its_key_free(hr):
    payrun = hr.started()
    assert hr.disburse(payrun, "k").status_code == 409
    while hr.data(f"/payruns/{payrun}")["status"] == "RUNNING":
        pass
    assert hr.disburse(payrun, "k", version=1).status_code == 409
    assert hr.disburse(payrun, "k").status_code == 201


def test_without_a_key_every_write_is_another_effect(hr):
    payrun = hr.calculated()
    batches = {hr.disburse(payrun).json()["data"]["batchId"] for _ in range(2)}
    hire = hr.data(f"/payruns/{payrun}")["newHires"][0]["employeeId"]
    for path in (f"/payruns/{payrun}/payslips", f"/employees/{hire}/onboard", f"/batches/{min(batches)}/cancel"):
        for _ in range(2):
            assert hr.post(path).status_code == 200
    assert len(batches) == 2
    counts = Counter(one["operation"] for one in hr.effects())
    assert [counts[name] for name in ("disbursePayrun", "publishPayslips", "onboardEmployee", "cancelBatch")] == [2] * 4
    assert {one["key"] for one in hr.effects()} == {None}


def test_an_entry_is_known_by_its_reference(hr):
    entry = {"payrunId": hr.calculated(), "total": 5, "reference": "r"}
    first, again = hr.post("/ledger/entries", entry), hr.post("/ledger/entries", entry, key="other")
    assert first.json() == again.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert hr.post("/ledger/entries", {**entry, "total": 6}).status_code == 422
    assert hr.post("/payruns/x/payslips", key="r").status_code == 404  # a header's key is another one
    assert len(hr.effects("postEntry")) == len(hr.data("/ledger/entries?reference=r")["entries"]) == 1


def test_of_many_at_once_with_one_key_one_has_the_effect(hr):
    payrun = hr.calculated()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: hr.disburse(payrun, "k"), range(24)))
    assert {one.json()["data"]["batchId"] for one in answers} == {hr.effects("disbursePayrun")[0]["result"]["batchId"]}
    assert sum("Idempotency-Replayed" in one.headers for one in answers) == 23
    assert len(hr.effects("disbursePayrun")) == 1


def test_an_effect_says_which_request_did_what(hr):
    payrun = hr.calculated()
    batch = hr.disburse(payrun, "k").json()["data"]
    effect = hr.effects("disbursePayrun")[0]
    assert effect["arguments"] == {"payrunId": payrun, "expectedVersion": 2}
    assert effect["result"] == batch
    request = next(one for one in hr.requests() if one["number"] == effect["request"])
    assert (request["path"], request["key"], request["status"]) == (f"/payruns/{payrun}/disburse", "k", 201)


def test_killed_between_effect_and_answer_it_replays_after_the_restart(start_process):
    service = start_process("--running-reads", "0")
    payrun = service.hr.calculated()
    service.hr.switch("/payruns/{payrunId}/disburse", "slow", delayMs=30_000, when="after", times=1)
    with ThreadPoolExecutor(1) as pool:
        lost = pool.submit(service.hr.disburse, payrun, "k")
        watcher = type(service.hr)(str(service.hr.http.base_url))
        while not watcher.effects("disbursePayrun"):
            time.sleep(0.01)
        service.restart()
        with pytest.raises(httpx.TransportError):
            lost.result()
    again = service.hr.disburse(payrun, "k")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert service.hr.effects("disbursePayrun")[0]["result"] == again.json()["data"]
    assert len(service.hr.effects("disbursePayrun")) == 1
    assert [one["status"] for one in service.hr.requests()][-2:] == [None, 201]


def test_killed_before_the_effect_it_does_it_after_the_restart(start_process):
    service = start_process("--running-reads", "0")
    payrun = service.hr.calculated()
    service.hr.switch("/payruns/{payrunId}/disburse", "slow", delayMs=30_000, times=1)
    with ThreadPoolExecutor(1) as pool:
        lost = pool.submit(service.hr.disburse, payrun, "k")
        watcher = type(service.hr)(str(service.hr.http.base_url))
        while not watcher.data("/switches")["switches"][0]["acted"]:
            time.sleep(0.01)
        service.restart()
        with pytest.raises(httpx.TransportError):
            lost.result()
    assert service.hr.effects("disbursePayrun") == []
    assert "Idempotency-Replayed" not in service.hr.disburse(payrun, "k").headers
    assert len(service.hr.effects("disbursePayrun")) == 1


def _killed_at(file, statement, request):
    """Whether a process that is to be killed before its n-th SQL statement of a request came so far."""
    child = os.fork()
    if child == 0:
        database = Database(file)
        service, left = Service(database, token="t", running_reads=0), iter(range(statement, -1, -1))
        database._connection.set_trace_callback(lambda _: next(left) or os.kill(os.getpid(), signal.SIGKILL))
        service.answer(request)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_killed_before_any_statement_a_write_has_one_effect_in_the_end(tmp_path):
    request = Request("POST", f"/templates/{template_of('PG-000042')}/import", token="t", key="k")
    replays, at = Counter(), 0
    while _killed_at(tmp_path / f"{at}.db", at, request):
        database = Database(tmp_path / f"{at}.db")
        reply = Service(database, token="t").answer(request)
        with database.transaction() as db:
            effects = audit.effects(db)["effects"]
            assert db.execute("SELECT count(*) FROM imports").fetchone()[0] == len(effects) == 1
        assert (effects[0]["key"], effects[0]["result"]) == ("k", reply.body["data"])
        database.close()
        replays[reply.replayed] += 1
        at += 1
    assert min(replays[False], replays[True]) >= 3, "killed before the effect as well as after it"


def test_killed_under_load_each_key_has_one_effect(start_process):
    """Writers send until they are answered; the service is killed at odd moments in between."""
    service, dice = start_process(), random.Random(7)
    template = service.hr.data("/pay-groups/PG-000042/template")["templateId"]
    answers, enough = {}, threading.Event()

    def write(writer):
        hr, at = type(service.hr)(str(service.hr.http.base_url)), 0
        while not enough.is_set():
            key = f"{writer}-{at}"
            while key not in answers:
                with contextlib.suppress(httpx.TransportError):
                    answers[key] = hr.post(f"/templates/{template}/import", {"remark": key}, key).json()["data"]
            at += 1
        hr.http.close()

    with ThreadPoolExecutor(3) as pool:
        writing = [pool.submit(write, writer) for writer in range(3)]
        for _ in range(5):
            time.sleep(dice.uniform(0.05, 0.15))
            service.restart()
        enough.set()
        for one in writing:
            one.result()
    effects = service.hr.effects("importTemplate")
    assert Counter(one["key"] for one in effects) == Counter(dict.fromkeys(answers, 1))
    assert {one["key"]: one["result"] for one in effects} == answers
    assert len({one["importId"] for one in answers.values()}) == len(answers) > 20


def test_sigterm_lets_the_requests_under_way_finish_and_waits_for_no_idle_connection(start_process):
    service = start_process("--running-reads", "0")
    payrun = service.hr.calculated()
    service.hr.switch("/payruns/{payrunId}/disburse", "slow", delayMs=30_000, when="after")
    with ThreadPoolExecutor(12) as pool:
        answers = pool.map(lambda at: service.hr.disburse(payrun, f"k{at}"), range(12))
        watcher = type(service.hr)(str(service.hr.http.base_url))
        while len(watcher.effects("disbursePayrun")) < 12:
            time.sleep(0.01)
        started = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        assert [one.status_code for one in answers] == [201] * 12
    assert service.ended() == (0, "", "")
    assert time.monotonic() - started < 15


def test_a_server_that_is_closed_answers_every_request_that_it_has_begun(hr):
    payrun, database = hr.calculated(), hr.server.service._database
    hr.switch("/payruns/{payrunId}/disburse", "slow", delayMs=30_000)
    with ThreadPoolExecutor(13) as pool:
        answers = pool.map(lambda at: hr.disburse(payrun, f"k{at}"), range(12))
        while hr.data("/switches")["switches"][0]["acted"] < 12:
            time.sleep(0.01)
        hr.server.shutdown()
        with database.transaction():
            closing = pool.submit(hr.server.server_close)
            time.sleep(0.2)
        assert [one.status_code for one in answers] == [201] * 12
        closing.result()
