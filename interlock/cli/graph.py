"""`interlock graph`: an agent or procedure as Mermaid, drawn from its compiled plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from interlock.cli.bundles import paths_argument, plan_named

if TYPE_CHECKING:
    from pathlib import Path


@click.command("graph", epilog="Example: interlock graph logistics-support --language en > graph.mmd")
@click.argument("name")
@paths_argument
@click.option("--language", default="", help="The language of the texts; the first if not given.")
def command(name: str, paths: tuple[Path, ...], language: str) -> None:
    """Draw the agent or procedure NAME.

    Of an agent: gates in the order they run, routes, flows with their branches and catches. Of a procedure: its steps,
    what runs side by side, what repeats, and on dotted edges what undoes a step.
    """
    from interlock.plan.graph import mermaid

    plan = plan_named(name, paths)
    if language and language not in plan.languages:
        raise click.UsageError(f"{name} does not speak {language!r}, only {', '.join(plan.languages)}.")
    click.echo(mermaid(plan, language), nl=False)
