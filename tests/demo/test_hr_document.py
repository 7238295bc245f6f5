"""The OpenAPI document is sound, and true: what it says is served, and what is served is as it says."""

import re

import pytest
from jsonschema import Draft202012Validator

from demo.hr.database import Database
from demo.hr.document import Document
from demo.hr.service import Service

DOCUMENT = Document()
CONTENT = DOCUMENT.content
OPERATIONS = {(one.method, one.path): one for one in DOCUMENT.operations}
WRITTEN = {
    (method.upper(), path): {**item, **item[method]}
    for path, item in CONTENT["paths"].items()
    for method in item.keys() - {"parameters"}
}


def resolved(value):
    if set(value) != {"$ref"}:
        return value
    found = CONTENT
    for part in value["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return found


def nodes(value):
    yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(one)


def test_every_reference_stays_inside_and_is_found_and_every_component_is_used():
    found = [one["$ref"] for one in nodes(CONTENT) if isinstance(one, dict) and "$ref" in one]
    assert all(one.startswith("#/components/") and resolved({"$ref": one}) for one in found)
    components = CONTENT["components"]
    kinds = components.keys() - {"securitySchemes"}
    assert {f"#/components/{kind}/{name}" for kind in kinds for name in components[kind]} == set(found)


def test_every_schema_is_one():
    schemas = [one["schema"] for one in nodes(CONTENT) if isinstance(one, dict) and "schema" in one]
    assert len(schemas) > 30
    for schema in [*schemas, *CONTENT["components"]["schemas"].values()]:
        Draft202012Validator.check_schema(schema)


def test_every_operation_has_an_id_of_its_own_a_tag_and_a_description_of_each_answer():
    assert len({one["operationId"] for one in WRITTEN.values()}) == len(WRITTEN)
    tags = {one["name"] for one in CONTENT["tags"]}
    for operation in WRITTEN.values():
        assert set(operation["tags"]) <= tags
        assert operation["summary"]
        assert all(resolved(one)["description"] for one in operation["responses"].values())
        assert sum(status.startswith("2") for status in operation["responses"]) == 1


@pytest.mark.parametrize(("method", "path"), sorted(WRITTEN))
def test_the_parameters_of_a_path_are_those_in_it(method, path):
    item = CONTENT["paths"][path]
    parameters = [resolved(one) for one in [*item.get("parameters", ()), *item[method.lower()].get("parameters", ())]]
    in_path = [one["name"] for one in parameters if one["in"] == "path"]
    assert in_path == re.findall(r"\{(\w+)\}", path)
    assert all(one["required"] for one in parameters if one["in"] == "path")


def test_every_write_takes_a_key_but_the_one_that_has_a_reference():
    without = [
        one.id
        for one in DOCUMENT.operations
        if one.writes and "idempotencyKey" not in str(CONTENT["paths"][one.path]["post"].get("parameters"))
    ]
    assert without == ["postEntry"]


def test_every_operation_of_the_document_has_a_handler_and_every_handler_an_operation(tmp_path):
    database = Database(tmp_path / "hr.db")
    assert set(Service(database, token="t")._handlers) == {one.id for one in DOCUMENT.operations}
    database.close()


class Tour:
    """Keeps which statuses were answered, and holds each answer against the document."""

    def __init__(self, hr):
        self.seen = set()
        hr.http.event_hooks["response"].append(self.watch)

    def watch(self, response):
        response.read()
        request = response.request
        operation, _ = DOCUMENT.find(request.method, request.url.raw_path.decode().partition("?")[0])
        written = CONTENT["paths"][operation.path][request.method.lower()]
        status = str(response.status_code)
        said = resolved(written["responses"].get(status) or written["responses"]["default"])
        self.seen.add((operation.id, status if status in written["responses"] else "default"))
        schema = said["content"]["application/json"]["schema"]
        errors = [error.message for error in DOCUMENT.validator(schema).iter_errors(response.json())]
        assert errors == [], (operation.id, status, errors)
        assert response.headers["Content-Type"].startswith("application/json")
        assert "Idempotency-Replayed" not in response.headers or "Idempotency-Replayed" in said["headers"]


def fill(path, **values):
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], path)


def test_every_status_of_the_document_is_answered_and_every_answer_is_as_described(hr):
    tour = Tour(hr)
    payrun = hr.calculated("PG-000107")
    fresh = hr.calculated()
    hire = hr.data(f"/payruns/{fresh}")["newHires"][0]["employeeId"]
    batch = hr.disburse(payrun, "disbursed").json()["data"]["batchId"]
    template = hr.data("/pay-groups/PG-000042/template")["templateId"]
    there = {"payGroupId": "PG-000042", "templateId": template, "payrunId": fresh, "batchId": batch, "employeeId": hire}
    nowhere = dict.fromkeys(there, "0" * 20)
    start = {"payGroupId": "PG-000042", "month": "2026-11", "importId": hr.imported()}
    entry = {"payrunId": payrun, "total": 1, "reference": "r"}
    bodies = {"startPayrun": start, "disbursePayrun": {"expectedVersion": 2}, "postEntry": entry}
    bodies["addSwitch"] = {"path": "/employees", "mode": "slow", "delayMs": 0}
    missing = {**bodies, "startPayrun": {**start, "importId": "0" * 20}, "postEntry": {**entry, "payrunId": "0" * 20}}
    missing["postEntry"]["reference"] = "none"
    queries = {"findEntries": "?reference=r", "listEmployees": "?payGroupId=PG-000042"}
    running = hr.started()
    token = hr.http.headers["Authorization"]

    for one in DOCUMENT.operations:
        path = fill(one.path, **there) + queries.get(one.id, "")
        hr.http.request(one.method, path, json=bodies.get(one.id), headers={"Idempotency-Key": one.id})
        hr.http.request(one.method, path, json=bodies.get(one.id), headers={"Idempotency-Key": one.id})
        if "{" in one.path or one.id in missing:
            hr.http.request(one.method, fill(one.path, **nowhere), json=missing.get(one.id))
        if one.body is not None or one.writes:
            hr.http.request(one.method, path, json={"unknown": 1})
        if one.writes:
            again = {**entry, "total": 2} if one.id == "postEntry" else bodies.get(one.id)
            hr.http.request(one.method, path, json=again, headers={"Idempotency-Key": "disbursed"})
        if not one.public:
            hr.http.headers["Authorization"] = "Bearer wrong"
            hr.http.request(one.method, path, json=bodies.get(one.id))
            hr.http.headers["Authorization"] = token
    hr.get("/ledger/entries")
    hr.get("/employees?payGroupId=none")
    hr.get("/employees?payGroupId=PG-000000")
    hr.disburse(running)
    hr.post(f"/payruns/{running}/payslips")
    for one in DOCUMENT.business:
        hr.switch(one.path, "fail", method=one.method)
        hr.http.request(one.method, fill(one.path, **there) + queries.get(one.id, ""), json=bodies.get(one.id))
        hr.http.delete("/switches")

    said = {(one["operationId"], status) for one in WRITTEN.values() for status in one["responses"]}
    assert tour.seen == said


def test_the_document_that_is_served_is_the_file(hr):
    assert hr.get("/openapi.json").json() == CONTENT
