"""Agents ask a model over HTTP on a real Temporal server: what comes of it when all is well, and when it is not."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import time
import uuid
import zlib
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import WorkflowFailureError, WorkflowHistory
from temporalio.exceptions import CancelledError
from temporalio.worker import Replayer

from interlock.client import Interlock
from interlock.compiler import compile_folder
from interlock_workflows.plugin import interlock_plugin
from tests.activities.models import services
from tests.activities.wire import raw, wires

pytestmark = pytest.mark.server

ROOT = Path(__file__).parents[2]
SECRET = "planted-secret-8c41"
SOON = timedelta(milliseconds=250)
AWAY = "The assistant is away."
CHOICE = {"should_call_now": True, "missing_required_arguments": [], "more": False, "reason": "They asked."}
SAID = {"kind": "answer", "confidence": "high", "text": "Fog is on its way."}
DESK = """
apiVersion: interlock/v1
kind: Agent
name: desk
fallback: The assistant is away.
servers:
  llm: {openai: "{{ env.LLM_URL }}", auth: {bearer: "{{ secrets.LLM_KEY }}"}}
  notes: {http: "{{ env.NOTES_URL }}"}
models:
  general: {model: small, timeout: TIMEOUT}
  tool_call: {model: tiny, temperature: 0}
tools:
  search:
    description: What our notes say of a topic.
    http: GET /notes/{topic}
    effect: read
    input: {topic: {type: string, from: model, max_length: 20}}
    output: {found: {type: string}}
  clock: {description: What time it is., http: GET /clock, effect: none, output: {time: {type: string}}}
mounts: [{call: search}, {call: clock}]
grounding: {mode: strict}
routes:
  - {when: "'notes' in message.text", flow: notes}
  - {when: "'judged' in message.text", flow: judged}
  - {flow: plain}
flows:
  notes:
    - act: {tools: [search, clock]}
    - generate: auto
  judged: [{generate: auto}]
  plain: [{generate: auto, grounding: {mode: 'off'}}]
"""


def folder_of(path, timeout="20s"):
    path.mkdir(exist_ok=True)
    (path / "desk.yaml").write_text(DESK.replace("TIMEOUT", timeout))
    return path


@pytest.fixture
def desk(tmp_path):
    """The plan, with a time-out of its models."""

    def build(timeout="20s"):
        found = compile_folder(folder_of(tmp_path / f"specs-{timeout}", timeout))
        assert [str(one) for one in found.diagnostics] == []
        return found.plans["desk"]

    return build


@pytest.fixture
def serve(monkeypatch):
    """Starts the server that models answer at, and tells workers of it."""
    monkeypatch.setenv("LLM_KEY", SECRET)
    monkeypatch.setenv("INTERLOCK_ALLOW_ADDRESSES", "127.0.0.0/8")
    with wires() as start:

        def started(answers=None, **words):
            wire = start(answers, **words)
            monkeypatch.setenv("LLM_URL", f"http://127.0.0.1:{wire.port}/v1")
            return wire

        started.start = start
        yield started


def said(text="Good day."):
    return raw(body=services.openai(text))


def asked_of(wire):
    return [json.loads(one.body) for one in wire.seen]


async def written(writer, answer):
    writer.write(answer)
    await writer.drain()


async def clever(request, writer):
    """Chooses, proposes and writes, whatever it is asked for."""
    asked = json.loads(request.body)
    if asked["model"] == "small":
        told = SAID
    else:
        wanted = asked["response_format"]["json_schema"]["schema"]["properties"]
        told = CHOICE | {"tool": "search"} if "tool" in wanted else {"topic": "fog"}
    await written(writer, raw(body=services.openai(json.dumps(told))))


def slow_at_first(seconds):
    """Answers the first question late, if it is still waited for, and the others at once."""

    async def answer(_request, writer):
        if answer.asked == 0:
            answer.asked = 1
            await asyncio.sleep(seconds)
        await written(writer, said())

    answer.asked = 0
    return answer


async def dripping(writer):
    """A stream of events that never says anything, and never ends."""
    await written(writer, raw(content_type="text/event-stream", content_length=None, body=b": so\n\n"))
    while True:
        await asyncio.sleep(0.05)
        await written(writer, b": so\n\n")


async def never(_request, _writer):
    await asyncio.sleep(60)


async def turn_of(talk, session, text, **more):
    """A reply, and the record of its turn."""
    reply = await talk.send("desk", session, text, user={"id": "u1"}, **more)
    return reply, await talk.record("desk", session, reply["turn"])


async def history_of(talk, session):
    return await talk.client.get_workflow_handle(f"desk:{session}").fetch_history()


async def replayed(*histories):
    replayer = Replayer(workflows=[], plugins=[interlock_plugin()])
    for history in histories:
        await replayer.replay_workflow(WorkflowHistory.from_json(history.workflow_id, history.to_json()))


def bytes_of(history):
    """All that the events hold, and what is compressed in them as well."""
    found = [event.SerializeToString() for event in history.events]
    for event in history.events:
        found += [zlib.decompress(one.data) for one in payloads_in(event) if one.metadata["encoding"] == b"binary/zlib"]
    return b"\n".join(found)


def payloads_in(message):
    """Every payload of an event, however deep."""
    if isinstance(message, Payload):
        yield message
        return
    for described, value in message.ListFields():
        if described.message_type is None:
            continue
        if described.message_type.GetOptions().map_entry:
            inner = value.values() if described.message_type.fields_by_name["value"].message_type else ()
        else:
            inner = value if described.is_repeated else [value]
        for one in inner:
            yield from payloads_in(one)


def attempts_in(history):
    """How often the activity was tried that was tried most often."""
    return max(one.activity_task_started_event_attributes.attempt for one in history.events)


async def until(holds, seconds=15):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


# -- a turn ---------------------------------------------------------------------------------------------------------------


async def test_a_model_chooses_a_tool_proposes_its_argument_and_writes_and_the_key_is_kept_nowhere(
    stage, serve, desk, monkeypatch, caplog, capsys, s1
):
    caplog.set_level(logging.DEBUG)
    model, notes = serve(handler=clever), serve.start(body={"found": "Fog comes tonight."})
    monkeypatch.setenv("NOTES_URL", f"http://127.0.0.1:{notes.port}")
    async with stage.serving(desk()):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "do the notes speak of fog?")
        history = await history_of(talk, s1)
    assert (reply["outcome"], reply["text"]) == ("answer", SAID["text"])
    assert [one.line for one in notes.seen] == ["GET /notes/fog HTTP/1.1"]
    stages = [(one["stage"], one["role"], one["model"]) for one in record["model_stage_decisions"]]
    assert stages == [
        ("selection", "tool_call", "tiny"),
        ("arguments", "tool_call", "tiny"),
        ("generation", "general", "small"),
    ]
    assert [one["stage"] for one in record["generations"]] == ["selection", "arguments", "generation"]
    assert {(one["attempts"], one["input_tokens"], one["output_tokens"]) for one in record["generations"]} == {
        (1, 11, 7)
    }
    assert [one["model"] for one in asked_of(model)] == ["tiny", "tiny", "small"]
    assert "Fog comes tonight." in json.dumps(asked_of(model)[-1])

    assert {one.header("authorization") for one in model.seen} == {f"Bearer {SECRET}"}
    assert notes.seen[0].header("authorization") is None
    kept = bytes_of(history)
    assert b"secrets.LLM_KEY" in kept
    assert b"Fog comes tonight." in kept
    assert SECRET.encode() not in kept
    assert SECRET not in json.dumps(record)
    printed = capsys.readouterr()
    log = printed.out + printed.err + caplog.text
    assert "model_called" in log
    assert SECRET not in log
    await replayed(history)


# -- faults of the service ------------------------------------------------------------------------------------------------


async def test_an_overloaded_model_is_asked_again_when_it_says_and_then_answers(stage, serve, desk, s1):
    times = []
    waiting = [raw(status=503, retry_after="0"), raw(status=429, retry_after="4"), said()]

    async def answer(_request, writer):
        times.append(time.monotonic())
        await written(writer, waiting.pop(0))

    serve(handler=answer)
    async with stage.serving(desk()):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "hello")
        await replayed(await history_of(talk, s1))
    assert (reply["outcome"], reply["text"]) == ("answer", "Good day.")
    assert record["generations"][0]["attempts"] == 3
    assert times[2] - times[1] > 3.9  # of itself it would be asked again after two seconds


async def test_a_model_that_fails_three_times_degrades_the_turn_and_one_that_refuses_is_asked_once(
    stage, serve, desk, s1, s2
):
    async def answer(request, writer):
        await written(
            writer, raw(status=401 if b"refuse" in request.body else 503, body={"error": {"message": SECRET}})
        )

    model = serve(handler=answer)
    async with stage.serving(desk()):
        talk = await stage.talk()
        turns = await asyncio.gather(turn_of(talk, s1, "hello"), turn_of(talk, s2, "refuse"))
        histories = [await history_of(talk, one) for one in (s1, s2)]
    for reply, _ in turns:
        assert (reply["outcome"], reply["text"]) == ("degraded", AWAY)
    asked = [sum(word in json.dumps(one) for one in asked_of(model)) for word in ("hello", "refuse")]
    assert asked == [3, 1]
    for (_, record), history in zip(turns, histories, strict=True):
        assert "the answer repeats a credential" in record["generations"][0]["error"]
        assert SECRET.encode() not in bytes_of(history)
    await replayed(*histories)


# -- workers that come and go ---------------------------------------------------------------------------------------------


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


# -- models that take too long, and people who do not wait ----------------------------------------------------------------


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

    model = serve(handler=answer)
    async with stage.serving(desk("500ms")):
        talk = await stage.talk()
        texts = {s1: "hello"} | {f"{s1}-{number}": "drop by drop" for number in range(6)}
        turns = await asyncio.gather(*(turn_of(talk, session, text) for session, text in texts.items()))
        await until(lambda: len(left) == len(model.seen))  # while the worker still works
        histories = [await history_of(talk, session) for session in texts]
    for (reply, record), history in zip(turns, histories, strict=True):
        assert (reply["outcome"], reply["text"]) == ("degraded", AWAY)
        assert "no whole answer within 500 ms" in record["generations"][0]["error"]
        assert attempts_in(history) == 3
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


# -- too much ---------------------------------------------------------------------------------------------------------------

A_CHUNK = services.event_bytes("openai", [{"choices": [{"index": 0, "delta": {"content": "word " * 800}}]}])
ENDLESS = {
    "words": (A_CHUNK.removesuffix(b"data: [DONE]\n\n"), "text/event-stream", "larger than it may be"),
    "line": (b"x" * 4_000, "text/event-stream", "an event of more than 262,144 bytes"),
    "whole": (b" " * 4_000, "application/json", "an answer of more than 262,144 bytes"),
    "judged": (b" " * 4_000, "application/json", "an answer of more than 262,144 bytes"),
}


async def test_an_answer_without_end_is_cut_at_the_cap_and_not_asked_for_again(stage, serve, desk, s1):
    sent = dict.fromkeys(ENDLESS, 0)

    async def answer(request, writer):
        name = json.loads(request.body)["messages"][-1]["content"].split()[-1]
        piece, kind, _ = ENDLESS[name]
        await written(writer, raw(content_type=kind, content_length=None, body=b""))
        while True:
            await written(writer, piece)
            sent[name] += len(piece)
            await asyncio.sleep(0)

    model = serve(handler=answer)
    async with stage.serving(desk()):
        talk = await stage.talk()
        turns = await asyncio.gather(*(turn_of(talk, f"{s1}-{name}", f"say {name}") for name in ENDLESS))
        histories = [await history_of(talk, f"{s1}-{name}") for name in ENDLESS]
    for (reply, record), (name, (_, _, why)) in zip(turns, ENDLESS.items(), strict=True):
        assert (reply["outcome"], reply["text"]) == ("degraded", AWAY), name
        assert why in record["generations"][0]["error"], name
    assert len(model.seen) == len(ENDLESS)
    assert max(sent.values()) < 64 << 20, sent  # what lay in buffers when it was hung up on
    assert max(len(bytes_of(history)) for history in histories) < 1 << 20
    await replayed(*histories)


# -- a script in place of models --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def working(specs, address, **settings):
    """`worker.py` in a process of its own; what it logged is in `log` afterwards."""
    environment = {
        "TEMPORAL_ADDRESS": address,
        "INTERLOCK_SPECS": str(specs),
        "INTERLOCK_PLAN_STORE": str(specs.parent / "plans"),
    }
    worker = subprocess.Popen(
        [sys.executable, "worker.py"],
        cwd=ROOT,
        env=os.environ | environment | settings,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield worker
        worker.send_signal(signal.SIGTERM)
        worker.log = worker.communicate(timeout=20)[1]
    finally:
        worker.kill()
        worker.wait()


async def test_a_worker_with_a_script_asks_no_service(server, serve, tmp_path, s1):
    model = serve(said("Out of the wire."))
    script = tmp_path / "script.yaml"
    script.write_text("general: [{when: \"'hello' in message\", reply: Out of the script.}]\n")
    queue = uuid.uuid4().hex
    settings = {"INTERLOCK_TASK_QUEUE": queue, "INTERLOCK_MODELS": str(script)}
    with working(folder_of(tmp_path / "specs"), server.address, **settings) as worker:
        talk = await Interlock.connect(server.address, task_queue=queue)
        said_first, _ = await turn_of(talk, s1, "hello")
        said_then, _ = await turn_of(talk, s1, "bye")
    assert said_first["text"] == "Out of the script."
    assert (said_then["outcome"], said_then["text"]) == ("degraded", AWAY)
    assert model.connections == 0
    assert "model_called" in worker.log
    assert SECRET not in worker.log


def test_a_suite_asks_no_service_whatever_the_environment_says(serve, tmp_path, monkeypatch):
    model = serve(said("Out of the wire."))
    specs = folder_of(tmp_path / "specs")
    (specs / "suite.yaml").write_text(SUITE)
    (tmp_path / "script.yaml").write_text("general: [{reply: Out of the script.}]\n")
    monkeypatch.setenv("INTERLOCK_MODELS", str(tmp_path / "script.yaml"))
    ran = subprocess.run(
        [sys.executable, "-c", "from interlock import cli; cli.main()", "test", str(specs / "suite.yaml")],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout
    assert model.connections == 0


SUITE = """
apiVersion: interlock/v1
kind: Suite
name: desk-suite
of: desk
stubs: {models: {general: [{when: "'hello' in message", reply: Out of the suite.}, {fault: timeout}]}}
cases:
  - id: speaks
    turns:
      - {user: hello, expect: {outcome: reply, reply: {equals: Out of the suite.}}}
      - {user: bye, expect: {outcome: degraded, reply: {equals: The assistant is away.}}}
"""
