"""`interlock run`: starts a procedure and follows it, step by step."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from interlock.cli.bundles import paths_argument
from interlock.cli.failing import told_plainly
from interlock.cli.options import json_object

if TYPE_CHECKING:
    from interlock.plan.plan import Plan


@click.command("run", epilog='Example: interlock run monthly-close --input \'{"month": "2026-11"}\'')
@click.argument("name")
@paths_argument
@click.option("--input", "given", default="{}", metavar="JSON", help="The input: JSON, @FILE, or - for standard input.")
@click.option("--address", help="Let a worker on this Temporal server do it, instead of starting both here.")
@click.option("--id", "run_id", help="Id of the run; the same id with the same input starts nothing again.")
@click.option("--brief", is_flag=True, help="Show one line a step, without calls and sources.")
@click.option("--json", "as_json", is_flag=True, help="Print the last status as JSON, and nothing else.")
@told_plainly
def command(
    name: str,
    paths: tuple[Path, ...],
    given: str,
    address: str | None,
    run_id: str | None,
    brief: bool,
    as_json: bool,
) -> None:
    """Start the procedure NAME and follow it until it has ended or stands still.

    Without --address an in-memory Temporal server and a worker are started for that time. Ctrl-C stops following; with
    --address the run itself goes on. Exit status: 0 done, 1 failed, cancelled, ended by
    Temporal or standing still.
    """
    from interlock.cli.logs import log_for_people

    log_for_people()
    body = json_object(_read(given), "--input")
    if address is None:
        status = asyncio.run(_on_embedded(name, paths, body, run_id, brief=brief, quiet=as_json))
    else:
        status = asyncio.run(_at(address, name, body, run_id, brief=brief, quiet=as_json, lasts=True))
    if as_json:
        click.echo(json.dumps(status, ensure_ascii=False, indent=2))
    sys.exit(0 if status["status"] == "done" else 1)


def _read(given: str) -> str | bytes:
    if given == "-":
        return sys.stdin.buffer.read()
    if given.startswith("@"):
        path = Path(given[1:])
        try:
            return path.read_bytes()
        except OSError as error:
            raise click.UsageError(f"--input: cannot read {path}: {error}") from error
    return given


async def _at(
    address: str, name: str, body: dict[str, Any], run_id: str | None, *, brief: bool, quiet: bool, lasts: bool
) -> dict[str, Any]:
    from interlock.cli.following import follow, outcome_lines
    from interlock.cli.serving import environment
    from interlock.client.procedures import Procedures

    desk = await Procedures.connect(address, task_queue=environment()["INTERLOCK_TASK_QUEUE"])
    run = await desk.start(name, body, id=run_id)
    if quiet:
        return await _last(desk, run)
    click.echo(f"run {run}")
    status = await follow(desk, run, brief=brief)
    click.echo("\n".join(outcome_lines(run, status, address if lasts else None)))
    return status


async def _last(desk: Any, run: str) -> dict[str, Any]:
    from interlock.client.procedures import followed

    statuses = [status async for status, _ in followed(desk, run)]
    return statuses[-1]


async def _on_embedded(
    name: str, paths: tuple[Path, ...], body: dict[str, Any], run_id: str | None, *, brief: bool, quiet: bool
) -> dict[str, Any]:
    """A server and a worker that live as long as the run is followed."""
    from interlock.cli.bundles import folders
    from interlock.cli.server import EmbeddedServer
    from interlock.cli.serving import environment, serve_plans, settings_for

    plans, environ, ended = _plans_with(name, paths), environment(), asyncio.Event()
    async with EmbeddedServer() as server:
        settings = settings_for(environ, plans, folders(paths))
        worker = asyncio.create_task(serve_plans(settings, ended, environ, address=server.address))
        following = asyncio.create_task(_at(server.address, name, body, run_id, brief=brief, quiet=quiet, lasts=False))
        try:
            await asyncio.wait([worker, following], return_when=asyncio.FIRST_COMPLETED)
            return await following if following.done() else await _ended_early(worker, following)
        finally:
            ended.set()
            await worker


async def _ended_early(worker: asyncio.Task[None], following: asyncio.Task[dict[str, Any]]) -> dict[str, Any]:
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    await worker
    raise click.ClickException("the worker has ended before the run")


def _plans_with(name: str, paths: tuple[Path, ...]) -> list[Plan]:
    """The plans of its bundle, once it is known that one is that procedure."""
    from interlock.cli.bundles import plan_and_others

    plan, plans = plan_and_others(name, paths)
    if plan.work is None:
        raise click.UsageError(f"{name!r} is an agent; talk to it with `interlock chat {name}`.")
    return plans
