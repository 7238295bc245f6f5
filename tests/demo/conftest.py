"""The HR service on a free port, in this process or in one that can be killed, and a client of it."""

import contextlib
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from demo.hr.server import serve

ROOT = Path(__file__).parents[2]
TOKEN = "token-of-the-tests"


class Hr:
    """A client that asks for the shapes that the tools ask for."""

    def __init__(self, address, token=TOKEN):
        self.http = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=20)

    def get(self, path):
        return self.http.get(path)

    def post(self, path, body=None, key=None):
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.http.post(path, json=body, headers=headers)

    def data(self, path):
        return self.get(path).json()["data"]

    def switch(self, path, mode, **settings):
        answer = self.post("/switches", {"path": path, "mode": mode, **settings})
        assert answer.status_code == 201, answer.text
        return answer.json()["data"]["number"]

    def effects(self, operation=None):
        found = self.data("/audit/effects")["effects"]
        return [one for one in found if operation in (None, one["operation"])]

    def requests(self):
        return self.data("/audit/requests")["requests"]

    def imported(self, group="PG-000042"):
        template = self.data(f"/pay-groups/{group}/template")["templateId"]
        return self.post(f"/templates/{template}/import", {"remark": "test"}).json()["data"]["importId"]

    def started(self, group="PG-000042", month="2026-11"):
        body = {"payGroupId": group, "month": month, "importId": self.imported(group)}
        return self.post("/payruns", body).json()["data"]["payrunId"]

    def calculated(self, group="PG-000042"):
        payrun = self.started(group)
        while self.data(f"/payruns/{payrun}")["status"] == "RUNNING":
            pass
        return payrun

    def disburse(self, payrun, key=None, version=2):
        return self.post(f"/payruns/{payrun}/disburse", {"expectedVersion": version}, key)


@contextlib.contextmanager
def served(database, **settings):
    """A client of a service in this process."""
    server = serve(database, token=TOKEN, **settings)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    hr = Hr(f"http://127.0.0.1:{server.server_port}")
    hr.server = server
    try:
        yield hr
    finally:
        hr.http.close()
        server.shutdown()
        server.server_close()
        thread.join()


class Process:
    """The service in a process of its own; it keeps its port and its database when it is started again."""

    def __init__(self, database, *arguments, **environment):
        self.command = [sys.executable, "-m", "demo.hr", "--database", str(database), *arguments]
        self.environment = {**os.environ, "HR_TOKEN": TOKEN, **environment}
        self.port = 0
        self.clients = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.command, "--port", str(self.port)],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        found = re.fullmatch(r"HR service on (http://127\.0\.0\.1:(\d+))\n", line)
        assert found, f"{line!r} {self.process.stderr.read()}"
        self.port = int(found[2])
        self.hr = Hr(found[1])
        self.clients.append(self.hr)

    def end(self):
        self.process.kill()
        return self.ended()

    def ended(self):
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err

    def restart(self):
        self.end()
        self.start()


@pytest.fixture
def hr(tmp_path):
    """A client of a fresh service."""
    with served(tmp_path / "hr.db") as client:
        yield client


@pytest.fixture
def open_service(tmp_path):
    """Starts services in this process, each over a database file."""
    with contextlib.ExitStack() as stack:
        yield lambda name="hr.db", **settings: stack.enter_context(served(tmp_path / name, **settings))


@pytest.fixture
def start_process(tmp_path):
    """Starts services in processes of their own."""
    started = []

    def start(*arguments, **environment):
        started.append(Process(tmp_path / "hr.db", *arguments, **environment))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.end()
        for client in one.clients:
            client.http.close()
