"""Finding and compiling bundles for commands, with the words for what is not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from interlock.cli import DEFAULT_FOLDER
from interlock.cli.names import near_or_all

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler import Compiled
    from interlock.diagnostics import Diagnostic
    from interlock.plan.plan import Plan

paths_argument = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))


def folders(paths: Iterable[Path]) -> list[Path]:
    """The bundle folders under `paths` (default: `specs`); a path that is not there is wrong usage.

    A path without a spec stands for itself: reading it says what is wrong with it.
    """
    return [Path(name) for name in folder_names(paths)]


def folder_names(paths: Iterable[Path]) -> list[str]:
    """The same as text, for whoever has a thousand of them."""
    from interlock.source import bundle_names

    given = list(paths)
    for path in given or [Path(DEFAULT_FOLDER)]:
        if not path.exists():
            hint = _near_path(path) if given else " Run this where your `specs` folder is, or name a path."
            raise click.UsageError(f"{path} does not exist.{hint}")
    return bundle_names(given or [Path(DEFAULT_FOLDER)])


def _near_path(path: Path) -> str:
    try:
        beside = os.listdir(path.parent)  # noqa: PTH208 - names, not paths
    except OSError:
        return ""
    hint = near_or_all(path.name, beside)
    return f" {hint}" if hint.startswith("Did") else ""


def shown(path: Path | str) -> str:
    """The path as people type it: relative to here where that is shorter."""
    relative = os.path.relpath(path)
    return relative if not relative.startswith("..") else str(path)


def compile_shown(folder: Path | str, *, plans: bool = True) -> Compiled:
    """The bundle compiled, its findings with files named as people type them; without `plans` only the findings."""
    from interlock.compiler import compile_folder

    return compile_folder(folder, shown_as=shown(folder), plans=plans)


def sound_bundles(paths: Iterable[Path]) -> list[tuple[Path, Compiled]]:
    """Every bundle with its folder; warnings are printed, and an error anywhere is the end of it."""
    found = [(folder, compile_shown(folder)) for folder in folders(paths)]
    findings = [finding for _, bundle in found for finding in bundle.diagnostics]
    if findings:
        _print(findings)
    errors = sum(len(bundle.errors) for _, bundle in found)
    if errors:
        from interlock.cli.names import counted

        raise click.ClickException(f"the specs have {counted(errors, 'error')}; nothing was run.")
    _plans_by_name(found)
    return found


def plan_named(name: str, paths: Iterable[Path]) -> Plan:
    """The plan of that name; wrong usage with near names if there is none, exit 1 if its bundle has errors."""
    return plan_and_others(name, paths)[0]


def plan_and_others(name: str, paths: Iterable[Path]) -> tuple[Plan, list[Plan]]:
    """As `plan_named`, with all plans of its bundle: those of the procedures that it may run are among them."""
    found = [(folder, compile_shown(folder)) for folder in folders(paths)]
    plans = _plans_by_name(found)
    if name in plans:
        beside = next(bundle.plans for _, bundle in found if name in bundle.plans)
        return plans[name], list(beside.values())
    errors = [finding for _, bundle in found for finding in bundle.errors]
    if errors:
        from interlock.cli.names import counted

        _print(errors)
        raise click.ClickException(f"there is no plan for {name!r}: the specs have {counted(len(errors), 'error')}.")
    raise click.UsageError(f"no agent or procedure is called {name!r}. {near_or_all(name, plans)}")


def agent_named(name: str, paths: Iterable[Path]) -> Plan:
    """The plan of the agent of that name; wrong usage if it is a procedure, which nobody talks to."""
    return agent_and_others(name, paths)[0]


def agent_and_others(name: str, paths: Iterable[Path]) -> tuple[Plan, list[Plan]]:
    """As `agent_named`, with all plans of its bundle."""
    plan, plans = plan_and_others(name, paths)
    if plan.work is not None:
        raise click.UsageError(f"{name!r} is a procedure; start it with `interlock run {name}`.")
    return plan, plans


def _plans_by_name(found: Iterable[tuple[Path, Compiled]]) -> dict[str, Plan]:
    """The plans of all bundles; a spec is started by its name, so two of one name cannot be served together."""
    plans: dict[str, Plan] = {}
    origin: dict[str, Path] = {}
    for folder, bundle in found:
        for plan in bundle.plans.values():
            if plan.name in origin:
                where = f"{shown(origin[plan.name])} and {shown(folder)}"
                raise click.ClickException(f"two specs are called {plan.name!r}, in {where}; rename one of them.")
            plans[plan.name], origin[plan.name] = plan, folder
    return plans


def _print(findings: list[Diagnostic]) -> None:
    from interlock.cli.formats import text

    click.echo(text(findings), err=True)
