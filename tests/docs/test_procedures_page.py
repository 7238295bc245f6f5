"""The page on the contract of procedures against real runs, by a plain Temporal client."""

import asyncio
import json
import re
import threading
from pathlib import Path

import pytest
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError

from demo.hr.server import serve as hr_service
from interlock.client import connect
from interlock.compiler import compile_folder
from interlock.contract import calls
from interlock.interpreter.work import loops, state
from interlock_activities.settings import Settings
from interlock_workflows import inbound, procedure
from tests.docs.served import served
from tests.workflows.runs import waits_for

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "procedures.md"
TEXT = PAGE.read_text(encoding="utf-8")
START = {"pay_group_id": "PG-000107", "month": "2026-11", "requested_by": "kim"}
EVENT = {"id": "e-1", "name": "warnings_accepted", "data": {"by": "ann"}}
CODE = re.compile(r"`([a-z_]+)`")


@pytest.fixture(scope="module")
def shown(pages):
    """The examples of the page, by name."""
    blocks = pages.blocks_of(PAGE)
    return {block.says["example"]: json.loads(block.text) for block in blocks if "example" in block.says}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What real runs of the payroll bundle answer, by the names of the page's examples."""
    service = hr_service(tmp_path_factory.mktemp("hr") / "hr.db", token="t")
    threading.Thread(target=service.serve_forever, daemon=True).start()
    service.service.order({"path": "/ledger/entries", "method": "POST", "mode": "fail", "skip": 1})
    try:
        return asyncio.run(_asked(f"http://127.0.0.1:{service.server_port}"))
    finally:
        service.shutdown()
        service.server_close()


def _served(url):
    plans = compile_folder(ROOT / "specs" / "payroll").plans
    environment = {"HR_API": url, "HR_TOKEN": "t"}
    return served(Settings(tuple(plans.values()), env=environment, secrets=environment))


async def _asked(url):
    async with _served(url) as address:
        client = await connect(address)
        found = {"start": START, "event": EVENT, "retry": {"by": "ann", "resolved": {"pay": "did_not_happen"}}}
        run = await client.start_workflow("payroll-run", START, id="november", task_queue="interlock")
        await waits_for(run, "event")
        found["status"] = await run.query("status")
        found["steps"] = (await run.query("steps"))[:3]
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await run.execute_update("retry", {"by": "ann"})
        found["refused"] = refused.value.cause.details[0]
        await run.execute_update("event", EVENT, id="e-1")
        found["result"] = await run.result()
        found["records"] = await run.query("records", 0)
        found["plan"] = await run.query("plan")
        child = client.get_workflow_handle("november/post_to_ledger")
        status = await child.query("status")
        assert (status["spec"], status["status"]) == ("post-to-ledger", "done")
        found["child"] = (await child.query("record"))["steps"]
        found["ended"] = await _ended(client)
        return found


async def _ended(client):
    given = {**START, "month": "2026-12"}
    run = await client.start_workflow("payroll-run", given, id="december", task_queue="interlock")
    await waits_for(run, "event")
    await run.signal("event", EVENT)
    with pytest.raises(WorkflowFailureError) as failed:
        await run.result()
    assert failed.value.cause.type == procedure.FAILED
    return failed.value.cause.details[0]


def shape(value):
    """Keys and types of a value, whatever it says."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    return [shape(part) for part in value] if isinstance(value, list) else type(value).__name__


def test_every_example_has_the_shape_of_what_a_run_says(shown, answers):
    assert shown.keys() == answers.keys() - {"records", "child"} | {"record", "source"}
    for name, example in shown.items():
        if name not in ("record", "source"):
            assert shape(example) == shape(answers[name]), name


def test_the_words_of_the_examples_are_what_a_run_says(shown, answers):
    for name in ("refused", "steps"):
        assert shown[name] == answers[name], name
    assert shown["status"]["waiting"][0] == answers["status"]["waiting"][0]


def test_the_record_of_a_step_is_as_shown_and_each_of_its_keys_is_explained(shown, answers):
    steps = {one["step"]: one for one in answers["records"]["records"] if "step" in one}
    assert shape(shown["record"]) == shape(steps["import_template"])
    section = TEXT[TEXT.index("## Records") : TEXT.index("## Errors")]
    explained = set(CODE.findall(section))
    keys = {key for one in answers["records"]["records"] for key in one}
    calls = {key for one in steps.values() for call in one["calls"] for key in call}
    assert keys | calls <= explained


def test_what_the_ledger_is_told_leads_to_the_receipt_of_who_said_so(shown, answers):
    records = answers["records"]["records"]
    steps = {one["step"]: one for one in records if "step" in one}
    handed = steps["post_to_ledger"]
    assert shape(handed["sources"]["total"]) == shape(shown["source"])
    (end,) = handed["sources"]["total"]["made_of"]
    assert end == {"source": "cells.get_payrun.total", "receipt": steps["get_payrun"]["calls"][-1]["receipt"]}
    (call,) = answers["child"][0]["calls"]
    assert call["arguments"]["total"] == handed["arguments"]["total"]
    given_by = {"run": "november", "step": "post_to_ledger"}
    assert call["sources"]["total"] == {"source": "input.total", "given_by": given_by}


def test_every_typed_error_of_a_run_is_on_the_page():
    errors = TEXT[TEXT.index("## Errors") : TEXT.index("## Limits")]
    listed = {CODE.findall(line)[0] for line in errors.splitlines() if line.startswith("| `")}
    assert listed == {
        inbound.MALFORMED,
        inbound.INVALID_MESSAGE,
        inbound.DRAINING,
        inbound.UNKNOWN_NAME,
        inbound.WRONG_KIND,
        inbound.CANCELLED,
        procedure.FAILED,
        "wrong_plan",
        "plan_changes_finished_steps",
        calls.UNKNOWN_SPEC,
        calls.UNKNOWN_DIGEST,
        "plan_unreadable",
        procedure.STATE_TOO_LARGE,
    }


def test_the_limits_are_those_of_the_code():
    section = TEXT[TEXT.index("## Limits") :]
    for number in (loops.MOST_ITEMS, state.EVENTS_KEPT, state.RECORDS_KEPT):
        assert f"{number:,}" in section
    assert f"{state.MAILBOX_BYTES // 1024} KiB" in section
