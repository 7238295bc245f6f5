"""A procedure asks a model over HTTP on a real Temporal server: one activity a question, and a step like any other."""

import asyncio
import json

import pytest
from temporalio.client import WorkflowFailureError

from tests.activities.models import services
from tests.activities.wire import raw
from tests.compiled import plans_in
from tests.workflows.models.desk import SECRET, asked_of, bytes_of, never, written
from tests.workflows.runs import begin, comes_to, replayed, waits_for

pytestmark = pytest.mark.server

LETTERS = """
apiVersion: interlock/v1
kind: Procedure
name: letters
languages: [zh]
servers: {llm: {openai: "{{ env.LLM_URL }}", auth: {bearer: "{{ secrets.LLM_KEY }}"}}}
models: {general: {model: small, timeout: 2s}}
input: {letters: {type: list, items: {type: string}}}
steps:
  - id: each
    for_each:
      items: "{{ input.letters }}"
      as: letter
      max_parallel: 4
      do:
        - id: sorted
          generate: auto
          with: {letter: "{{ letter }}"}
          output: {kind: {type: string, enum: [order, other]}}
result: {count: "{{ input.letters | length }}"}
"""


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "letters.yaml").write_text(LETTERS, encoding="utf-8")
    return plans_in(tmp_path)["letters"]


def filled(kind):
    return raw(body=services.openai(json.dumps({"kind": kind})))


async def test_every_item_is_one_question_and_the_run_replays(stage, serve, plan):
    async def answer(request, writer):
        asked = json.loads(request.body)
        await written(writer, filled("order" if "鞋" in asked["messages"][-1]["content"] else "other"))

    wire = serve(handler=answer)
    async with stage.serving(plan):
        handle = await begin(stage, "letters", {"letters": ["我要买鞋", "你好", "鞋呢"]})
        assert await handle.result() == {"count": 3}
        steps = (await handle.query("record"))["steps"]
        history = await handle.fetch_history()
    assert len(asked_of(wire)) == 3
    for asked in asked_of(wire):
        assert asked["response_format"]["json_schema"]["schema"]["properties"]["kind"]["enum"] == ["order", "other"]
        assert "Chinese" in asked["messages"][0]["content"]
    assert [len(one["models"]) for one in steps if one.get("action") == "generate"] == [1, 1, 1]
    started = [event for event in history.events if event.HasField("activity_task_scheduled_event_attributes")]
    assert [one.activity_task_scheduled_event_attributes.activity_type.name for one in started] == ["generate"] * 3
    assert SECRET.encode() not in bytes_of(history)
    await replayed(history)


async def test_what_no_model_has_filled_in_stands_still_until_it_is_tried_again(stage, serve, plan):
    answers = [raw(status=401, body={"error": {"message": "no"}})]

    async def answer(_request, writer):
        await written(writer, answers[-1])

    wire = serve(handler=answer)
    async with stage.serving(plan):
        handle = await begin(stage, "letters", {"letters": ["x"]})
        status = await comes_to(handle, "failed")
        assert (status["failure"]["kind"], status["failure"]["step"]) == ("model", "each[1]/sorted")
        assert len(wire.seen) == 1
        answers.append(filled("other"))
        await handle.execute_update("retry", {"by": "ann"})
        assert await handle.result() == {"count": 1}


async def test_a_run_that_waits_for_a_model_says_so_and_can_be_cancelled(stage, serve, plan):
    serve(handler=never)
    async with stage.serving(plan):
        handle = await begin(stage, "letters", {"letters": ["x"]})
        status = await waits_for(handle, "model")
        assert status["waiting"] == [{"for": "model", "role": "general", "step": "sorted"}]
        await handle.signal("cancel", {"by": "ann"})
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(handle.result(), 30)
        assert (await handle.query("status"))["status"] == "cancelled"
