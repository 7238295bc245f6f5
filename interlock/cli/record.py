"""`interlock record`: what a run did, step by step or turn by turn, and where every value came from."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

from interlock.cli.failing import told_plainly

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@click.command("record", epilog="Example: interlock record monthly-close:7c2e --address 127.0.0.1:7233")
@click.argument("run")
@click.option("--after", type=click.IntRange(0), default=0, help="Leave out what has this number or a smaller one.")
@click.option("--address", help="The Temporal server; that of Temporal's own settings if not given.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, as the run keeps it.")
@told_plainly
def command(run: str, after: int, address: str | None, as_json: bool) -> None:
    """Print the record of RUN: the id of a procedure's run, or AGENT:SESSION."""
    asyncio.run(_print(address, run, after, as_json=as_json))


async def _print(address: str | None, run: str, after: int, *, as_json: bool) -> None:
    from interlock.authoring.telling import told
    from interlock.authoring.telling_work import told_step
    from interlock.cli.turns import told_line, told_lines
    from interlock.client.reading import records_of

    found = False
    async for record in await _records(records_of, address, run, after):
        found = True
        if as_json:
            click.echo(json.dumps(record, ensure_ascii=False))
        elif "turn" in record:
            lines = [told_line("turn", str(record["turn"]), bold=True), *told_lines(told(record))]
            click.echo("\n".join(lines))
        else:
            click.echo("\n".join(told_lines(told_step(record))))
    if not found and not as_json:
        click.echo(f"nothing is recorded of {run} after number {after}.")


async def _records(records_of: Any, address: str | None, run: str, after: int) -> AsyncIterator[dict[str, Any]]:
    from interlock.cli.serving import environment
    from interlock.client import connect

    client = await connect(address)
    records: AsyncIterator[dict[str, Any]] = records_of(client, environment()["INTERLOCK_TASK_QUEUE"], run, after)
    return records
