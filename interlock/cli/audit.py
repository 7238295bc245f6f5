"""`interlock audit`: six figures from real runs, whether every value that was sent can be traced."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import click

from interlock.cli.bundles import paths_argument
from interlock.cli.failing import told_plainly

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.authoring.audit_figures import Share
    from interlock.authoring.auditing import Audit

SHOWN = 10
WORDS = {"terminated": "was terminated", "timed_out": "has timed out"}


@click.command("audit", epilog="Example: interlock audit monthly-close specs --address 127.0.0.1:7233")
@click.argument("name")
@paths_argument
@click.option("--run", "runs", multiple=True, help="Id of a run; the last ones of NAME if none is given.")
@click.option("--last", type=click.IntRange(1, 10_000), default=100, show_default=True, help="How many runs of NAME.")
@click.option("--address", help="The Temporal server; that of Temporal's own settings if not given.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@told_plainly
def command(
    name: str, paths: tuple[Path, ...], runs: tuple[str, ...], last: int, address: str | None, as_json: bool
) -> None:
    """Print the six figures of the runs of NAME, an agent or procedure of the bundles under PATHS.

    The procedures that these runs have begun are audited with them, and those that these have begun.

    Exit status 1 if a figure that must be complete is not: of every value that was sent the source is known, it arrived
    as it was, its cell has one producer, and its call is linked to what it read and wrote; or if a run that was begun
    is not there any more.
    """
    from interlock.cli.bundles import plan_and_others

    plans = {plan.name: plan for plan in plan_and_others(name, paths)[1]}
    audit = asyncio.run(_audit(address, plans, name, runs, last))
    if as_json:
        click.echo(json.dumps(_as_json(audit), ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(audit_lines(audit)))
    sys.exit(0 if all(share.complete for _, share in _binding(audit)) and not audit.missing else 1)


async def _audit(address: str | None, plans: Any, name: str, runs: tuple[str, ...], last: int) -> Audit:
    from interlock.authoring.auditing import Audit, Run
    from interlock.cli.serving import environment
    from interlock.client import connect
    from interlock.client.errors import NoSuchSessionError
    from interlock.client.procedures import Procedures
    from interlock.client.reading import records_of, runs_of, with_begun

    client, queue = await connect(address), environment()["INTERLOCK_TASK_QUEUE"]
    chosen = list(runs) or await runs_of(client, name, last)
    if not chosen:
        raise click.ClickException(f"there is no run of {name!r}.")
    audit, unreadable = Audit(), set[str]()
    async for run, status, records in with_begun(client, queue, chosen):
        audit.take(Run(run, status["spec"], status["run"], records), plans.get(status["spec"]))
    desk = Procedures(client, task_queue=queue)
    while wanted := sorted(audit.wanted - unreadable):
        for run in wanted:
            try:
                status = await desk.status(run)
            except NoSuchSessionError:
                unreadable.add(run)
            else:
                records = [record async for record in records_of(client, queue, run)]
                audit.know(Run(run, status["spec"], status["run"], records))
    return audit


def _binding(audit: Audit) -> list[tuple[str, Share]]:
    """The figures that must be complete; how many bad arguments there are is up to the world."""
    return [(name, share) for name, share in audit.shares() if share is not audit.bad_arguments_stopped]


def audit_lines(audit: Audit) -> list[str]:
    """The figures for people, each with what is not among the good ones."""
    runs = "1 run" if audit.runs == 1 else f"{audit.runs} runs"
    lines = [f"{runs}, {audit.calls} calls" + (f", {audit.masked} masked values" if audit.masked else "")]
    if len(audit.of) > 1:
        lines.append("  " + ", ".join(f"{number} of {spec}" for spec, number in audit.of.items()))
    lines += _some([f"{run} {WORDS[word]}: its last calls may be in no record" for run, word in audit.cut_off.items()])
    lines += _some([f"not there any more: {run}" for run in audit.missing])
    for name, share in audit.shares():
        percent = "none seen" if not share.whole else f"{100 * share.part / share.whole:.1f} %"
        colour = None if not share.whole else "green" if share.complete else "red"
        lines.append(f"  {name:<42} {click.style(percent, fg=colour):>9}  {share.part} of {share.whole}")
        lines += _some([one for one in share.others if one])
    return lines


def _some(lines: list[str]) -> list[str]:
    more = [f"      and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return [f"      {one}" for one in lines[:SHOWN]] + more


def _as_json(audit: Audit) -> dict[str, Any]:
    figures = {
        name: {"part": share.part, "whole": share.whole, "complete": share.complete, "others": share.others}
        for name, share in audit.shares()
    }
    return {
        "runs": audit.runs,
        "of": dict(audit.of),
        "calls": audit.calls,
        "masked": audit.masked,
        "cut_off": audit.cut_off,
        "missing": audit.missing,
        "figures": figures,
    }
