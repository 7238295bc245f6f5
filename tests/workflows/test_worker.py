"""The composition root `worker.py`: it serves a folder of specs, stops when told to, and refuses what is wrong."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from interlock.cli.server import EmbeddedServer, free_port
from interlock.client import Interlock

pytestmark = pytest.mark.server

ROOT = Path(__file__).parents[2]
AGENT = """
apiVersion: interlock/v1
kind: Agent
name: hello
routes:
  - flow: greet
flows:
  greet:
    - reply: "Hello, {{ message.text }}"
"""


@pytest.fixture
def specs(tmp_path):
    (tmp_path / "hello").mkdir()
    (tmp_path / "hello" / "agent.yaml").write_text(AGENT)
    return tmp_path


def started(specs, address, **settings):
    environment = {
        "TEMPORAL_ADDRESS": address,
        "INTERLOCK_SPECS": str(specs),
        "INTERLOCK_PLAN_STORE": str(specs / "plans"),
    }
    return subprocess.Popen(
        [sys.executable, "worker.py"],
        cwd=ROOT,
        env=os.environ | environment | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_it_serves_a_folder_of_specs_and_stops_gracefully(server, specs, s1):
    queue = uuid.uuid4().hex
    worker = started(specs, server.address, INTERLOCK_TASK_QUEUE=queue)
    try:
        talk = await Interlock.connect(server.address, task_queue=queue)
        reply = await talk.send("hello", s1, "你好", user={"id": "u1"})
        assert reply["text"] == "Hello, 你好"
        worker.send_signal(signal.SIGTERM)
        _, log = await asyncio.to_thread(worker.communicate, timeout=20)
    finally:
        worker.kill()
    assert worker.returncode == 0
    entries = [json.loads(line) for line in log.splitlines()]
    assert [entry["event"] for entry in entries if entry["logger"] == "interlock.worker"] == [
        "serving",
        "offered",
        "stopped",
    ]


def test_it_says_what_is_wrong_and_does_not_start(server, specs, tmp_path_factory):
    broken = tmp_path_factory.mktemp("broken")
    (broken / "agent.yaml").write_text(AGENT.replace("flow: greet", "flow: gret"))
    nobody = f"127.0.0.1:{free_port()}"
    attempts = [
        (
            started(broken, server.address),
            ["agent.yaml:6:", "did you mean 'greet'", "the specs have 1 error; nothing was run"],
        ),
        (started(specs / "nowhere", server.address), ["nowhere does not exist"]),
        (
            started(specs, nobody, INTERLOCK_CONNECT_SECONDS="0.1"),
            [f"no Temporal server answers at {nobody}", "interlock dev"],
        ),
    ]
    for worker, expected in attempts:
        _, said = worker.communicate(timeout=60)
        assert worker.returncode == 1
        assert [words for words in expected if words not in said] == []
        assert "Traceback" not in said


async def test_it_waits_for_a_server_that_starts_after_it(specs, s1):
    server = EmbeddedServer()
    worker = started(specs, server.address)
    try:
        assert "no Temporal server answers" in (await said(worker, "waiting"))["problem"]
        async with server:
            talk = await Interlock.connect(server.address)
            reply = await talk.send("hello", s1, "你好", user={"id": "u1"})
            worker.send_signal(signal.SIGTERM)
            await asyncio.to_thread(worker.communicate, timeout=20)
    finally:
        worker.kill()
    assert reply["text"] == "Hello, 你好"
    assert worker.returncode == 0


async def test_it_can_be_stopped_while_it_waits(specs):
    worker = started(specs, f"127.0.0.1:{free_port()}")
    try:
        await said(worker, "waiting")
        worker.send_signal(signal.SIGTERM)
        _, log = await asyncio.to_thread(worker.communicate, timeout=20)
    finally:
        worker.kill()
    assert worker.returncode == 0
    assert json.loads(log.splitlines()[-1])["event"] == "stopped"


async def test_a_namespace_that_is_never_made_ends_the_wait(server, specs):
    worker = started(specs, server.address, TEMPORAL_NAMESPACE="nowhere", INTERLOCK_CONNECT_SECONDS="1")
    _, log = await asyncio.to_thread(worker.communicate, timeout=60)
    assert worker.returncode == 1
    assert f"{server.address} has no namespace 'nowhere' yet" in log.splitlines()[-1]
    assert "Traceback" not in log


async def said(worker, event):
    """The first line of the log about `event`."""
    while line := await asyncio.wait_for(asyncio.to_thread(worker.stderr.readline), 30):
        entry = json.loads(line)
        if entry["event"] == event:
            return entry
    raise AssertionError(f"the worker ended without saying {event!r}")
