"""`interlock plan`: the compiled plan of an agent or procedure, or only its digest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from interlock.cli.bundles import paths_argument, plan_named

if TYPE_CHECKING:
    from pathlib import Path


@click.command("plan", epilog="Example: interlock plan logistics-support --digest")
@click.argument("name")
@paths_argument
@click.option("--digest", is_flag=True, help="Print the digest alone.")
def command(name: str, paths: tuple[Path, ...], digest: bool) -> None:
    """Show the compiled plan of the agent or procedure NAME as JSON, with its digest."""
    plan = plan_named(name, paths)
    if digest:
        click.echo(plan.digest)
        return
    content = {"digest": plan.digest, "plan": json.loads(plan.canonical())}
    click.echo(json.dumps(content, ensure_ascii=False, indent=2))
