"""Traces leave as OpenTelemetry's own variables say, to a real receiver or to none, and never at the cost of a turn."""

import asyncio
import json
import logging
import os
import subprocess
import sys
import time

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from interlock.cli.server import free_port
from interlock.cli.serving import environment, serve_plans, tracing
from interlock.telemetry.exporting import UntracedError, traces_from
from interlock_activities.settings import Settings
from tests.activities.wire import raw, wires

pytestmark = pytest.mark.server


@pytest.fixture
def receiver(monkeypatch):
    """A receiver of OTLP over HTTP; the environment names it."""
    for name in ("OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        monkeypatch.delenv(name, raising=False)
    with wires() as start:
        wire = start(raw(body="", content_type="application/x-protobuf"))
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{wire.port}")
        yield wire


def received(wire):
    """Names of spans by the service that they are of."""
    found = {}
    for request in wire.seen:
        for resource in ExportTraceServiceRequest.FromString(request.body).resource_spans:
            of = {one.key: one.value.string_value for one in resource.resource.attributes}
            names = [span.name for scope in resource.scope_spans for span in scope.spans]
            found.setdefault(of["service.name"], []).extend(names)
    return found


async def one_turn(stage, plan, session, user, text="track T1234"):
    """A turn at a worker as the commands run it; how long it took, and how long the worker took to stop."""
    stop = asyncio.Event()
    environ = environment() | {"INTERLOCK_TASK_QUEUE": stage.queue, "INTERLOCK_GRACEFUL_SECONDS": "1"}

    async def track(number):
        return {"place": number}

    settings = Settings(plans=(plan,), functions={"track": track})
    serving = asyncio.create_task(serve_plans(settings, stop, environ, address=stage.address))
    talk = await stage.talk()
    await talk.send(plan.name, session, "hello", user=user)
    began = time.monotonic()
    reply = await talk.send(plan.name, session, text, user=user)
    took = time.monotonic() - began
    stop.set()
    began = time.monotonic()
    await serving
    assert reply["outcome"] == "answer"
    return took, time.monotonic() - began


async def test_spans_are_sent_to_the_receiver_that_the_environment_names(receiver, stage, support, s1, user):
    await one_turn(stage, support(), s1, user)
    assert {one.line for one in receiver.seen} == {"POST /v1/traces HTTP/1.1"}
    (names,) = received(receiver).values()
    assert sorted(names) == ["argument-verification", "message", "message", "tool-call", "turn", "turn"]
    assert [*received(receiver)] == ["interlock"]


async def test_service_sampler_and_headers_are_those_of_the_environment(
    receiver, monkeypatch, stage, support, s1, user
):
    monkeypatch.setenv("OTEL_SERVICE_NAME", "desk")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k1")
    await one_turn(stage, support(), s1, user)
    assert [*received(receiver)] == ["desk"]
    assert {one.header("api-key") for one in receiver.seen} == {"k1"}
    receiver.seen.clear()
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    await one_turn(stage, support(), f"{s1}-2", user)
    assert receiver.seen == []


@pytest.mark.parametrize("kind", ["nobody listens", "it fails", "it hangs"])
async def test_a_receiver_that_does_not_take_them_harms_no_turn_and_no_end(
    receiver, monkeypatch, stage, support, s1, user, kind, caplog
):
    async def failing(_request, writer):
        if kind == "it hangs":
            await asyncio.sleep(60)
        writer.write(raw(status=503, body=""))

    receiver.handler = failing
    if kind == "nobody listens":
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
    caplog.set_level(logging.INFO)
    took, stopping = await one_turn(stage, support(), s1, user)
    assert took < 5
    assert stopping < 6
    assert "T1234" not in "\n".join(one.getMessage() for one in caplog.records if "opentelemetry" in one.name)


@pytest.mark.parametrize(
    ("environ", "problem"),
    [
        ({}, None),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, None),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, None),
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "'zipkin'; otlp, console and none are known"),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "http/protobuf, not by 'grpc'"),
    ],
)
def test_what_is_asked_for_is_had_or_told(environ, problem, capsys):
    if problem is None:
        assert traces_from(environ) is None
        return
    with pytest.raises(UntracedError, match=problem):
        traces_from(environ)
    with tracing(environ) as traces:
        assert traces is None
    assert problem in capsys.readouterr().out.replace("\\'", "'")


WITHOUT = """
import sys
from interlock.cli.serving import environment, tracing
from interlock_activities.registry import Activities
from interlock_activities.settings import Settings
from interlock_workflows.plugin import interlock_plugin
with tracing(environment()) as traces:
    interlock_plugin(Activities(Settings()).callables, None, traces)
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""


def test_a_worker_without_traces_loads_nothing_of_opentelemetry(monkeypatch):
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_the_extra_a_worker_says_what_is_missing():
    program = WITHOUT.replace("import sys\n", "import sys\nsys.modules['opentelemetry.sdk'] = None\n", 1)
    environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environ)
    assert "install interlock-engine[otel]" in done.stdout


def started(program, **settings):
    return subprocess.Popen(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, env=os.environ | settings
    )


IN_AN_APPLICATION = """
from opentelemetry import trace
from interlock.telemetry.client_side import traced
from interlock.telemetry.spans import trace_id
with traced("before anything is set up"):
    assert trace_id() == ""
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
with trace.get_tracer("application").start_as_current_span("request"):
    with traced("message"):
        assert trace_id()
ours, theirs = kept.get_finished_spans()
assert (ours.name, ours.parent.span_id) == ("message", theirs.context.span_id)
"""
ON_THE_CONSOLE = r"""
import os
from interlock.cli.serving import tracing
from interlock.telemetry.client_side import traced
with tracing(os.environ) as traces, traced("message", text="half of a pair: \ud83d"):
    pass
"""


def test_a_client_is_part_of_the_trace_of_the_application_that_it_is_in():
    subprocess.run([sys.executable, "-c", IN_AN_APPLICATION], check=True)


def test_spans_may_go_to_standard_output():
    program = [sys.executable, "-c", ON_THE_CONSOLE]
    environ = os.environ | {"OTEL_TRACES_EXPORTER": "console"}
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=environ)
    span = json.loads(done.stdout)
    assert (span["name"], span["attributes"]["text"]) == ("message", "half of a pair: ?")


async def test_log_lines_of_a_call_name_the_trace_and_the_run(receiver, stage, support, s1, user, tmp_path):
    (tmp_path / "plan.json").write_text(support(tool=None).canonical())
    program = LOGGING.format(queue=stage.queue, plan=str(tmp_path / "plan.json"))
    worker = started(program, TEMPORAL_ADDRESS=stage.address)
    try:
        reply = await (await stage.talk()).send("support", s1, "track T1234", user=user, timeout=60)
        worker.terminate()
        _, log = await asyncio.to_thread(worker.communicate, timeout=20)
    finally:
        worker.kill()
    (line,) = [one for one in map(json.loads, log.splitlines()) if one["event"] == "tool_called"]
    traces = {
        span.trace_id.hex()
        for request in receiver.seen
        for resource in ExportTraceServiceRequest.FromString(request.body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
        if span.name == "tool-call"
    }
    assert {line["trace_id"]} == traces
    assert reply["record_id"].startswith(line["run"])


LOGGING = """
import asyncio
from pathlib import Path
from interlock.cli.logs import log_as_json
from interlock.cli.serving import environment, serve_until_stopped
from interlock.plan.plan import from_json
from interlock_activities.settings import Settings
from interlock_workflows.service import leave

async def track(number):
    return {{"place": number}}

log_as_json()
settings = Settings(plans=(from_json(Path({plan!r}).read_text()),), functions={{"track": track}})
environ = environment() | {{"INTERLOCK_TASK_QUEUE": {queue!r}}}
asyncio.run(serve_until_stopped(settings, environ))
leave()
"""
