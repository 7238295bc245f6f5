"""The world around a session: a tool service that can be made to misbehave, workers, and a server with a file."""

import asyncio
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from temporalio.api.enums.v1 import WorkflowTaskFailedCause
from temporalio.worker import Worker as TemporalWorker

from interlock.cli.server import EmbeddedServer
from interlock.client import Interlock, connect
from interlock_activities.registry import Activities
from interlock_activities.settings import Settings
from interlock_workflows.plugin import interlock_plugin

ROOT = Path(__file__).parents[2]
UNHANDLED = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND
SPECS = Path(__file__).parent / "specs"
FORKS = Path(__file__).with_name("worker_forks.py")
SECRET = "planted-Zw7kQp93-secret"
"""The key of the tool service; it must be seen by nobody else."""

LOOPBACK = ("127.0.0.0/8",)


class Handler(BaseHTTPRequestHandler):
    """Answers with the number that it was asked about; `service.faults` are taken one after another before that."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        number = unquote(url.path.rsplit("/", 1)[-1])
        asked = {"no": number, "q": parse_qs(url.query).get("q", [number])[0], "header": self.headers.get("x-no", number)}  # fmt: skip
        self._answered(number, asked)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._answered(body["no"], {"no": body["no"], "q": body["no"], "header": body["no"]})

    def _answered(self, number, asked):
        self.server.calls.append((self.command, asked, self.headers.get("x-key")))
        self.server.cookies.append(self.headers.get("cookie"))
        pause = self.server.pause
        if pause:
            time.sleep(pause)
        fault = self.server.faults.get(number)
        if fault is not None:
            fault(self)
            return
        self.send(200, json.dumps({"no": number, "place": "汉堡 Hamburg"}, ensure_ascii=False).encode())

    def send(self, status, content, **headers):
        """An answer with a length."""
        self.send_response(status)
        headers = {"content-type": "application/json", "content-length": str(len(content))} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(content)

    def reset(self):
        """Break the connection off with a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def log_message(self, *_):
        """Say nothing."""

    def handle(self):
        """A client that hangs up is no news."""
        with contextlib.suppress(OSError, ValueError):
            super().handle()

    def finish(self):
        with contextlib.suppress(OSError, ValueError):
            super().finish()


class Service(ThreadingHTTPServer):
    """The tool service; `calls` are method, numbers by place, and the key that came with them."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, host="127.0.0.1"):
        super().__init__((host, 0), Handler)
        self.calls, self.cookies, self.faults, self.pause = [], [], {}, 0.0

    @property
    def url(self):
        return f"http://{self.server_address[0]}:{self.server_port}"

    def handle_error(self, *_):
        """A client that hangs up is no news."""


@contextlib.contextmanager
def service(host="127.0.0.1"):
    """The service, in a thread."""
    running = Service(host)
    threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield running
    finally:
        running.shutdown()
        running.server_close()


class Workers:
    """Workers as the project ships them, over a folder of specs, each in a process of its own."""

    def __init__(self, address, url, folder, specs=SPECS, queue="interlock", secret=SECRET):
        self.log = folder / "worker.log"
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "workflows", ROOT / "activities"))),
            "TEMPORAL_ADDRESS": address,
            "INTERLOCK_SPECS": str(specs),
            "INTERLOCK_PLAN_STORE": str(folder / "plans"),
            "INTERLOCK_ALLOW_ADDRESSES": ",".join(LOOPBACK),
            "INTERLOCK_TASK_QUEUE": queue,
            "ITEMS_URL": url,
            "ITEMS_KEY": secret,
        }
        with self.log.open("ab") as log:
            self._forks = subprocess.Popen(
                [sys.executable, str(FORKS)],
                cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                start_new_session=True,
            )  # fmt: skip

    def start(self):
        """A new worker; its process id."""
        self._forks.stdin.write("\n")
        self._forks.stdin.flush()
        return int(self._forks.stdout.readline())

    def lives(self, worker):
        """Whether there is such a worker."""
        try:
            return os.getpgid(worker) == self._forks.pid  # else its number is another process's by now
        except ProcessLookupError:
            return False

    def signal(self, worker, number):
        """Tell a worker, unless it is gone."""
        if self.lives(worker):
            os.kill(worker, number)

    def stop(self):
        """End them all."""
        self._forks.stdin.close()
        self._forks.wait(20)
        self._forks.stdout.close()


@contextlib.contextmanager
def workers(*arguments, **options):
    """Makes workers in processes of their own, and ends them."""
    running = Workers(*arguments, **options)
    try:
        yield running
    finally:
        running.stop()


def settings(plans, url, *, env=None, secrets=None, **more):
    """What activities are given here; a service on loopback is allowed."""
    environment = {"ITEMS_URL": url, "PATH": str(Path(sys.executable).parent)} | (env or {})
    secrets = {"ITEMS_KEY": SECRET} | (secrets or {})
    return Settings(plans=tuple(plans), env=environment, secrets=secrets, allow_addresses=LOOPBACK, **more)


@contextlib.asynccontextmanager
async def worker(address, queue, plans, url, functions=None, given=None, **options):
    """A worker in this process; `given` is more of its settings."""
    activities = Activities(settings(plans, url, functions=functions or {}, **(given or {})))
    client = await connect(address, plugins=[interlock_plugin(activities.callables)])
    async with TemporalWorker(client, task_queue=queue, **options):
        yield
    await activities.aclose()


@contextlib.asynccontextmanager
async def served(folder, plans, *, every_events=None, **options):
    """Server on a file, tool service, worker in this process: gives our client, the service and the server."""
    dynamic = {"limit.historyCount.suggestContinueAsNew": str(every_events)} if every_events else {}
    with service() as items:
        async with EmbeddedServer(database=folder / "t.db", settings=dynamic) as server:
            queue = uuid.uuid4().hex
            async with worker(server.address, queue, plans, items.url, **options):
                client = await connect(server.address)
                yield Interlock(client, task_queue=queue), items, server


async def histories(client, query=""):
    """Every run of a namespace with its events."""
    found = []
    async for run in client.list_workflows(query):
        handle = client.get_workflow_handle(run.id, run_id=run.run_id)
        found.append((run, [event async for event in handle.fetch_history_events()]))
    return found


def failed_tasks(events):
    """What failures of workflow tasks say; that something came in while a run ended is none."""
    return [
        event.workflow_task_failed_event_attributes.failure.message
        for event in events
        if event.HasField("workflow_task_failed_event_attributes")
        and event.workflow_task_failed_event_attributes.cause != UNHANDLED
    ]


async def gathered(work, at_once):
    """The results of many coroutines, few at a time."""
    slots = asyncio.Semaphore(at_once)

    async def one(coroutine):
        async with slots:
            return await coroutine

    return await asyncio.gather(*map(one, work))


@contextlib.asynccontextmanager
async def recorded(folder, plans, url="http://none.test", **more):
    """A server and a worker whose runs continue as new often, against a service that runs elsewhere; our client."""
    dynamic = {"limit.historyCount.suggestContinueAsNew": "45"}
    async with EmbeddedServer(database=folder / "t.db", settings=dynamic) as server:
        queue = uuid.uuid4().hex
        async with worker(server.address, queue, plans, url, **more):
            yield Interlock(await connect(server.address), task_queue=queue)
