"""A model is being asked while workers die or stop, time runs out, and people take over, close and cancel."""

import asyncio
import time
import uuid
from datetime import timedelta

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import CancelledError

from tests.workflows.models.desk import (
    AWAY,
    SOON,
    asked_of,
    attempts_in,
    clever,
    dripping,
    history_of,
    never,
    said,
    slow_at_first,
    turn_of,
    written,
)
from tests.workflows.runs import replayed, until

pytestmark = pytest.mark.server


async def test_a_worker_killed_while_the_model_is_asked_is_replaced_and_the_turn_goes_on(
    stage, serve, desk, tmp_path, s1
):
    model = serve(handler=slow_at_first(120))
    plan = desk("60s")
    (tmp_path / "plans").write_text(plan.canonical())
    talk = await stage.talk()
    async with stage.process(tmp_path / "plans") as worker:
        turn = asyncio.create_task(turn_of(talk, s1, "hello"))
        assert await asyncio.to_thread(model.arrived.wait, 20)
        killed = time.monotonic()
        worker.kill()
        async with stage.serving(plan):
            reply, record = await turn
            history = await history_of(talk, s1)
    assert (reply["outcome"], reply["turn"], reply["text"]) == ("answer", 1, "Good day.")
    assert record["generations"][0]["attempts"] == 2
    assert len(model.seen) == 2
    assert time.monotonic() - killed < 40  # before the time-out of the model: the loss was noticed
    await replayed(history)


async def test_a_worker_that_stops_lets_the_model_finish(stage, serve, desk, s1):
    model = serve(handler=slow_at_first(1))
    talk = await stage.talk()
    async with stage.serving(desk(), graceful_shutdown_timeout=timedelta(seconds=10)):
        turn = asyncio.create_task(turn_of(talk, s1, "hello"))
        assert await asyncio.to_thread(model.arrived.wait, 20)
    async with stage.serving(desk()):
        reply, record = await turn
        await replayed(await history_of(talk, s1))
    assert reply["text"] == "Good day."
    assert record["generations"][0]["attempts"] == 1
    assert len(model.seen) == 1


async def test_a_model_slower_than_its_time_out_is_left_each_time_and_the_turn_degrades(stage, serve, desk, s1):
    left = []

    async def answer(request, writer):
        began = time.monotonic()
        try:
            if b"drop" in request.body:
                await dripping(writer)
            await asyncio.sleep(60)
        finally:
            left.append(time.monotonic() - began)

    async def is_left():
        return len(left) == len(model.seen)

    model = serve(handler=answer)
    async with stage.serving(desk("500ms")):
        talk = await stage.talk()
        texts = {s1: "hello"} | {f"{s1}-{number}": "drop by drop" for number in range(6)}
        turns = await asyncio.gather(*(turn_of(talk, session, text) for session, text in texts.items()))
        await until(is_left)  # while the worker still works
        histories = [await history_of(talk, session) for session in texts]
    for (reply, record), history in zip(turns, histories, strict=True):
        assert (reply["outcome"], reply["text"]) == ("degraded", AWAY)
        assert "no whole answer within 500 ms" in record["generations"][0]["error"]
        assert attempts_in(history) == record["generations"][0]["attempts"] == 3
    assert len(left) >= len(texts)
    assert max(left) < 6, left  # it was hung up on
    await replayed(*histories)


@pytest.mark.parametrize(("event", "outcome"), [("takeover", "handed_off"), ("close", "closed")])
async def test_what_a_model_writes_is_not_said_once_a_person_has_acted(stage, serve, desk, s1, event, outcome):
    go_on = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def answer(_request, writer):
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(go_on.wait(), loop))
        await written(writer, said())

    model = serve(handler=answer)
    async with stage.serving(desk()):
        talk = await stage.talk()
        turn = asyncio.create_task(talk.send("desk", s1, "hello", user={"id": "u1"}))
        assert await asyncio.to_thread(model.arrived.wait, 20)
        await getattr(talk, event)("desk", s1, by="ann")
        go_on.set()
        reply = await turn
        history = await history_of(talk, s1)
    assert reply["outcome"] == outcome
    assert "Good day." not in reply["text"]
    await replayed(history)


async def test_a_cancelled_session_still_answers_what_its_model_was_asked(stage, serve, desk, s1):
    model = serve(handler=slow_at_first(1))
    async with stage.serving(desk()):
        talk = await stage.talk()
        turn = asyncio.create_task(talk.send("desk", s1, "hello", user={"id": "u1"}))
        assert await asyncio.to_thread(model.arrived.wait, 20)
        handle = talk.client.get_workflow_handle(f"desk:{s1}")
        await handle.cancel()
        assert (await turn)["text"] == "Good day."
        with pytest.raises(WorkflowFailureError) as ended:
            await handle.result()
        await replayed(await history_of(talk, s1))
    assert isinstance(ended.value.cause, CancelledError)
    assert len(model.seen) == 1


async def test_a_single_answer_that_is_cancelled_ends_as_cancelled_and_leaves_the_model(stage, serve, desk):
    model = serve(handler=never)
    async with stage.serving(desk(), max_heartbeat_throttle_interval=SOON):
        talk = await stage.talk()
        start = {"user": {"id": "u1"}, "message": {"id": "m1", "text": "what do the notes say?"}}
        handle = await talk.client.start_workflow("desk", start, id=uuid.uuid4().hex, task_queue=stage.queue)
        assert await asyncio.to_thread(model.arrived.wait, 20)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError) as ended:
            await handle.result()
        assert isinstance(ended.value.cause, CancelledError)
        assert await asyncio.to_thread(model.hung_up.wait, 10)
        history = await handle.fetch_history()
    assert [one["model"] for one in asked_of(model)] == ["tiny"]  # nothing came after the choice
    await replayed(history)


async def test_a_single_answer_cancelled_while_a_tool_works_ends_as_cancelled_and_nothing_is_written(
    stage, serve, desk, monkeypatch
):
    model = serve(handler=clever)
    notes = serve.start(handler=never)
    monkeypatch.setenv("NOTES_URL", f"http://127.0.0.1:{notes.port}")
    async with stage.serving(desk(), max_heartbeat_throttle_interval=SOON):
        talk = await stage.talk()
        start = {"user": {"id": "u1"}, "message": {"id": "m1", "text": "do the notes speak of fog?"}}
        handle = await talk.client.start_workflow("desk", start, id=uuid.uuid4().hex, task_queue=stage.queue)
        assert await asyncio.to_thread(notes.arrived.wait, 20)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError) as ended:
            await handle.result()
        history = await handle.fetch_history()
    assert isinstance(ended.value.cause, CancelledError)
    assert [one["model"] for one in asked_of(model)] == ["tiny", "tiny"]  # nobody was asked to write
    await replayed(history)
