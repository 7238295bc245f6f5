"""`interlock test`: runs suites without a server."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from interlock.cli.bundles import paths_argument, shown, sound_bundles
from interlock.cli.names import counted
from interlock.cli.output import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from interlock.authoring.coverage import Counted
    from interlock.authoring.suites import SuiteResult
    from interlock.compiler import Compiled, Suite
    from interlock.diagnostics import Location


@click.command("test", epilog="Example: interlock test specs --minimum 90 --junit report.xml")
@paths_argument
@click.option("--only", default="", metavar="TEXT", help="Run only the cases whose id contains this.")
@click.option("--seed", type=int, help="Run the cases in a random order, the same for the same seed.")
@click.option("--minimum", type=click.IntRange(0, 100), default=0, help="Fail if less than this per cent is covered.")
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write a JUnit report to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(
    paths: tuple[Path, ...], only: str, seed: int | None, minimum: int, junit: Path | None, as_json: bool
) -> None:
    """Run the suites under PATHS (default: specs) offline: no server, no network, every tool stubbed.

    Exit code 0: all passed. 1: a case failed, or too little is covered. 2: wrong usage. 3: a fault of ours.
    """
    from interlock.authoring import reports

    if only and minimum:
        raise click.UsageError("--minimum counts what all cases cover; leave --only away.")
    found = sound_bundles(paths)
    started = time.perf_counter()
    results = _results(found, only, seed)
    elapsed = time.perf_counter() - started
    coverage = _by_spec(results)
    if junit is not None:
        write(junit, reports.junit(results))
    if as_json:
        click.echo(reports.as_json(results, coverage.items()))
    else:
        _tell(results, coverage, elapsed, partial=bool(only))
    thin = [agent for agent, found in coverage.items() if found.share * 100 < minimum]
    for agent in thin:
        click.echo(f"coverage of {agent} is below the minimum of {minimum}%", err=True)
    click.get_current_context().exit(1 if thin or any(result.failed for result in results) else 0)


def _results(found: Iterable[tuple[Path, Compiled]], only: str, seed: int | None) -> list[SuiteResult]:
    results = [
        _ran(bundle, suite, _locator(folder, suite), only, seed) for folder, bundle in found for suite in bundle.suites
    ]
    if not any(result.cases for result in results):
        raise click.UsageError(f"no case's id contains {only!r}." if only else "there is no Suite under these paths.")
    return results


def _ran(
    bundle: Compiled, suite: Suite, locate: Callable[[tuple[str | int, ...]], Location], only: str, seed: int | None
) -> SuiteResult:
    from interlock.authoring.suites import run_suite

    plans = bundle.plans
    return run_suite(suite.spec, plans[suite.spec.of], locate, plans=plans.values(), only=only, seed=seed)


def _locator(folder: Path, suite: Suite) -> Callable[[tuple[str | int, ...]], Location]:
    prefix = shown(folder)

    def locate(path: tuple[str | int, ...]) -> Location:
        place = suite.key(*path)
        return place._replace(file=f"{prefix}/{place.file}")

    return locate


def _by_spec(results: Iterable[SuiteResult]) -> dict[str, Counted]:
    found: dict[str, Counted] = {}
    for result in results:
        if result.of in found:
            found[result.of].merge(result.coverage)
        else:
            found[result.of] = result.coverage
    return found


def _tell(results: list[SuiteResult], coverage: dict[str, Counted], elapsed: float, *, partial: bool) -> None:
    from interlock.authoring import reports

    told = reports.failures(results)
    if told:
        click.echo(told + "\n")
    if not partial:
        for agent, found in coverage.items():
            click.echo(reports.coverage_text(agent, found))
    cases = [case for result in results for case in result.cases]
    failed = sum(bool(case.failures) for case in cases)
    turns = sum(case.turns for case in cases)
    line = f"{len(cases) - failed} passed, {failed} failed, {counted(turns, 'turn')} in {elapsed:.2f} s"
    click.echo(click.style(line, fg="red" if failed else "green", bold=True))
