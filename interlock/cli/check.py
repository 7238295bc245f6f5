"""`interlock check`: every finding about the specs, in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from interlock.cli.bundles import folder_names, paths_argument
from interlock.cli.checking import findings_of
from interlock.cli.formats import FORMATS
from interlock.cli.names import counted
from interlock.diagnostics import Severity, in_order

if TYPE_CHECKING:
    from pathlib import Path


@click.command("check", epilog="Example: interlock check specs --format sarif > findings.sarif")
@paths_argument
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="text", help="How findings are printed.")
@click.option("--strict", is_flag=True, help="Warnings count as errors for the exit code.")
@click.option("--no-cache", is_flag=True, help="Check everything again, changed or not.")
def command(paths: tuple[Path, ...], form: str, strict: bool, no_cache: bool) -> None:
    """Find every mistake in the specs under PATHS (default: specs), without running them.

    Exit code 0: no errors. 1: errors. 2: wrong usage. 3: a fault of ours.
    """
    bundles = folder_names(paths)
    findings = in_order(findings_of(bundles, use_cache=not no_cache))
    output = FORMATS[form](findings)
    if output:
        click.echo(output)
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    warnings = len(findings) - errors
    if form == "text":
        click.echo(("\n" if output else "") + summary(len(bundles), errors, warnings))
    click.get_current_context().exit(1 if errors or (strict and warnings) else 0)


def summary(bundles: int, errors: int, warnings: int) -> str:
    """One line that says how it went."""
    counts = ", ".join(counted(n, word) for n, word in ((errors, "error"), (warnings, "warning")) if n)
    where = counted(bundles, "bundle")
    return f"{counts} in {where}" if counts else f"{where}: no findings"
