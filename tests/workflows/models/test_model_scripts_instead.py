"""Where a script or stubs speak for models, no service is asked."""

import contextlib
import os
import signal
import subprocess
import sys
import uuid

import pytest

from interlock.client import Interlock
from tests.workflows.models.desk import AWAY, ROOT, SECRET, folder_of, said, turn_of

pytestmark = pytest.mark.server

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
