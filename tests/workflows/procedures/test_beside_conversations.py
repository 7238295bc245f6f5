"""Procedures and conversations: one runs the other, goes on meanwhile, and hears of its end."""

import pytest
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError

from interlock.client import Interlock
from interlock_workflows.lasting import TURNS_PER_RUN
from tests.workflows.booking import Desk
from tests.workflows.runs import begin, heard, replayed

pytestmark = pytest.mark.server


async def test_a_conversation_and_a_procedure_refuse_what_is_for_the_other(stage, plans_of, support, s1):
    plans = plans_of(trip="steps: [{wait: 1d}]\n")
    async with stage.serving(*plans, support()):
        handle = await begin(stage, "trip", {})
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("message", {"id": "1", "text": "x"})
        assert refused.value.cause.type == "wrong_kind"
        await handle.signal("cancel", {"by": "ann"})
        with pytest.raises(WorkflowFailureError):
            await handle.result()


AGENT = """
apiVersion: interlock/v1
kind: Agent
name: desk
slots: {number: {patterns: ['T[0-9]{4}'], ask: Which number?}}
intents: {book: {keywords: [book]}}
mounts: [{run: trip}]
routes: [{when: intents.book, flow: book}, {flow: rest}]
flows:
  book:
    - run: trip
      with: {number: "{{ slots.number }}"}
      waiting: On it.
    - reply: "Booked {{ steps.trip.result.booked }}."
  rest: [{reply: Hello.}]
"""


async def test_a_conversation_goes_on_while_a_procedure_runs_and_hears_of_its_end(stage, plans_of, tmp_path, s1):
    desk = Desk()
    (tmp_path / "agent.yaml").write_text(AGENT)
    plans = plans_of(
        trip="""\
        input: {number: {type: string}}
        events: {go: {by: {type: string}}}
        steps:
          - receive: go
          - {call: book, with: {name: "{{ input.number }}"}}
        result: {booked: "{{ cells.book.booked }}"}
        """
    )
    async with stage.serving(*plans, functions=desk.functions):
        talk = Interlock(await stage.plain(), task_queue=stage.queue)
        queued = await talk.send("desk", s1, "book T1234", user={"id": "ann"})
        assert (queued["outcome"], queued["text"]) == ("queued", "On it.")
        assert (await talk.send("desk", s1, "hi", user={"id": "ann"}))["text"] == "Hello."
        (running,) = (await talk.status("desk", s1))["procedures"]
        child = (await stage.plain()).get_workflow_handle(f"desk:{s1}/{running['run']}")
        await child.execute_update("event", {"id": "1", "name": "go", "data": {"by": "bo"}})
        said = await heard(talk, s1)
        assert [one["text"] for one in said] == ["Booked 00T1234."]
        assert (await talk.status("desk", s1))["procedures"] == []
        record = await talk.record("desk", s1, 3)
        assert record["outcome"] == "answer"
        session = (await stage.plain()).get_workflow_handle(f"desk:{s1}")
        histories = [await one.fetch_history() for one in (session, child)]
    await replayed(*histories)


SPOKEN = """
apiVersion: interlock/v1
kind: Agent
name: desk
languages: [en, zh]
intents: {book: {keywords: [book, 预订]}}
mounts: [{run: outer-one}]
routes: [{when: intents.book, flow: book}, {flow: rest}]
flows:
  book:
    - run: outer-one
      catch: [{do: [{reply: "{{ error.message }}"}]}]
    - reply: {en: Done., zh: 好了。}
  rest: [{reply: {en: Hello., zh: 你好。}}]
"""


@pytest.mark.parametrize(("text", "answer"), [("book", "It is full.\n\nDone."), ("预订", "已满。\n\n好了。")])
async def test_a_procedure_speaks_as_the_turn_that_runs_it(stage, plans_of, tmp_path, s1, text, answer):
    (tmp_path / "agent.yaml").write_text(SPOKEN)
    plans = plans_of(
        outer_one="languages: [en, zh]\npark: 0s\nsteps: [{run: inner-one}]\n",
        inner_one="languages: [zh, en]\nsteps: [{wait: 10ms}, {fail: {en: It is full., zh: 已满。}}]\n",
    )
    async with stage.serving(*plans):
        talk = Interlock(await stage.plain(), task_queue=stage.queue)
        assert (await talk.send("desk", s1, text, user={"id": "ann"}))["outcome"] == "queued"
        assert [one["text"] for one in await heard(talk, s1)] == [answer]
        handle = await begin(stage, "inner-one", {})
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
        assert failure.value.cause.message == "已满。"


async def test_a_session_that_goes_on_in_a_new_run_waits_for_its_procedure_first(stage, plans_of, tmp_path, s1):
    (tmp_path / "agent.yaml").write_text(AGENT)
    plans = plans_of(
        trip="""\
        input: {number: {type: string}}
        events: {go: {by: {type: string}}}
        steps: [{receive: go}]
        result: {booked: "{{ input.number }}"}
        """
    )
    async with stage.serving(*plans):
        talk = Interlock(await stage.plain(), task_queue=stage.queue)
        await talk.send("desk", s1, "book T1234", user={"id": "ann"})
        (running,) = (await talk.status("desk", s1))["procedures"]
        for _ in range(TURNS_PER_RUN + 5):
            await talk.send("desk", s1, "hi", user={"id": "ann"})
        assert (await talk.status("desk", s1))["previous_run"] is None
        child = (await stage.plain()).get_workflow_handle(f"desk:{s1}/{running['run']}")
        await child.execute_update("event", {"id": "1", "name": "go", "data": {"by": "bo"}})
        assert [one["text"] for one in await heard(talk, s1)] == ["Booked T1234."]
        assert (await talk.send("desk", s1, "hi", user={"id": "ann"}))["text"] == "Hello."
        assert (await talk.status("desk", s1))["previous_run"] is not None
