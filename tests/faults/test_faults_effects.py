"""A side effect happens at most once a step: workers and the server are killed between an effect and its record."""

import asyncio
import contextlib
import json
import signal
import threading
import time
from collections import Counter, defaultdict
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from temporalio.client import WorkflowExecutionStatus, WorkflowUpdateFailedError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError

from interlock.cli.server import EmbeddedServer
from interlock.client import connect
from interlock.compiler import compile_folder

pytestmark = [pytest.mark.server, pytest.mark.slow]

ITEMS = 6
RUNS = 6
"""Runs at the same time."""

WINDOWS = 4
"""Requests that are held open, where there are so many, when a kill comes."""

LOOKS = 200
"""How often it is looked for them, fifty times a second."""

EVERY_EVENTS = "60"
PATIENCE = 300.0
KINDS = ("workers killed", "workers killed", "server killed", "workers killed", "both killed")
SAID = {True: "happened", False: "did_not_happen"}


class Window:
    """A request between its effect and its answer, or between its arrival and its effect."""

    def __init__(self, where):
        self.where, self.over = where, threading.Event()


class Handler(BaseHTTPRequestHandler):
    """Writes into the ledger, once for each key where there is one, and holds the answer back while that is wanted."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        ledger, tool = self.server, self.path.strip("/")
        name = json.loads(self.rfile.read(int(self.headers["content-length"])))["name"]
        key = self.headers.get("idempotency-key", "")
        with ledger.lock:
            ledger.requests.append((tool, name, key))
            held = ledger.holds and ledger.dice.random() < 0.7
            early = held and ledger.dice.random() < 0.2
        if early:
            ledger.hold("before the effect")
        with ledger.lock:
            if not key or key not in ledger.keys:
                ledger.keys.add(key)
                ledger.effects.append((tool, name))
        if held and not early:
            ledger.hold("before the record")
        content = json.dumps({"name": name}).encode()
        with contextlib.suppress(OSError):
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing."""

    def handle(self):
        """A client that was killed is no news."""
        with contextlib.suppress(OSError, ValueError):
            super().handle()


class Ledger(ThreadingHTTPServer):
    """Every request, and every effect."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, dice):
        super().__init__(("127.0.0.1", 0), Handler)
        self.dice, self.lock, self.holds = dice, threading.Lock(), True
        self.requests, self.effects, self.keys, self.open = [], [], set(), []

    def hold(self, where):
        """Wait in a window until it is over."""
        window = Window(where)
        self.open.append(window)
        window.over.wait(20)
        self.open.remove(window)

    def release(self):
        """Let all go on that are held."""
        for window in list(self.open):
            window.over.set()

    def handle_error(self, *_):
        """A client that was killed is no news."""


@contextlib.contextmanager
def ledger_of(dice):
    """The ledger, in a thread."""
    ledger = Ledger(dice)
    threading.Thread(target=ledger.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield ledger
    finally:
        ledger.holds = False
        ledger.release()
        ledger.shutdown()
        ledger.server_close()


class Faults:
    """Kills two workers, or their server, or both, while requests are open."""

    def __init__(self, row, server, workers, ledger):
        self.row, self.server, self.workers, self.ledger = row, server, workers, ledger
        self.running = [workers.start(), workers.start()]

    def supervise(self):
        """Start anew what ended by itself: a worker does that if no server answers when it starts."""
        for number, pid in enumerate(self.running):
            if not self.workers.lives(pid):
                self.running[number] = self.workers.start()

    async def inject(self, kind):
        """Wait for windows; then one fault, the ends of the windows, and what ends the fault."""
        for _ in range(LOOKS):
            if len(self.ledger.open) >= WINDOWS:
                break
            await asyncio.sleep(0.02)
        self.row.injected[kind] += 1
        if kind != "server killed":
            for pid in self.running:
                self.workers.signal(pid, signal.SIGKILL)
        if kind != "workers killed":
            self.server.kill()
        await asyncio.sleep(0.05)
        self.row.hit.update(window.where for window in list(self.ledger.open))
        self.ledger.release()
        if kind != "workers killed":
            await self.server.start()
        if kind != "server killed":
            self.running = [self.workers.start(), self.workers.start()]
        self.supervise()


class Clerk:
    """Begins runs, and sees every one to its end: where one stands still, they look into the ledger and say so."""

    def __init__(self, row, client, ledger):
        self.row, self.client, self.ledger = row, client, ledger
        self.runs, self.unknown, self.said = {}, Counter(), set()
        self.wanted = True

    async def work(self, number):
        """Runs one after another, as long as there are faults."""
        for count in range(10_000):
            if not self.wanted:
                return
            spec = "order-undone" if (number + count) % 3 == 0 else "order"
            names = [f"{number}-{count}-{item:03}" for item in range(ITEMS)]
            run_id = f"{spec}-{number}-{count}"
            await self._patiently(lambda: self._begin(spec, names, run_id))  # noqa: B023 - called before it changes
            self.runs[run_id] = spec, names, await self._seen_to(run_id)

    async def _begin(self, spec, names, run_id):
        await self.client.start_workflow(
            spec, {"names": names}, id=run_id, task_queue="interlock", task_timeout=timedelta(seconds=3),
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING, rpc_timeout=timedelta(seconds=5),
        )  # fmt: skip

    async def _seen_to(self, run_id):
        """How a run ends."""
        handle, until = self.client.get_workflow_handle(run_id), time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                described = await handle.describe()
                if described.status != WorkflowExecutionStatus.RUNNING:
                    return described.status.name
                status = await asyncio.wait_for(handle.query("status"), 10)
                if status["status"] == "failed":
                    await self._mended(handle, status)
            except (RPCError, WorkflowUpdateFailedError, TimeoutError):
                pass  # nobody is there at the moment
            await asyncio.sleep(0.2)
        return "still open"

    async def _mended(self, handle, status):
        """Find out what became of every unknown effect, and let the run go on."""
        await asyncio.sleep(0.5)  # a request that was held may still have its effect
        resolved = {}
        for instance in status["unresolved"]:
            name = instance.partition("[")[2].partition("]")[0]
            self.unknown[name] += 1
            resolved[instance] = SAID[("pay", name) in self.ledger.effects]
            if resolved[instance] == "did_not_happen":
                self.said.add(name)
        await asyncio.wait_for(handle.execute_update("retry", {"by": "ann", "resolved": resolved}), 20)

    async def _patiently(self, call):
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return await call()
            except RPCError:
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(0.2)


async def test_a_side_effect_happens_at_most_once_a_step(row, world, folder):
    specs = world.SPECS / "orders"
    assert not compile_folder(specs).errors
    wanted = row.times(50, 1_000)
    settings = {"limit.historyCount.suggestContinueAsNew": EVERY_EVENTS}
    async with EmbeddedServer(database=folder / "t.db", settings=settings) as server:
        with ledger_of(row.dice) as ledger:
            url = f"http://127.0.0.1:{ledger.server_port}"
            with world.workers(server.address, url, folder, specs=specs) as workers:
                faults = Faults(row, server, workers, ledger)
                clerk = Clerk(row, await connect(server.address), ledger)
                working = asyncio.gather(*(clerk.work(number) for number in range(RUNS)))
                for number in range(wanted):
                    if row.hit["before the record"] >= wanted or working.done():
                        break
                    await faults.inject(KINDS[number % len(KINDS)])
                ledger.holds = clerk.wanted = False
                ledger.release()
                while not working.done():
                    await asyncio.wait({working}, timeout=1)
                    faults.supervise()
                await working
                judge(row, clerk, ledger, wanted)


def judge(row, clerk, ledger, wanted):
    """Each effect once, no request without a key repeated unasked, and every run at its end with all it had to do."""
    row.expect(row.hit["before the record"] >= wanted, "too few windows", dict(row.hit))
    effects = Counter(ledger.effects)
    row.expect(max(effects.values()) == 1, "an effect twice", effects.most_common(3))
    asked = Counter(name for tool, name, _ in ledger.requests if tool == "pay")
    again = [name for name, count in asked.items() if count > 1 and name not in clerk.said]
    row.expect(not again, "asked again without a word", again)
    keys = defaultdict(set)
    for tool, name, key in ledger.requests:
        keys[tool, name].add(key)
    row.expect(all(len(one) == 1 for one in keys.values()), "two keys for a step", len(keys))
    for run_id, (spec, names, ending) in clerk.runs.items():
        row.expect(ending == ("COMPLETED" if spec == "order" else "FAILED"), "ending", run_id, ending)
        done = [(tool, name) for tool, name in ledger.effects if name in names]
        made = [name for tool, name in done if tool == "make"]
        row.expect(sorted(made) == names, "not made", run_id, made)
        if spec == "order":
            row.expect(sorted(name for tool, name in done if tool == "pay") == names, "not paid", run_id, done)
        else:
            undone = [name for tool, name in done if tool == "unmake"]
            row.expect(undone == names[::-1], "undone in another order", run_id, undone)
    row.notes.append(
        f"{len(clerk.runs)} runs, {len(ledger.effects):,} effects, {len(ledger.requests):,} requests, "
        f"{sum(clerk.unknown.values())} unknown"
    )
