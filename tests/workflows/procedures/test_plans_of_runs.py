"""The plan that a run of a procedure goes by: checked with its children, waited for, and exchanged by a retry."""

import contextlib

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.service import RPCError

from interlock.contract import calls
from tests.workflows.booking import Desk
from tests.workflows.runs import begin, comes_to, until

pytestmark = pytest.mark.server


async def test_a_procedure_runs_another_under_the_plan_it_was_checked_against(stage, plans_of):
    desk = Desk()
    plans = plans_of(
        outer="""\
        steps: [{run: inner-one, with: {name: "007"}}]
        result: {booked: "{{ steps.inner_one.result.booked }}"}
        """,
        inner_one="""\
        input: {name: {type: string}}
        steps: [{call: book, with: {name: "{{ input.name }}"}}]
        result: {booked: "{{ cells.book.booked }}"}
        """,
    )
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "outer", {})
        assert await handle.result() == {"booked": "00007"}


TWO = """\
    steps:
      - {call: book, id: first, with: {name: first}}
      - {call: wire, id: second, with: {name: second}}
    result: {booked: "{{ steps.second.result.booked }}"}
    """


async def test_a_retry_takes_a_mended_plan_and_none_that_changes_what_is_done(stage, plans_of):
    desk = Desk()
    desk.only = {"first", "third"}
    old = plans_of(trip=TWO)
    wrong = plans_of(trip=TWO.replace("name: first", "name: other"))
    mended = plans_of(trip=TWO.replace("name: second", "name: third"))
    async with stage.serving(*old, functions=desk.functions):
        handle = await begin(stage, "trip", {})
        assert (await comes_to(handle, "failed"))["failure"]["step"] == "second"
    async with stage.serving(*wrong, functions=desk.functions):
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("retry", {"plan": "latest", "resolved": {"second": "did_not_happen"}})
        assert refused.value.cause.type == "plan_changes_finished_steps"
        status = await handle.query("status")
        assert (status["status"], status["digest"]) == ("failed", old[0].digest)
    async with stage.serving(*mended, functions=desk.functions):
        with pytest.raises(WorkflowUpdateFailedError):
            await handle.execute_update("retry", {"plan": "latest", "resolved": {"nothing": "happened"}})
        assert (await handle.query("status"))["digest"] == old[0].digest
        await handle.execute_update("retry", {"plan": "latest", "resolved": {"second": "did_not_happen"}})
        assert await handle.result() == {"booked": "00third"}
    assert [name for _, name, _ in desk.calls if name in desk.only] == ["first", "third"]


async def test_a_retry_under_a_plan_that_nobody_knows_is_refused_by_its_type(stage, plans_of):
    desk = Desk()
    desk.only = set()
    plans = plans_of(trip=TWO)
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "trip", {})
        await comes_to(handle, "failed")
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("retry", {"plan": "0" * 64})
        assert refused.value.cause.type == calls.UNKNOWN_DIGEST
        status = await handle.query("status")
        assert (status["status"], status["digest"]) == ("failed", plans[0].digest)


async def is_asked(handle):
    """Whether there is such a run, and it asks all workers for its plan."""
    with contextlib.suppress(RPCError):
        history = await handle.fetch_history()
        return any(event.HasField("activity_task_scheduled_event_attributes") for event in history.events)
    return False


async def test_a_child_waits_for_a_worker_that_knows_its_plan(stage, plans_of):
    desk = Desk()
    plans = plans_of(
        outer="steps: [{wait: 1s}, {run: inner-one}]\n", inner_one="steps: [{call: book, with: {name: a}}]\n"
    )
    later = plans_of(inner_one="steps: [{call: book, with: {name: changed}}]\n")
    outer = next(plan for plan in plans if plan.name == "outer")
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "outer", {})
        await comes_to(handle, "running")
    async with stage.serving(outer, *(plan for plan in later if plan.name != "outer"), functions=desk.functions):
        child = (await stage.plain()).get_workflow_handle(f"{handle.id}/inner_one")
        await until(lambda: is_asked(child))
        assert (await child.query("status"))["status"] == "opening"
        assert desk.calls == []
    async with stage.serving(*plans, functions=desk.functions):
        await handle.result()
    assert [call[:2] for call in desk.calls] == [("book", "a")]
