"""A payrun from template to ledger, what the ids look like, and what is refused."""

import re

import httpx
import pytest

from demo.hr.seed import HIRES


def test_a_month_is_paid(hr):
    template = hr.data("/pay-groups/PG-000042/template")["templateId"]
    imported = hr.post(f"/templates/{template}/import", {"remark": "Payroll 2026-11"})
    assert (imported.status_code, imported.json()["data"]["status"]) == (201, "IMPORTED")
    body = {"payGroupId": "PG-000042", "month": "2026-11", "importId": imported.json()["data"]["importId"]}
    payrun = hr.post("/payruns", body).json()["data"]["payrunId"]
    read = [hr.data(f"/payruns/{payrun}") for _ in range(3)]
    assert [one["status"] for one in read] == ["RUNNING", "RUNNING", "CALCULATED"]
    assert (read[2]["headcount"], read[2]["version"], read[2]["warnings"]) == (35, 2, [])
    assert [one["name"] for one in read[2]["newHires"]] == list(HIRES)
    batch = hr.disburse(payrun, version=read[2]["version"]).json()["data"]
    assert (batch["status"], batch["total"]) == ("ACCEPTED", read[2]["total"])
    assert hr.data(f"/payruns/{payrun}")["status"] == "DISBURSED"
    assert hr.post(f"/payruns/{payrun}/payslips").json() == {"payrunId": payrun, "published": True}
    entry = {"payrunId": payrun, "total": read[2]["total"], "reference": f"payrun-{payrun}"}
    posted = hr.post("/ledger/entries", entry).json()
    assert hr.data(f"/ledger/entries?reference=payrun-{payrun}") == {"entries": [posted]}
    assert [one["operation"] for one in hr.effects()] == [
        "importTemplate",
        "startPayrun",
        "disbursePayrun",
        "publishPayslips",
        "postEntry",
    ]


def test_the_seed_is_41_employees_and_three_hires_in_two_groups(hr):
    people = hr.data("/employees")["employees"]
    assert [sum(one["status"] == status for one in people) for status in ("ACTIVE", "NEW")] == [41, 3]
    assert {one["payGroupId"] for one in people} == {"PG-000042", "PG-000107"}
    assert len({one["employeeId"] for one in people}) == 44 > len({one["name"] for one in people})
    assert len(hr.data("/employees?payGroupId=PG-000107")["employees"]) == 6
    assert hr.data("/pay-groups/PG-000107")["headcount"] == 6


def test_ids_are_wide_and_begin_with_zeros_and_are_the_same_in_every_database(open_service):
    def ids(hr):
        payrun = hr.calculated()
        batch = hr.disburse(payrun).json()["data"]["batchId"]
        people = [one["employeeId"] for one in hr.data("/employees")["employees"]]
        return [payrun, *people], [hr.data("/pay-groups/PG-000042/template")["templateId"], batch]

    narrow, wide = ids(open_service("a.db"))
    assert all(re.fullmatch(r"0\d{19}", one) and 2**53 < int(one) < 2**64 for one in narrow)
    assert all(re.fullmatch(r"00\d{37}", one) and 2**64 < int(one) < 2**128 for one in wide)
    assert ids(open_service("b.db")) == (narrow, wide)


def test_an_onboarded_hire_is_paid_in_the_next_payrun(hr):
    hire = hr.data(f"/payruns/{hr.calculated()}")["newHires"][2]
    onboarded = hr.post(f"/employees/{hire['employeeId']}/onboard")
    assert onboarded.json() == {"employeeId": hire["employeeId"], "status": "ACTIVE"}
    after = hr.data(f"/payruns/{hr.calculated()}")
    assert (after["headcount"], len(after["newHires"])) == (36, 2)


def test_an_employee_without_an_account_is_a_warning(hr):
    found = hr.data(f"/payruns/{hr.calculated('PG-000107')}")
    assert [re.sub(r"\d{20}", "…", one) for one in found["warnings"]] == ["Noor Haddad (…): no bank account"]


def test_the_template_of_another_group_fails_the_calculation(open_service):
    hr = open_service(running_reads=0)
    body = {"payGroupId": "PG-000042", "month": "2026-11", "importId": hr.imported("PG-000107")}
    payrun = hr.post("/payruns", body).json()["data"]["payrunId"]
    assert hr.data(f"/payruns/{payrun}")["status"] == "FAILED"
    assert hr.disburse(payrun).status_code == 409


def test_a_cancelled_batch_leaves_its_payrun_calculated_unless_another_stands(hr):
    payrun = hr.calculated()
    first, second = (hr.disburse(payrun).json()["data"]["batchId"] for _ in range(2))
    assert [one["batchId"] for one in hr.data(f"/payruns/{payrun}/batches")["batches"]] == [first, second]
    assert hr.post(f"/batches/{first}/cancel").json()["status"] == "CANCELLED"
    assert [one["batchId"] for one in hr.data(f"/payruns/{payrun}/batches")["batches"]] == [second]
    assert hr.data(f"/payruns/{payrun}")["status"] == "DISBURSED"
    hr.post(f"/batches/{second}/cancel")
    assert hr.data(f"/payruns/{payrun}")["status"] == "CALCULATED"
    assert hr.data(f"/batches/{second}")["status"] == "CANCELLED"


def test_another_version_or_an_unfinished_calculation_is_a_conflict(hr):
    running, payrun = hr.started(), hr.calculated()
    assert hr.disburse(running, version=1).json()["code"] == "NOT_CALCULATED"
    refused = hr.disburse(payrun, version=1)
    assert (refused.status_code, refused.json()["code"]) == (409, "VERSION_CONFLICT")
    assert hr.post(f"/payruns/{running}/payslips").status_code == 409
    assert hr.effects("disbursePayrun") == hr.effects("publishPayslips") == []


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/payruns", {"payGroupId": "PG-000042", "month": "2026-13", "importId": "0" * 20}, 400),
        ("/payruns", {"payGroupId": "PG-000042", "month": "2026-11"}, 400),
        ("/payruns", {"payGroupId": "PG-000042", "month": "2026-11", "importId": "0" * 20, "more": 1}, 400),
        ("/payruns", {"payGroupId": "PG-000042", "month": "2026-11", "importId": 77}, 400),
        ("/payruns", {"payGroupId": "PG-000043", "month": "2026-11", "importId": "0" * 20}, 404),
        ("/payruns", {"payGroupId": "PG-000042", "month": "2026-11", "importId": "0" * 20}, 404),
        ("/payruns", None, 400),
        ("/templates/77/import", {}, 404),
        ("/employees/77/onboard", {"status": "ACTIVE"}, 400),
        ("/employees/77/onboard", {}, 404),
        ("/ledger/entries", {"payrunId": "0" * 20, "total": 1.5, "reference": "r"}, 400),
        ("/ledger/entries", {"payrunId": "0" * 20, "total": 1, "reference": "r"}, 404),
        ("/employees", {}, 405),
        ("/nothing", {}, 404),
    ],
)
def test_what_is_not_as_described_is_refused_and_has_no_effect(hr, path, body, status):
    answer = hr.post(path, body, key="k")
    assert answer.status_code == status, answer.text
    assert answer.json().keys() == {"code", "message"}
    assert hr.effects() == []
    assert [(one["path"], one["status"]) for one in hr.requests()] == [(path, status)]


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({}, b'{"remark": ', 400),
        ({}, b"[" * 60_000, 400),
        ({}, b" " * 65_537, 413),
        ({"Transfer-Encoding": "chunked"}, b"{}", 411),
        ({"Idempotency-Key": "k" * 256}, b"{}", 400),
        ({"Idempotency-Key": ""}, b"{}", 400),
        ({"Authorization": "Bearer other"}, b"{}", 401),
        ({"Authorization": "Basic dG9r"}, b"{}", 401),
    ],
)
def test_what_is_no_request_is_refused(hr, headers, content, status):
    template = hr.data("/pay-groups/PG-000042/template")["templateId"]
    answer = hr.http.post(f"/templates/{template}/import", content=content, headers=headers)
    assert answer.status_code == status, answer.text
    assert hr.effects() == []


def test_everything_but_the_document_needs_the_token(hr):
    with httpx.Client(base_url=hr.http.base_url) as stranger:
        assert stranger.get("/openapi.json").status_code == 200
        for path in ("/employees", "/audit/effects", "/switches"):
            answer = stranger.get(path)
            assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_an_id_in_a_path_is_read_unescaped(hr):
    assert hr.get("/pay-groups/PG%2D000042").json()["data"]["payGroupId"] == "PG-000042"
    assert hr.get("/pay-groups/PG-000042%2Ftemplate").status_code == 404
