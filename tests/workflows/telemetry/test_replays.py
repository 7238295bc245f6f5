"""Nothing is traced twice: not when a run is replayed, not when a worker takes a turn over from another."""

import asyncio
import uuid
from datetime import timedelta

import pytest
from temporalio.worker import Replayer

from interlock_workflows.plugin import interlock_plugin

pytestmark = pytest.mark.server

SOON = timedelta(milliseconds=250)


async def history_of(talk, session):
    return await talk.client.get_workflow_handle(f"support:{session}").fetch_history()


async def test_runs_that_are_thrown_out_of_memory_trace_each_turn_once(stage, support, traces, seen, user):
    sessions = [uuid.uuid4().hex for _ in range(5)]
    async with stage.serving(support(), traces=traces, max_cached_workflows=2):
        talk = await stage.talk()
        for round_ in range(3):
            await asyncio.gather(
                *(talk.send("support", one, f"track T123{round_}", user=user, timeout=90) for one in sessions)
            )
    assert seen.trees() == [{"message": [{"turn": ["argument-verification", "tool-call"]}]}] * 15


async def test_a_turn_that_another_worker_ends_is_one_span_with_what_both_did_in_it(
    stage, support, traces, seen, s1, user
):
    begun, going = asyncio.Event(), asyncio.Event()

    async def track(number):
        begun.set()
        await going.wait()
        return {"place": number}

    words = {"functions": {"track": track}, "traces": traces, "sticky_queue_schedule_to_start_timeout": SOON}
    async with stage.serving(support(), **words):
        talk = await stage.talk()
        sent = asyncio.create_task(talk.send("support", s1, "track T1234", user=user, timeout=60))
        await asyncio.wait_for(begun.wait(), 20)
    going.set()
    async with stage.serving(support(), **words):
        reply = await sent
    assert reply["outcome"] == "answer"
    assert seen.trees() == [{"message": [{"turn": ["argument-verification", "tool-call", "tool-call"]}]}]
    first, second = seen.named("tool-call")
    assert "error.type" in first.attributes
    assert second.attributes["interlock.attempt"] == 2


async def test_a_replay_of_whole_histories_exports_nothing(stage, support, traces, seen, s1, user):
    async with stage.serving(support(), traces=traces):
        talk = await stage.talk()
        await talk.send("support", s1, "track T1234", user=user)
        await talk.send("support", s1, "hello", user=user)
        history = await history_of(talk, s1)
    seen.exporter.clear()
    replayer = Replayer(workflows=[], plugins=[interlock_plugin(traces=traces)])
    assert (await replayer.replay_workflow(history)).replay_failure is None
    assert seen.all() == []


async def test_a_history_from_before_tracing_goes_on_under_it_and_one_with_traces_without(
    stage, support, traces, seen, s1, s2, user
):
    async with stage.serving(support()):
        await (await stage.talk()).send("support", s1, "track T1234", user=user)
    async with stage.serving(support(), traces=traces, sticky_queue_schedule_to_start_timeout=SOON):
        talk = await stage.talk()
        await talk.send("support", s1, "track T1235", user=user, timeout=60)
        await talk.send("support", s2, "track T1236", user=user, timeout=60)
    async with stage.serving(support()):
        assert (await talk.send("support", s2, "hello", user=user, timeout=60))["text"] == "echo hello"
    assert len(seen.named("turn")) == 2
