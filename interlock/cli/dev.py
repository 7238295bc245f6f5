"""`interlock dev`: an embedded Temporal server and a worker, in one command."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
from pathlib import Path
from typing import TYPE_CHECKING

import click

from interlock.cli.bundles import folders, paths_argument
from interlock.cli.failing import told_plainly

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.cli.server import EmbeddedServer
    from interlock.plan.plan import Plan

FOLDER = Path(".interlock")


@click.command("dev", epilog="Example: interlock dev specs --ui-port 8233")
@paths_argument
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the Temporal server; a free one if not given.")
@click.option("--ui-port", type=click.IntRange(1, 65535), help="Serve Temporal's web pages on this port.")
@click.option("--in-memory", is_flag=True, help="Forget everything at the end, instead of keeping it in .interlock.")
@told_plainly
def command(paths: tuple[Path, ...], port: int | None, ui_port: int | None, in_memory: bool) -> None:
    """Run a Temporal server and a worker for the bundles under PATHS (default: specs) until Ctrl-C.

    Everything listens on the loopback interface. Sessions are kept in .interlock/dev.db and go on next time.
    """
    from interlock.cli.server import EmbeddedServer

    if in_memory:
        asyncio.run(_serve(paths, EmbeddedServer(port=port, ui_port=ui_port)))
        return
    database, log = FOLDER / "dev.db", FOLDER / "temporal.log"
    with _alone():
        asyncio.run(_serve(paths, EmbeddedServer(database=database, port=port, ui_port=ui_port, log=log)))


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Hold the folder: two servers on one database would spoil it."""
    try:
        FOLDER.mkdir(exist_ok=True)
        lock = (FOLDER / "dev.lock").open("w")
    except OSError as error:
        raise click.ClickException(f"cannot write to {FOLDER}: {error.strerror}; try --in-memory.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise click.ClickException("`interlock dev` runs here already; stop it, or use --in-memory.") from error
        yield


def _next_commands(plans: list[Plan]) -> Iterator[str]:
    """What can be done with what is served: with the first of each kind."""
    agent = next((plan.name for plan in plans if plan.work is None), None)
    procedure = next((plan.name for plan in plans if plan.work is not None), None)
    if agent:
        yield f"talk to it       interlock chat {agent}"
    if procedure:
        yield f"run it           interlock run {procedure} --input JSON"


async def _serve(paths: tuple[Path, ...], embedded: EmbeddedServer) -> None:
    from interlock.cli.logs import log_for_people
    from interlock.cli.serving import environment, serve_plans, settings_for, sound_plans, stop_on_signals

    log_for_people()
    environ = environment()
    plans = sound_plans(paths)
    stop = stop_on_signals()
    click.echo("starting the Temporal server …")
    async with embedded as server:
        click.echo(f"Temporal server  {server.address}")
        if server.ui:
            click.echo(f"web pages        {server.ui}")
        click.echo(f"serving          {', '.join(sorted(plan.name for plan in plans))}")
        for line in _next_commands(plans):
            click.echo(f"{line} --address {server.address}")
        click.echo("Ctrl-C stops both.")
        await serve_plans(settings_for(environ, plans, folders(paths)), stop, environ, address=server.address)
    click.echo("stopped")
