"""`make demo`: the shipped bundle on a real Temporal server, a real tracking service, and a worker that is killed."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import click

from demo.conversation import KILL, LINES, VIP, Line
from demo.tracking_service import serve
from interlock.cli.server import EmbeddedServer
from interlock.cli.turns import shown_turn
from interlock.client import Interlock

ROOT = Path(__file__).parents[1]
AGENT = "logistics-support"
KILL_AFTER_S = 1.0


class Worker:
    """A worker in a process of its own, so that it can be killed for good."""

    def __init__(self, address: str, tracking: str, folder: Path) -> None:
        self.environment = {
            **os.environ,
            "TEMPORAL_ADDRESS": address,
            "TRACKING_URL": tracking,
            "INTERLOCK_SPECS": str(ROOT / "specs"),
            "INTERLOCK_PLAN_STORE": str(folder / "plans"),
        }
        self.log = folder / "worker.log"
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "worker.py"], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )

    def kill(self) -> None:
        """SIGKILL: no good-bye, no clean-up."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """A new process with the same settings."""
        self.process = self._started()

    def stop(self) -> None:
        """Ask it to finish what runs and end."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()


@contextlib.contextmanager
def tracking_service() -> Iterator[str]:
    """The tracking service on a free loopback port."""
    server = serve()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def ready(desk: Interlock) -> None:
    """Open the first conversation ahead, so that the reader does not take the worker's start for a slow turn."""
    started = time.perf_counter()
    await desk.open(AGENT, LINES[0].session, user=user_of(LINES[0]))
    click.echo(f"  ready              after {time.perf_counter() - started:.1f} s")


def user_of(line: Line) -> dict[str, str]:
    """The user as the service knows them."""
    return {"id": line.session, **({"tier": "vip"} if line.session == VIP else {})}


async def converse(desk: Interlock) -> None:
    """Every line of the demo, one after another."""
    for line in LINES:
        await exchange(desk, line)


async def exchange(desk: Interlock, line: Line) -> None:
    """Send one line and show what came of it."""
    click.echo(f"\n{click.style('●', fg='cyan')} {click.style(line.look, fg='cyan')}")
    started = time.perf_counter()
    if line.role == "agent":
        reply = await desk.agent_message(AGENT, line.session, line.text)
    else:
        reply = await desk.send(AGENT, line.session, line.text, user=user_of(line), type=line.type)
    elapsed_ms = (time.perf_counter() - started) * 1000
    record = await desk.record(AGENT, line.session, reply["turn"])
    click.echo(shown_turn(line.text, reply, record, elapsed_ms, speaker=line.role))


async def kill_the_worker(desk: Interlock, worker: Worker) -> None:
    """Kill the worker in the middle of a call; a new one goes on where it stopped."""
    click.echo(click.style("\n── a worker is killed ──", bold=True))
    turn = asyncio.create_task(exchange(desk, KILL))
    await asyncio.sleep(KILL_AFTER_S)
    worker.kill()
    click.echo(click.style(f"  ✗ worker {worker.process.pid} killed (SIGKILL) while the call is under way", fg="red"))
    await asyncio.sleep(1)
    worker.restart()
    click.echo(
        click.style(f"  ✓ worker {worker.process.pid} started; it knows nothing but the run's history", fg="green")
    )
    await turn


async def main() -> None:
    """Start everything, talk, kill, clean up."""
    click.echo(click.style("Interlock demo: specs/logistics-support on a real Temporal server\n", bold=True))
    with tempfile.TemporaryDirectory(prefix="interlock-demo-") as scratch, tracking_service() as tracking:
        folder = Path(scratch)
        click.echo(f"  tracking service   {tracking}")
        async with EmbeddedServer(database=folder / "temporal.db") as server:
            click.echo(f"  Temporal server    {server.address}")
            worker = Worker(server.address, tracking, folder)
            click.echo(f"  worker             process {worker.process.pid}")
            try:
                desk = await Interlock.connect(server.address)
                await ready(desk)
                await converse(desk)
                await kill_the_worker(desk, worker)
            except BaseException:
                click.echo(worker.log.read_text(encoding="utf-8")[-3000:], err=True)
                raise
            finally:
                worker.stop()
    click.echo(
        click.style(
            f"\n{len(LINES) + 1} messages, one of them through a killed worker. Everything is stopped and removed.",
            bold=True,
        )
    )


if __name__ == "__main__":
    asyncio.run(main())
