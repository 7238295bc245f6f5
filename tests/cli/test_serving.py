"""`chat`, `dev` and `worker` as people run them: processes that serve, end when told to, and leave nothing behind."""

import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from interlock.cli.server import free_port
from tests.cli.commands import COMMAND, environment

pytestmark = pytest.mark.server

AGENT = """
apiVersion: interlock/v1
kind: Agent
name: desk
message: {types: [user_chat, form]}
intents:
  person: {keywords: [person]}
gates:
  - {id: form, when: message.type == 'form', reply: Noted.}
routes:
  - {id: person, when: intents.person, flow: person}
  - {id: rest, flow: echo}
flows:
  person:
    - handoff: One moment.
  echo:
    - reply: "Hello, {{ message.text }}"
"""


def started(folder, *words, **more):
    return subprocess.Popen(
        [*COMMAND, *words],
        cwd=folder,
        env=environment(PYTHONUNBUFFERED="1") | more,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ran(folder, *words, said="", **more):
    """Exit code, output and error output of a command that ends by itself; one that does not says where it stands."""
    process = started(folder, *words, PYTHONFAULTHANDLER="1", **more)
    try:
        output, errors = process.communicate(said, timeout=60)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        pytest.fail(f"{words} does not end:\n{''.join(process.communicate())}")
    finally:
        process.kill()
    return process.returncode, output, errors


def children(pid):
    """The processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        found += [int(stat.parent.name)] if parent == pid else []
    return found


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serving")
    (folder / "specs" / "desk").mkdir(parents=True)
    (folder / "specs" / "desk" / "agent.yaml").write_text(AGENT)
    return folder


class Dev:
    """`interlock dev`, as it stands in a terminal."""

    def __init__(self, folder):
        self.folder = folder
        self.process = started(folder, "dev")
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"(?m)^Temporal server +(\S+)", "".join(self.said))
        assert found, self.process.stderr.read()
        self.address = found[1]
        self.server = children(self.process.pid)

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        try:
            return self.process.communicate(timeout=30)
        finally:
            self.process.kill()


@pytest.fixture(scope="module")
def dev(folder):
    running = Dev(folder)
    yield running
    running.stop()


def test_dev_says_where_it_is_and_how_to_talk_to_it(dev):
    text = "".join(dev.said)
    assert "serving          desk\n" in text
    assert f"talk to it       interlock chat desk --address {dev.address}\n" in text
    assert dev.address.startswith("127.0.0.1:")


def test_chat_talks_to_a_server_that_runs_and_goes_on_with_a_session(dev):
    words = ("chat", "desk", "--address", dev.address, "--session", "s1")
    code, output, errors = ran(dev.folder, *words, said="你好\n/type form\nx=1\n/close\n")
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    assert lines[:3] == [
        "       user  你好",
        "      route  rest (agent.yaml:12:5): flow echo",
        "       step  reply (agent.yaml:17:7)",
    ]
    assert "      reply  Hello, 你好" in lines
    assert "       gate  form (agent.yaml:9:5): reply" in lines
    assert lines[-1] == "  status: closed"
    code, output, _ = ran(dev.folder, *words, "--brief", said="again\n")
    assert (code, output) == (0, "(closed)\n")


def test_chat_with_an_agent_that_no_worker_knows_ends_with_the_reason(dev):
    code, _, errors = ran(dev.folder, "chat", "nobody", "--address", dev.address, said="x\n")
    assert code == 1
    assert errors.startswith("Error: no spec is named 'nobody'; is its folder among those that the workers read")
    os.set_blocking(dev.process.stderr.fileno(), False)
    assert dev.process.stderr.read() == "[warning  ] Completing activity as failed why=\"no spec is named 'nobody'\"\n"


def test_chat_names_a_model_where_the_agent_allows_it(dev):
    words = ("chat", "desk", "--address", dev.address, "--model")
    code, output, errors = ran(dev.folder, *words, '{"model": "large"}', said="x\n")
    assert (code, output) == (1, "")
    assert errors == "Error: this agent lets nobody name a model here (`model_override`)\n"
    code, _, errors = ran(dev.folder, *words, '{"modle": "large"}', said="x\n")
    assert code == 1
    assert "unknown key 'modle'; did you mean 'model'?" in errors
    code, _, errors = ran(dev.folder, *words, "large", said="x\n")
    assert (code, "--model is not JSON as a run takes it" in errors) == (2, True)


def test_a_second_dev_in_the_folder_is_refused(dev):
    code, _, errors = ran(dev.folder, "dev")
    assert (code, errors) == (1, "Error: `interlock dev` runs here already; stop it, or use --in-memory.\n")


@pytest.mark.parametrize("option", ["--port", "--ui-port"])
def test_a_port_that_is_taken_is_told(folder, option):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, errors = ran(folder, "dev", "--in-memory", option, str(port))
    assert (code, errors) == (1, f"Error: port {port} cannot be used: Address already in use; name another\n")


def test_ctrl_c_ends_dev_and_its_server(tmp_path, folder):
    (tmp_path / "specs").symlink_to(folder / "specs")
    running = Dev(tmp_path)
    assert running.server
    output, errors = running.stop()
    assert (running.process.returncode, errors) == (0, "")
    assert output.splitlines()[-1] == "stopped"
    assert [pid for pid in running.server if not gone(pid)] == []


def test_chat_brings_its_own_server_and_worker(folder):
    code, output, errors = ran(folder, "chat", "desk", "--brief", said="one\nperson\nx\n/release\ntwo\n/quit\nthree\n")
    assert (code, errors) == (0, "")
    assert output.splitlines() == ["Hello, one", "One moment.", "(handed_off)", "  status: ai_active", "Hello, two"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds children in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_chat_that_waits_for_a_line_ends_when_told_to_and_takes_its_server_along(folder, number):
    chat = started(folder, "chat", "desk", "--brief", INTERLOCK_TASK_QUEUE="another")
    try:
        chat.stdin.write("one\n")
        chat.stdin.flush()
        assert chat.stdout.readline() == "Hello, one\n"
        server = children(chat.pid)
        assert server
        chat.send_signal(number)
        began = time.monotonic()
        assert chat.wait(20) == 0
        assert time.monotonic() - began < 15
        assert chat.stderr.read() == ""
        assert [pid for pid in server if not gone(pid)] == []
    finally:
        chat.kill()


def test_an_address_that_is_none_is_told(folder):
    code, _, errors = ran(folder, "chat", "desk", "--address", "here:there")
    assert (code, "'here:there' is no address of a Temporal server" in errors) == (1, True)


@pytest.mark.parametrize("words", [["chat", "desk", "--address", "ADDRESS"], ["worker"]])
def test_a_server_that_is_not_there_is_told(folder, words):
    nobody = f"127.0.0.1:{free_port()}"
    words = [word.replace("ADDRESS", nobody) for word in words]
    code, _, errors = ran(folder, *words, TEMPORAL_ADDRESS=nobody, INTERLOCK_CONNECT_SECONDS="0")
    assert code == 1
    assert errors.splitlines()[-1].startswith(f"Error: no Temporal server answers at {nobody}")
    assert "Traceback" not in errors


@pytest.mark.parametrize("seconds", ["soon", "-1", "nan", "1e400"])
def test_seconds_that_are_no_number_are_told(folder, seconds):
    code, _, errors = ran(folder, "worker", INTERLOCK_CONNECT_SECONDS=seconds)
    assert code == 1
    assert errors.splitlines()[-1] == f"Error: INTERLOCK_CONNECT_SECONDS is '{seconds}'; give a number of seconds."


@pytest.mark.parametrize("command", ["worker", "dev"])
def test_specs_that_cannot_be_served_are_told_before_anything_starts(tmp_path, command):
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "agent.yaml").write_text(AGENT.replace("flow: echo", "flow: ehco"))
    code, output, errors = ran(tmp_path, command)
    assert (code, output) == (1, "")
    assert "there is no flow 'ehco'" in errors
    assert errors.endswith("Error: the specs have 1 error; nothing was run.\n")


def test_a_worker_without_an_agent_does_not_start(tmp_path):
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "words.yaml").write_text(
        "apiVersion: interlock/v1\nkind: Library\nname: words\nconfig: {a: 1}\n"
    )
    code, _, errors = ran(tmp_path, "worker")
    assert (code, errors.splitlines()[-1]) == (1, "Error: there is no Agent or Procedure in specs.")


def test_a_worker_serves_until_it_is_told_to_stop(dev):
    worker = started(dev.folder, "worker", TEMPORAL_ADDRESS=dev.address, INTERLOCK_TASK_QUEUE="own")
    try:
        words = ("chat", "desk", "--address", dev.address, "--brief")
        assert ran(dev.folder, *words, said="one\n", INTERLOCK_TASK_QUEUE="own")[:2] == (0, "Hello, one\n")
        worker.send_signal(signal.SIGTERM)
        _, log = worker.communicate(timeout=30)
    finally:
        worker.kill()
    assert worker.returncode == 0
    assert '"event": "stopped"' in log
