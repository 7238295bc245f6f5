"""What a service hears of a run that Temporal itself has ended, which the run could not say."""

from datetime import timedelta

import pytest

from interlock.client.errors import RejectedError
from interlock.client.procedures import Procedures, followed
from interlock.client.reading import records_of
from tests.compiled import plans_in
from tests.workflows.runs import begin, waits_for

pytestmark = pytest.mark.server

WAITS = """
apiVersion: interlock/v1
kind: Procedure
name: waits
events: {go: {by: {type: string}}}
steps: [{wait: 1ms}, {receive: go}]
"""


@pytest.fixture
def plans(tmp_path):
    (tmp_path / "waits.yaml").write_text(WAITS)
    return tuple(plans_in(tmp_path).values())


async def begun(stage, **how):
    """A desk, and the id of a run that waits."""
    desk = Procedures(await stage.plain(), task_queue=stage.queue)
    handle = await begin(stage, "waits", {}, **how)
    await waits_for(handle, "event")
    return desk, handle.id


async def kind_of_end(desk, run):
    with pytest.raises(RejectedError) as ended:
        await desk.result(run)
    return ended.value.kind, str(ended.value)


async def test_a_terminated_run_is_not_called_cancelled(stage, plans):
    async with stage.serving(*plans):
        desk, run = await begun(stage)
        await desk.client.get_workflow_handle(run).terminate(reason="enough")
        kind, said = await kind_of_end(desk, run)
        assert kind == "terminated"
        assert "enough" in said
        status = await desk.status(run)
        assert (status["status"], status["running"][0]["step"]) == ("terminated", "go")
        records = [record async for record in records_of(desk.client, stage.queue, run)]
        assert [one.get("event", one.get("step")) for one in records] == ["wait", "terminated"]
        assert records[-1]["at_ms"] >= records[0]["ended_ms"]
        with pytest.raises(RejectedError, match="it was terminated"):
            await desk.event(run, "go", {"by": "ann"})


async def test_a_run_whose_time_is_over_for_temporal_has_timed_out(stage, plans):
    async with stage.serving(*plans):
        desk, run = await begun(stage, execution_timeout=timedelta(seconds=2))
        statuses = [status async for status, _ in followed(desk, run)]
        assert [one["status"] for one in (statuses[0], statuses[-1])] == ["running", "timed_out"]
        assert (await kind_of_end(desk, run))[0] == "timed_out"
        with pytest.raises(RejectedError, match="it has timed out"):
            await desk.retry(run)


async def test_a_cancelled_run_is_called_cancelled_whoever_cancelled_it(stage, plans):
    async with stage.serving(*plans):
        desk, run = await begun(stage)
        await desk.cancel(run, by="ann")
        assert (await kind_of_end(desk, run))[0] == "cancelled"
        assert (await desk.status(run))["status"] == "cancelled"
        desk, run = await begun(stage)
        await desk.client.get_workflow_handle(run).cancel()
        assert (await kind_of_end(desk, run))[0] == "cancelled"
        assert (await desk.status(run))["status"] == "cancelled"
        records = [record async for record in records_of(desk.client, stage.queue, run)]
        assert records[-1]["event"] == "cancelled"


async def test_a_session_is_told_apart_too(stage, support, user, s1):
    async with stage.serving(support()):
        talk = await stage.talk()
        await talk.send("support", s1, "hi", user=user)
        await talk.client.get_workflow_handle(f"support:{s1}").terminate()
        records = [record async for record in records_of(talk.client, stage.queue, f"support:{s1}")]
        assert [one.get("turn", one.get("event")) for one in records] == [1, "terminated"]
