"""Each switch does what it says, as often as it says, and can be listed and removed."""

import json
import time

import httpx
import pytest

DISBURSE = "/payruns/{payrunId}/disburse"


def acted(hr):
    return [(one["seen"], one["acted"]) for one in hr.data("/switches")["switches"]]


def test_slow_waits_before_the_effect_or_after_it(hr):
    payrun = hr.calculated()
    for when in ("before", "after"):
        hr.switch(DISBURSE, "slow", delayMs=300, when=when, times=1)
        started = time.monotonic()
        assert hr.disburse(payrun).status_code == 201
        assert time.monotonic() - started >= 0.3
    started = time.monotonic()
    hr.disburse(payrun)
    assert time.monotonic() - started < 0.3
    assert acted(hr) == [(3, 1), (2, 1)]


def test_fail_answers_an_error_and_has_no_effect(hr):
    payrun = hr.calculated()
    hr.switch(DISBURSE, "fail", times=1)
    hr.switch(DISBURSE, "fail", status=429, code="BUSY", times=1, skip=1)
    answers = [hr.disburse(payrun, "k") for _ in range(3)]
    assert [(one.status_code, one.json()["code"]) for one in answers] == [
        (503, "UNAVAILABLE"),
        (429, "BUSY"),
        (201, "OK"),
    ]
    assert len(hr.effects("disbursePayrun")) == 1


def test_lose_has_the_effect_and_drops_the_connection(hr):
    payrun = hr.calculated()
    number = hr.switch(DISBURSE, "lose", times=1)
    with pytest.raises(httpx.RemoteProtocolError):
        hr.disburse(payrun, "k")
    assert (hr.requests()[-1]["status"], hr.requests()[-1]["switches"]) == (None, [number])
    assert hr.data(f"/payruns/{payrun}")["status"] == "DISBURSED"
    assert hr.disburse(payrun, "k").headers["Idempotency-Replayed"] == "true"
    assert len(hr.effects("disbursePayrun")) == 1


def test_lie_answers_success_without_the_effect_and_without_spending_the_key(hr):
    payrun = hr.calculated()
    hr.switch(DISBURSE, "lie", times=1)
    told = hr.disburse(payrun, "k")
    assert (told.status_code, told.json()["data"]["status"]) == (201, "ACCEPTED")
    assert hr.effects("disbursePayrun") == []
    assert hr.data(f"/payruns/{payrun}")["status"] == "CALCULATED"
    assert hr.get(f"/batches/{told.json()['data']['batchId']}").status_code == 404
    real = hr.disburse(payrun, "k")
    assert "Idempotency-Replayed" not in real.headers
    assert real.json()["data"]["batchId"] != told.json()["data"]["batchId"]


def test_lie_with_a_field_tells_another_value_and_keeps_the_true_one(hr):
    true = hr.data("/pay-groups/PG-000042/template")["templateId"]
    hr.switch("/pay-groups/{payGroupId}/template", "lie", field="templateId", times=1)
    told = hr.data("/pay-groups/PG-000042/template")["templateId"]
    assert (told[:-1], len(told)) == (true[:-1], 39)
    assert told != true == hr.data("/pay-groups/PG-000042/template")["templateId"]


def test_lie_tells_the_value_that_was_ordered_and_the_replay_is_true(hr):
    payrun = hr.calculated()
    hr.switch(DISBURSE, "lie", field="status", value="CANCELLED", times=1)
    assert [hr.disburse(payrun, "k").json()["data"]["status"] for _ in range(2)] == ["CANCELLED", "ACCEPTED"]
    assert hr.effects("disbursePayrun")[0]["result"]["status"] == "ACCEPTED"


def test_lie_acts_on_an_answer_without_an_envelope_too(hr):
    hire = hr.data(f"/payruns/{hr.calculated()}")["newHires"][0]["employeeId"]
    hr.switch(f"/employees/{hire}/onboard", "lie", field="status", value="NEW")
    assert hr.post(f"/employees/{hire}/onboard").json() == {"employeeId": hire, "status": "NEW"}


def test_duplicate_repeats_an_item_once_there_is_one(hr):
    hr.switch("/payruns/{payrunId}", "duplicate", field="newHires", times=1)
    payrun = hr.started()
    reads = [[one["employeeId"] for one in hr.data(f"/payruns/{payrun}")["newHires"]] for _ in range(4)]
    assert [len(one) for one in reads] == [0, 0, 4, 3]
    assert reads[2] == [*reads[3], reads[3][0]]
    assert acted(hr) == [(2, 1)]


def test_duplicate_finds_the_list_itself(hr):
    hr.switch("/employees", "duplicate")
    people = hr.data("/employees")["employees"]
    assert (len(people), people[44]) == (45, people[0])


def test_stale_tells_the_version_before(hr):
    payrun = hr.calculated()
    hr.switch(f"/payruns/{payrun}", "stale", times=1)
    versions = [hr.data(f"/payruns/{payrun}")["version"] for _ in range(2)]
    assert versions == [1, 2]
    assert [hr.disburse(payrun, version=one).status_code for one in versions] == [409, 201]


def test_switches_act_together(hr):
    payrun = hr.calculated()
    hr.switch(DISBURSE, "slow", delayMs=200)
    hr.switch(DISBURSE, "lie")
    hr.switch(DISBURSE, "lose")
    started = time.monotonic()
    with pytest.raises(httpx.RemoteProtocolError):
        hr.disburse(payrun)
    assert time.monotonic() - started >= 0.2
    assert hr.effects("disbursePayrun") == []
    assert len(hr.requests()[-1]["switches"]) == 3


def test_skip_and_times_are_counted(hr):
    hr.switch("/pay-groups/*", "fail", skip=1, times=2)
    assert [hr.get("/pay-groups/PG-000042").status_code for _ in range(5)] == [200, 503, 503, 200, 200]
    assert hr.get("/pay-groups/PG-000042/template").status_code == 200
    assert acted(hr) == [(5, 2)]


def test_a_path_may_be_one_thing_and_a_method_may_choose(hr):
    hr.switch("/pay-groups/PG-000042", "fail")
    hr.switch("/ledger/entries", "fail", method="POST")
    assert [hr.get(f"/pay-groups/{one}").status_code for one in ("PG-000042", "PG-000107")] == [503, 200]
    entry = {"payrunId": "0" * 20, "total": 1, "reference": "r"}
    assert (hr.get("/ledger/entries?reference=r").status_code, hr.post("/ledger/entries", entry).status_code) == (
        200,
        503,
    )


def test_switches_are_listed_and_removed(hr):
    number = hr.switch("/employees", "fail")
    assert hr.data("/switches")["switches"] == [
        {"number": number, "settings": {"path": "/employees", "mode": "fail"}, "seen": 0, "acted": 0}
    ]
    assert hr.http.delete("/switches").json()["data"] == {"removed": 1}
    assert hr.data("/switches") == {"switches": []}
    assert hr.get("/employees").status_code == 200


@pytest.mark.parametrize(
    "settings",
    [
        {"path": "/employees", "mode": "slow"},
        {"path": "/employees", "mode": "slow", "delayMs": -1},
        {"path": "/employees", "mode": "slow", "delayMs": 1, "when": "later"},
        {"path": "/employees", "mode": "fail", "delayMs": 1},
        {"path": "/employees", "mode": "fail", "status": 200},
        {"path": "/employees", "mode": "fail", "field": "x"},
        {"path": "/employees", "mode": "lose", "times": 0},
        {"path": "/employees", "mode": "lie", "value": 1},
        {"path": "/employees", "mode": "lie"},
        {"path": "/employees", "mode": "fail", "method": "POST"},
        {"path": "/employees", "mode": "breaks"},
        {"path": "/employes", "mode": "fail"},
        {"path": "/audit/effects", "mode": "fail"},
        {"path": "employees", "mode": "fail"},
        {"mode": "fail"},
        ["fail"],
    ],
)
def test_what_could_not_act_is_no_switch(hr, settings):
    answer = hr.post("/switches", settings)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID")
    assert hr.data("/switches") == {"switches": []}


def test_command_line_and_environment_order_switches_that_go_on_counting_after_a_kill(start_process):
    first = {"path": "/employees", "mode": "fail", "times": 2}
    second = {"path": "/pay-groups/*", "mode": "fail", "times": 1}
    service = start_process("--switch", json.dumps(first), HR_SWITCHES=json.dumps([second]))
    assert service.hr.get("/employees").status_code == 503
    assert service.hr.get("/pay-groups/PG-000042").status_code == 503
    service.restart()
    assert acted(service.hr) == [(1, 1), (1, 1)]
    assert [service.hr.get("/employees").status_code for _ in range(2)] == [503, 200]


@pytest.mark.parametrize("switch", ["{", "{}", '{"path": "/nothing", "mode": "fail"}'])
def test_a_wrong_switch_ends_the_start(start_process, switch):
    with pytest.raises(AssertionError, match="not a switch: "):
        start_process("--switch", switch)


def test_a_token_is_needed_to_start(start_process):
    with pytest.raises(AssertionError, match="a token is needed"):
        start_process(HR_TOKEN="")
