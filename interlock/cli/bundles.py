"""Finding and compiling bundles for commands, with the words for what is not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler import Compiled
    from interlock.plan.plan import Plan

DEFAULT_FOLDER = "specs"

paths_argument = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))


def folders(paths: Iterable[Path]) -> list[Path]:
    """The bundle folders under `paths` (default: `specs`); wrong usage when there is none."""
    from interlock.source import find_bundles

    given = list(paths) or [Path(DEFAULT_FOLDER)]
    for path in given:
        if not path.exists():
            hint = "" if list(paths) else " Run this where your `specs` folder is, or name a path."
            raise click.UsageError(f"{path} does not exist.{hint}")
    found = find_bundles(given)
    if not found:
        raise click.UsageError(f"no YAML files under {', '.join(map(str, given))}. A bundle is a folder of specs.")
    return found


def shown(path: Path) -> str:
    """The path as people type it: relative to here where that is shorter."""
    relative = os.path.relpath(path)
    return relative if not relative.startswith("..") else str(path)


def compile_shown(folder: Path) -> Compiled:
    """The bundle compiled, its findings with files named as people type them."""
    from interlock.compiler import compile_folder

    return compile_folder(folder, shown_as=shown(folder))


def sound_bundles(paths: Iterable[Path]) -> list[tuple[Path, Compiled]]:
    """Every bundle with its folder; warnings are printed, and an error anywhere is the end of it."""
    from interlock.cli.formats import counted, text

    found = [(folder, compile_shown(folder)) for folder in folders(paths)]
    findings = [finding for _, bundle in found for finding in bundle.diagnostics]
    if findings:
        click.echo(text(findings), err=True)
    errors = sum(len(bundle.errors) for _, bundle in found)
    if errors:
        raise click.ClickException(f"the specs have {counted(errors, 'error')}; nothing was run.")
    return found


def plan_named(name: str, paths: Iterable[Path]) -> Plan:
    """The plan of that name; wrong usage with near names if there is none, exit 1 if its bundle has errors."""
    import difflib

    bundles = [compile_shown(folder) for folder in folders(paths)]
    plans = {plan.name: plan for bundle in bundles for plan in bundle.plans.values()}
    if name in plans:
        return plans[name]
    errors = [finding for bundle in bundles for finding in bundle.diagnostics if finding.severity == "error"]
    if errors:
        from interlock.cli.formats import counted, text

        click.echo(text(errors), err=True)
        raise click.ClickException(f"there is no plan for {name!r}: the specs have {counted(len(errors), 'error')}.")
    near = difflib.get_close_matches(name, plans, n=1)
    known = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(sorted(plans)) or 'none'}."
    raise click.UsageError(f"no agent is called {name!r}. {known}")
