"""`interlock retry`: a procedure that stands still goes on at the failed step."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from interlock.cli.failing import told_plainly

SAID = ("happened", "did_not_happen")


@click.command("retry", epilog="Example: interlock retry monthly-close:7c2e --resolved disburse=happened --by ann")
@click.argument("run")
@click.option("--resolved", multiple=True, metavar="STEP=WORD", help="What became of an unknown effect: see below.")
@click.option("--plan", default="", help="Go on under this plan: `latest`, or a digest.")
@click.option("--by", default="", help="Who retries, for the record.")
@click.option("--address", help="The Temporal server; that of Temporal's own settings if not given.")
@told_plainly
def command(run: str, resolved: tuple[str, ...], plan: str, by: str, address: str | None) -> None:
    """Let the procedure RUN go on at its failed step, once the cause is mended. What is done is not done again.

    Where it is not known whether an effect happened, say so for each step: STEP=happened or STEP=did_not_happen.
    """
    status = asyncio.run(_retry(address, run, _said(resolved), plan, by))
    click.echo(f"{run}: {status['status']}")


def _said(resolved: tuple[str, ...]) -> dict[str, str]:
    said: dict[str, str] = {}
    for text in resolved:
        step, equals, word = text.rpartition("=")
        if not equals or not step or word not in SAID:
            raise click.UsageError(f"--resolved takes STEP=happened or STEP=did_not_happen, not {text!r}.")
        if said.setdefault(step, word) != word:
            raise click.UsageError(f"--resolved says both of {step!r}: that it happened, and that it did not.")
    return said


async def _retry(address: str | None, run: str, resolved: dict[str, str], plan: str, by: str) -> dict[str, Any]:
    from interlock.cli.serving import environment
    from interlock.client.procedures import Procedures

    desk = await Procedures.connect(address, task_queue=environment()["INTERLOCK_TASK_QUEUE"])
    return await desk.retry(run, by=by, resolved=resolved, plan=plan)
