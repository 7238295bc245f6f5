"""`interlock cancel`: ends a procedure; what has begun is finished first."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from interlock.cli.failing import told_plainly


@click.command("cancel", epilog="Example: interlock cancel monthly-close:7c2e --by ann")
@click.argument("run")
@click.option("--by", default="", help="Who cancels, for the record.")
@click.option("--address", help="The Temporal server; that of Temporal's own settings if not given.")
@told_plainly
def command(run: str, by: str, address: str | None) -> None:
    """End the procedure RUN: effects under way are finished, and undone if its `on_cancel` says so."""
    status = asyncio.run(_cancel(address, run, by))
    click.echo(f"{run}: {status['status']}")


async def _cancel(address: str | None, run: str, by: str) -> dict[str, Any]:
    from interlock.cli.serving import environment
    from interlock.client.procedures import Procedures

    desk = await Procedures.connect(address, task_queue=environment()["INTERLOCK_TASK_QUEUE"])
    return await desk.cancel(run, by=by)
