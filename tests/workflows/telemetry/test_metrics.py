"""What Prometheus reads at a worker: turns, calls, models, gates and times, each counted once, and nobody's words."""

import asyncio
import re
import urllib.request
import uuid
from datetime import timedelta

import click
import pytest
from temporalio.runtime import Runtime

from interlock.cli.server import free_port
from interlock.cli.serving import environment, serve_plans
from interlock.client import connect
from interlock.client.procedures import Procedures
from interlock.telemetry.measuring import runtime_from
from interlock_activities.settings import Settings
from tests.workflows.telemetry.test_traces import CHOOSING, PROCEDURE, SCRIPT, TOOLS, reserve

pytestmark = pytest.mark.server

SAMPLE = re.compile(r"^(\w+)\{(.*)\} (\S+)$", re.MULTILINE)


class Metrics:
    """A runtime whose metrics are read over HTTP."""

    def __init__(self):
        self.port = free_port()
        self.runtime = runtime_from({"INTERLOCK_METRICS": str(self.port)})

    async def text(self):
        url = f"http://127.0.0.1:{self.port}/metrics"
        return await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=5).read().decode())

    async def of(self, name, *labels):
        """Values of a metric by these labels."""
        found = {}
        for metric, said, value in SAMPLE.findall(await self.text()):
            if metric == name:
                known = dict(re.findall(r'(\w+)="([^"]*)"', said))
                key = tuple(known[label] for label in labels)
                found[key] = found.get(key, 0) + float(value)
        return found


@pytest.fixture
def metrics():
    return Metrics()


async def test_turns_calls_models_and_gates_are_counted_and_timed(stage, compiled, metrics, s1, s2, user):
    plans = compiled(desk=CHOOSING)
    async with stage.serving(*plans.values(), functions=TOOLS, models=SCRIPT, runtime=metrics.runtime):
        talk = await stage.talk()
        await talk.send("desk", s1, "the topic", user=user)
        await talk.send("desk", s2, "track T1234", user=user)
        text = await metrics.text()
    assert await metrics.of("interlock_turns_total", "workflow_type", "outcome") == {("desk", "answer"): 2}
    calls = await metrics.of("interlock_calls_total", "tool", "result")
    assert calls == {("search", "success"): 1, ("track", "success"): 1}
    assert await metrics.of("interlock_gate_verdicts_total", "gate", "verdict") == {("pre-generation-gate", "go"): 1}
    models = await metrics.of("interlock_model_calls_total", "role", "model", "result")
    assert models == {("tool_call", "tiny", "stop"): 2, ("general", "small", "stop"): 2}
    tokens = await metrics.of("interlock_model_tokens_total", "role", "direction")
    assert tokens["general", "output"] == 6
    assert tokens["general", "input"] > 100
    assert await metrics.of("interlock_turn_duration_seconds_count", "outcome") == {("answer",): 2}
    assert await metrics.of("interlock_model_duration_seconds_count", "role") == {("tool_call",): 2, ("general",): 2}
    attempts = await metrics.of("interlock_call_attempt_duration_seconds_count", "tool", "result")
    assert attempts == {("search", "returned"): 1, ("track", "returned"): 1}
    assert "interlock_turn_duration_seconds_bucket" in text
    assert "temporal_workflow_task_execution_latency_seconds" in text
    assert [word for word in ("T1234", "topic", "Fog", s1, s2) if word in text] == []


async def test_what_fails_is_told_by_its_kind(stage, support, metrics, s1, user):
    async def lost(number):
        raise OSError(f"{number} is lost")

    async with stage.serving(support(), functions={"track": lost}, runtime=metrics.runtime):
        talk = await stage.talk()
        await talk.send("support", s1, "track T1234", user=user)
        await talk.send("support", s1, "hello", user=user, type="form")
        text = await metrics.text()
    assert await metrics.of("interlock_calls_total", "tool", "result") == {("track", "error"): 1}
    attempts = await metrics.of("interlock_call_attempt_duration_seconds_count", "tool", "result")
    assert attempts == {("track", "tool_error"): 3}
    assert await metrics.of("interlock_gate_verdicts_total", "gate", "verdict") == {("form", "reply"): 1}
    assert "lost" not in text


async def test_a_replay_counts_nothing_again(stage, support, metrics, user):
    sessions = [uuid.uuid4().hex for _ in range(5)]
    async with stage.serving(support(), runtime=metrics.runtime, max_cached_workflows=2):
        talk = await stage.talk()
        for round_ in range(3):
            await asyncio.gather(
                *(talk.send("support", one, f"track T123{round_}", user=user, timeout=90) for one in sessions)
            )
    assert sum((await metrics.of("interlock_turns_total")).values()) == 15
    assert sum((await metrics.of("interlock_calls_total")).values()) == 15
    assert sum((await metrics.of("temporal_sticky_cache_total_forced_eviction_total")).values()) > 0


async def test_runs_of_procedures_and_their_calls_are_counted(stage, compiled, metrics):
    plans = compiled(book=PROCEDURE)
    async with stage.serving(*plans.values(), functions={"reserve": reserve}, runtime=metrics.runtime):
        desk = Procedures(await connect(stage.address), task_queue=stage.queue)
        await desk.result(await desk.start("book", {"name": "N1"}, id=uuid.uuid4().hex))
    assert await metrics.of("interlock_procedures_total", "workflow_type", "outcome") == {("book", "done"): 1}
    assert await metrics.of("interlock_calls_total", "tool", "result") == {("reserve", "success"): 2}


async def test_a_message_that_comes_again_is_not_counted_as_a_turn(stage, support, metrics, s1, user):
    async with stage.serving(support(), runtime=metrics.runtime):
        talk, client = await stage.talk(), await stage.plain()
        await talk.send("support", s1, "hello", user=user, id="m1")
        handle = client.get_workflow_handle(f"support:{s1}")
        for text in ("hello", "other words"):
            body = {"id": "m1", "role": "user", "type": "user_chat", "text": text, "metadata": {}}
            await handle.execute_update("message", body, id=text)
    assert await metrics.of("interlock_turns_total", "outcome") == {("answer",): 1, ("repeated",): 2}


@pytest.mark.parametrize("shown", ["127.0.0.1:{}", "localhost:{}", ":{}", "{}"])
def test_metrics_are_served_at_the_address_that_the_setting_names(shown):
    port = free_port()
    serving = runtime_from({"INTERLOCK_METRICS": shown.format(port)})
    assert isinstance(serving, Runtime)
    assert urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).status == 200
    assert runtime_from({}) is None


@pytest.mark.parametrize("wrong", ["nowhere", "127.0.0.1:", "127.0.0.1:99999", "example.com:9464"])
async def test_a_worker_says_which_address_it_cannot_serve_at(wrong, stage, support):
    environ = environment() | {"INTERLOCK_METRICS": wrong}
    with pytest.raises(click.ClickException, match=re.escape(f"INTERLOCK_METRICS is {wrong!r}")):
        await serve_plans(Settings(plans=(support(),)), asyncio.Event(), environ, within=timedelta(0))
