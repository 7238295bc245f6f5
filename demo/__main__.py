"""`make demo`: the shipped bundles on a real Temporal server, against real services, with workers that are killed."""

import asyncio
import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click

from demo.conversation import KILL, LINES, MODEL, VIP, Line
from demo.payroll import Payroll
from demo.processes import MODELS, ROOT, TOKEN, TRACKING, HrService, Worker
from interlock.cli.server import EmbeddedServer
from interlock.cli.turns import shown_turn
from interlock.client import Interlock

AGENT = "logistics-support"
KILL_AFTER_S = 1.0


async def ready(desk: Interlock) -> None:
    """Open the first conversation ahead, so that the reader does not take the worker's start for a slow turn."""
    started = time.perf_counter()
    await desk.open(AGENT, LINES[0].session, user=user_of(LINES[0]))
    click.echo(f"  ready              after {time.perf_counter() - started:.1f} s")


def user_of(line: Line) -> dict[str, str]:
    """The user as the service knows them."""
    return {"id": line.session, **({"tier": "vip"} if line.session == VIP else {})}


async def converse(desk: Interlock) -> None:
    """Every line that rules answer, then those with a model in the loop, one after another."""
    for line in LINES:
        await exchange(desk, line)
    click.echo(click.style("\n── a model joins, and is not believed ──", bold=True))
    for line in MODEL:
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


@contextlib.contextmanager
def hr_service(folder: Path) -> Iterator[HrService]:
    """The HR service as a process of its own."""
    service = HrService(folder)
    try:
        yield service
    finally:
        service.stop()


async def main() -> None:
    """Start everything, talk, pay, kill, clean up."""
    click.echo(click.style("Interlock demo: the bundles of specs/ on a real Temporal server\n", bold=True))
    with tempfile.TemporaryDirectory(prefix="interlock-demo-") as scratch:
        folder = Path(scratch)
        specs = shutil.copytree(ROOT / "specs", folder / "specs")
        with hr_service(folder) as hr:
            click.echo(f"  HR service         {hr.url}")
            await shown(folder, specs, hr)
    click.echo(click.style("\nEverything is stopped and removed.", bold=True))


async def shown(folder: Path, specs: Path, hr: HrService) -> None:
    """Both parts of the demo, on one server and one worker at a time."""
    payroll = Payroll(hr, specs)
    async with EmbeddedServer(database=folder / "temporal.db") as server:
        click.echo(f"  Temporal server    {server.address}")
        worker = Worker(server.address, specs, folder, HR_API=hr.url, HR_TOKEN=TOKEN)
        click.echo(f"  worker             process {worker.process.pid}")
        click.echo(f"  tracking server    {TRACKING}, started by the worker when it is first called")
        click.echo(f"  models             {MODELS.relative_to(ROOT)} says what they would; no service is asked")
        try:
            desk = await Interlock.connect(server.address)
            await ready(desk)
            await converse(desk)
            await kill_the_worker(desk, worker)
            await payroll.show(server.address, worker)
        except BaseException:
            click.echo(worker.log.read_text(encoding="utf-8")[-3000:], err=True)
            raise
        finally:
            worker.stop()


if __name__ == "__main__":
    asyncio.run(main())
