"""A real Temporal dev server for the whole folder, workers in this process or in their own, and a plan to serve."""

import asyncio
import contextlib
import inspect
import os
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from interlock.cli.server import EmbeddedServer
from interlock.client import Interlock, connect
from interlock.plan.plan import Plan
from interlock.plan.rules import Gate, Route
from interlock.plan.steps import CallStep, CollectStep, HandoffStep, ReplyStep, RespondStep
from interlock.plan.tools import Argument, Mount, Response, Retry, Server, Tool
from interlock.plan.words import Intent, Slot
from interlock_activities.registry import Activities
from interlock_activities.settings import Settings
from interlock_workflows.plugin import interlock_plugin
from tests.workflows import booking

AT = "agent.yaml:1:1"
USER = {"id": "u1"}
WORKER_PROCESS = Path(__file__).with_name("worker_process.py")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run coroutine tests, each in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}))
    return True


@pytest.fixture(scope="session")
def server():
    embedded = EmbeddedServer()
    asyncio.run(embedded.start())
    yield embedded
    asyncio.run(embedded.stop())


@pytest.fixture
def support():
    """Makes plans of one agent: it tracks numbers, hands off to people, and echoes everything else."""
    return _support


def _support(*, says="echo", tool=None, http="", **changes):
    track = tool or _tool(http)
    parts = {
        "bundle": "tests",
        "name": "support",
        "languages": ("en",),
        "slots": {"number": Slot(at=AT, kind="patterns", patterns=(r"\bT\d{4}\b",), ask={"*": "Which number?"})},
        "intents": {"track": Intent(at=AT, keywords=("track",)), "person": Intent(at=AT, keywords=("human",))},
        "servers": {"tracking": Server(at=AT, http=http)} if http else {},
        "tools": {"track": track},
        "responses": {"raw": Response(at=AT, kind="raw")},
        "mounts": (Mount(at=AT, call="track"),),
        "gates": (Gate(at=AT, id="form", when="message.type == 'form'", verdict="reply", text={"*": "Got the form."}),),
        "routes": (
            Route(at=AT, id="tracking", when="intents.track", flow="tracking"),
            Route(at=AT, id="person", when="intents.person", flow="person"),
            Route(at=AT, id="rest", flow="echo"),
        ),
        "flows": {
            "tracking": (
                CollectStep(at=AT, id="numbers", action="collect", slots=("number",)),
                CallStep(at=AT, id="track", action="call", tool="track"),
                RespondStep(at=AT, id="answer", action="respond", response="raw"),
            ),
            "person": (HandoffStep(at=AT, id="handoff", action="handoff", text={"*": "One moment."}),),
            "echo": (ReplyStep(at=AT, id="echo", action="reply", text={"*": says + " {{ message.text }}"}),),
        },
    }
    return Plan(**(parts | changes))


def _tool(http, **changes):
    where = {"transport": "http", "server": "tracking", "method": "GET", "path": "/track/{number}"}
    parts = {
        "at": AT,
        "effect": "read",
        "retry": Retry(attempts=3, backoff_ms=50, max_backoff_ms=100),
        "timeout_ms": 2_000,
        "input": {
            "number": Argument(
                type="string", source="slots.number", send_as="number", place="path" if http else "argument"
            )
        },
    }
    return Tool(**(parts | (where if http else {"transport": "python", "python": "track"}) | changes))


async def _track(number):
    return {"number": number, "place": "Hamburg"}


@dataclass
class Stage:
    """Serves plans on a task queue of its own; clients here know nothing of the worker."""

    address: str
    queue: str = field(default_factory=lambda: uuid.uuid4().hex)
    sessions: int = 0

    @contextlib.asynccontextmanager
    async def serving(
        self,
        *plans,
        functions=None,
        store=None,
        values=None,
        data="data",
        commands=(),
        memory="memory.db",
        given=None,
        traces=None,
        runtime=None,
        **options,
    ):
        """A worker in this process; `given` is more of its settings."""
        given = (given or {}) | {name: options.pop(name) for name in ("models", "retrievers") if name in options}
        settings = Settings(
            plans=plans,
            functions=functions or {"track": _track},
            allow_addresses=("127.0.0.0/8",),
            store=store,
            values=values,
            data=Path(data),
            mcp_commands=tuple(commands),
            **given,
            memory=str(memory),
        )
        activities = Activities(settings)
        plugin = interlock_plugin(activities.callables, _reader(store), traces)
        client = await connect(self.address, plugins=[plugin], runtime=runtime)
        async with Worker(client, task_queue=self.queue, **options):
            yield
        await activities.aclose()

    @contextlib.asynccontextmanager
    async def process(self, plan_file):
        """A worker in a process of its own, that can be killed."""
        worker = self.spawn(plan_file)
        try:
            yield worker
        finally:
            worker.kill()
            worker.wait()

    def spawn(self, plan_file):
        command = [sys.executable, str(WORKER_PROCESS), self.address, self.queue, str(plan_file)]
        return subprocess.Popen(command, env=os.environ | {"PYTHONUNBUFFERED": "1"})

    async def plain(self):
        """A Temporal client without anything of ours."""
        return await Client.connect(self.address)

    async def talk(self):
        """Our client."""
        return Interlock(await connect(self.address), task_queue=self.queue)


def _reader(store):
    if store is None:
        return None
    from interlock_activities.plan_store import PlanStore

    return PlanStore(store).get


@pytest.fixture
def stage(server):
    return Stage(server.address)


@pytest.fixture
def stage_at():
    """Makes stages on other servers."""
    return Stage


@pytest.fixture
def plans_of(tmp_path):
    """Compiles procedures of the desk that books, given as name to the keys below the head."""
    return partial(booking.plans_of, tmp_path)


@pytest.fixture
def user():
    return dict(USER)


@pytest.fixture
def s1():
    """The name of a session that no other test uses."""
    return uuid.uuid4().hex


@pytest.fixture
def s2():
    """Another."""
    return uuid.uuid4().hex


@pytest.fixture
def s3():
    """And one more."""
    return uuid.uuid4().hex


@pytest.fixture
def events_of():
    """The events of a workflow, by name."""

    async def events(handle):
        return [event async for event in handle.fetch_history_events()]

    return events


@pytest.fixture
def failed_tasks():
    """The failures of workflow tasks of a workflow."""

    async def failures(handle):
        return [
            event.workflow_task_failed_event_attributes.failure.message
            async for event in handle.fetch_history_events()
            if event.HasField("workflow_task_failed_event_attributes")
        ]

    return failures
