"""What is under way when a run is out of time, cancelled, or has failed elsewhere."""

import asyncio
import time

import pytest
from temporalio.client import WorkflowFailureError

from tests.compiled import plans_in
from tests.workflows.runs import begin, replayed, until

pytestmark = pytest.mark.server

LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
tools:
  look:
    python: look
    effect: read
    output: {found: {type: boolean}}
    retry: {attempts: 90, backoff: 300ms, max_backoff: 300ms}
  pay:
    python: pay
    effect: write
    idempotency: {argument: reference}
    output: {paid: {type: boolean}}
    ensures: [{that: result.paid}]
    retry: {attempts: 90, backoff: 300ms, max_backoff: 300ms}
    timeout: 20s
"""
HEAD = "apiVersion: interlock/v1\nkind: Procedure\nname: trip\nuses: [tools]\n"
SOON_S = 20.0


class Desk:
    """A service that fails, hangs, or takes a second, as `does` says."""

    def __init__(self, does):
        self.does, self.looked, self.paid = does, 0, []

    async def look(self):
        self.looked += 1
        return {"found": await self._answer()}

    async def pay(self, reference):
        self.paid.append(reference)
        return {"paid": await self._answer()}

    async def _answer(self):
        match self.does:
            case "fail":
                raise RuntimeError("broken")
            case "hang":
                await asyncio.sleep(60)
            case "last":
                await asyncio.sleep(1.5)
        return True

    @property
    def functions(self):
        return {"look": self.look, "pay": self.pay}


@pytest.fixture
def plans(tmp_path):
    def made(text):
        (tmp_path / "tools.yaml").write_text(LIBRARY)
        (tmp_path / "trip.yaml").write_text(HEAD + text)
        return tuple(plans_in(tmp_path).values())

    return made


def effects_in(record):
    """What the record says of the effects of `pay`."""
    return [call["effect"] for step in record["steps"] for call in step.get("calls", ()) if call["tool"] == "pay"]


async def failed(handle):
    with pytest.raises(WorkflowFailureError) as caught:
        await handle.result()
    return caught.value.cause


CAUGHT = """
steps:
  - {%s, timeout: 500ms, catch: [{errors: [timeout], do: [{end: {why: late}}]}]}
"""


@pytest.mark.parametrize("does", ["fail", "hang"])
@pytest.mark.parametrize(
    "step", ["call: look", "do: [{call: look}]", "for_each: {items: [1, 2], as: n, do: [{call: look}]}"]
)
async def test_a_time_out_ends_a_call_that_only_reads(stage, plans, does, step):
    desk, began = Desk(does), time.monotonic()
    async with stage.serving(*plans(CAUGHT % step), functions=desk.functions):
        handle = await begin(stage, "trip", {})
        assert await handle.result() == {"why": "late"}
        assert time.monotonic() - began < SOON_S
        looked = desk.looked
        await asyncio.sleep(0.5)
        assert desk.looked <= looked + 1
    await replayed(await handle.fetch_history())


async def test_a_time_out_begins_no_further_attempt_of_an_effect(stage, plans):
    desk = Desk("fail")
    async with stage.serving(*plans(CAUGHT % "call: pay"), functions=desk.functions):
        handle = await begin(stage, "trip", {})
        assert await handle.result() == {"why": "late"}
        tried, record = len(desk.paid), await handle.query("record")
        await asyncio.sleep(0.5)
        assert len(desk.paid) == tried < 30
    assert len(set(desk.paid)) == 1
    assert effects_in(record) == ["unknown"]
    await replayed(await handle.fetch_history())


async def test_an_effect_that_is_under_way_comes_to_its_end(stage, plans):
    desk = Desk("last")
    async with stage.serving(*plans(CAUGHT % "call: pay"), functions=desk.functions):
        handle = await begin(stage, "trip", {})
        assert await handle.result() == {}
        record = await handle.query("record")
    assert len(desk.paid) == 1
    assert effects_in(record) == ["happened"]
    await replayed(await handle.fetch_history())


@pytest.mark.parametrize("does", ["fail", "hang"])
async def test_a_deadline_ends_a_run_whose_call_only_reads(stage, plans, does):
    desk, began = Desk(does), time.monotonic()
    async with stage.serving(*plans("deadline: 1s\nsteps: [{call: look}]"), functions=desk.functions):
        handle = await begin(stage, "trip", {})
        cause = await failed(handle)
        assert time.monotonic() - began < SOON_S
    assert cause.details[0]["failure"]["kind"] == "timeout"
    await replayed(await handle.fetch_history())


@pytest.mark.parametrize("tool", ["look", "pay"])
async def test_who_is_cancelled_tries_no_more(stage, plans, tool):
    desk = Desk("fail")
    async with stage.serving(*plans(f"steps: [{{call: {tool}}}]"), functions=desk.functions):
        handle = await begin(stage, "trip", {})
        await until(lambda: asyncio.sleep(0, desk.looked + len(desk.paid)), lambda tried: tried > 2)
        began = time.monotonic()
        await handle.signal("cancel", {"by": "ann"})
        cause = await failed(handle)
        assert time.monotonic() - began < SOON_S
    assert (cause.type, cause.details[0]["status"]) == ("cancelled", "cancelled")
    assert cause.details[0]["leaves_effects"] is (tool == "pay")
    await replayed(await handle.fetch_history())


async def test_a_branch_that_fails_does_not_wait_for_what_another_looks_up(stage, plans):
    desk, began = Desk("hang"), time.monotonic()
    steps = "park: 0s\nsteps: [{parallel: {one: [{wait: 300ms}, {fail: 'No.'}], two: [{call: look}]}}]"
    async with stage.serving(*plans(steps), functions=desk.functions):
        handle = await begin(stage, "trip", {})
        cause = await failed(handle)
        assert time.monotonic() - began < SOON_S
    assert cause.details[0]["failure"]["message"] == "No."
    await replayed(await handle.fetch_history())


async def test_a_branch_that_fails_lets_an_effect_have_its_attempts(stage, plans):
    desk = Desk("fail")
    steps = "park: 0s\nsteps: [{parallel: {one: [{wait: 500ms}, {fail: 'No.'}], two: [{call: pay}]}}]"
    async with stage.serving(*plans(steps), functions=desk.functions):
        handle = await begin(stage, "trip", {})
        await asyncio.sleep(1.5)
        desk.does = ""
        cause, record = await failed(handle), await handle.query("record")
    assert cause.details[0]["failure"]["message"] == "No."
    assert effects_in(record) == ["happened"]
    await replayed(await handle.fetch_history())
