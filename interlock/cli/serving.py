"""Serving bundles: plans, client, activities and worker put together, for the commands and for `worker.py`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import click
import structlog

from interlock.cli.bundles import shown, sound_bundles
from interlock.cli.scripts import scripts_of
from interlock.client import TASK_QUEUE, connect
from interlock.telemetry.exporting import UntracedError, traces_from
from interlock.telemetry.measuring import runtime_from
from interlock_activities.memory.store import MemoryStoreError
from interlock_activities.plan_store import PlanStore
from interlock_activities.registry import Activities
from interlock_activities.retrieval.failing import RetrievalError
from interlock_activities.settings import settings_from
from interlock_workflows.plugin import interlock_plugin
from interlock_workflows.service import reached, serve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from temporalio.runtime import Runtime

    from interlock.plan.plan import Plan
    from interlock.telemetry.exporting import Traces
    from interlock_activities.models.drafts import Drafts
    from interlock_activities.settings import Settings

DEFAULTS = {
    "INTERLOCK_SPECS": "specs",
    "INTERLOCK_TASK_QUEUE": TASK_QUEUE,
    "INTERLOCK_PLAN_STORE": ".interlock/plans",
    "INTERLOCK_VALUE_STORE": ".interlock/values",
    "INTERLOCK_GRACEFUL_SECONDS": "10",
    "INTERLOCK_CONNECT_SECONDS": "60",
}
"""What an operator may set in the environment, beside Temporal's own settings and those of the activities."""

log = structlog.get_logger("interlock.worker")


def environment() -> dict[str, str]:
    """The process's environment, over the defaults."""
    return DEFAULTS | dict(os.environ)


def sound_plans(paths: Iterable[Path]) -> list[Plan]:
    """The plans of every bundle under `paths`. Prints what is wrong; raises ClickException if nothing can be served."""
    found = sound_bundles(paths)
    plans = [plan for _, bundle in found for plan in bundle.plans.values()]
    if not plans:
        raise click.ClickException(
            f"there is no Agent or Procedure in {', '.join(shown(folder) for folder, _ in found)}."
        )
    return plans


def settings_for(environ: Mapping[str, str], plans: Iterable[Plan], bundles: Iterable[Path]) -> Settings:
    """What the activities are given, with the script of the models if there is one. Raises ClickException."""
    return replace(settings_from(environ, plans, bundles), models=scripts_of(environ))


def seconds_of(environ: Mapping[str, str], name: str) -> timedelta:
    """A setting that is a number of seconds; raises ClickException for anything else."""
    with contextlib.suppress(ValueError, OverflowError):
        seconds = timedelta(seconds=float(environ[name]))
        if seconds >= timedelta(0):
            return seconds
    raise click.ClickException(f"{name} is {environ[name]!r}; give a number of seconds.")


async def serve_plans(
    settings: Settings,
    stop: asyncio.Event,
    environ: Mapping[str, str],
    *,
    address: str | None = None,
    within: timedelta = timedelta(0),
    drafts: Drafts | None = None,
) -> None:
    """Serve the plans of `settings` until `stop` is set, then finish what runs.

    A server that does not answer yet is waited for, `within` that time. What models write goes to `drafts` too.
    """
    graceful = seconds_of(environ, "INTERLOCK_GRACEFUL_SECONDS")
    activities = _activities(settings, drafts)
    store = PlanStore(settings.store) if settings.store else None
    plans = {plan.name: plan.digest for plan in settings.plans}
    queue, runtime = environ["INTERLOCK_TASK_QUEUE"], _runtime(environ)
    with tracing(environ) as traces:
        plugin = interlock_plugin(activities.callables, store.get if store else None, traces)
        try:
            client = await reached(lambda: connect(address, plugins=[plugin], runtime=runtime), stop, within=within)
            if client is not None:
                log.info("serving", specs=sorted(plans), task_queue=queue)
                await serve(client, plans, stop, task_queue=queue, graceful=graceful)
        finally:
            await activities.aclose()
    log.info("stopped")


@contextlib.contextmanager
def tracing(environ: Mapping[str, str]) -> Iterator[Traces | None]:
    """Traces of what is served and sent in the block, if the environment asks for them; without them all goes on."""
    try:
        traces = traces_from(environ)
    except UntracedError as problem:
        log.warning("untraced", problem=str(problem))
        traces = None
    try:
        yield traces
    finally:
        if traces is not None:
            traces.close()


def _runtime(environ: Mapping[str, str]) -> Runtime | None:
    try:
        return runtime_from(environ)
    except ValueError as problem:
        shown = environ["INTERLOCK_METRICS"]
        raise click.ClickException(f"INTERLOCK_METRICS is {shown!r}; give a port, or address:port. {problem}") from None


def _activities(settings: Settings, drafts: Drafts | None) -> Activities:
    try:
        return Activities(settings, drafts)
    except (RetrievalError, MemoryStoreError) as problem:
        raise click.ClickException(f"{problem}.") from problem


def stop_on_signals() -> asyncio.Event:
    """Set by SIGTERM, SIGINT, and SIGHUP unless it is ignored (nohup); called inside the running loop."""
    stop = asyncio.Event()
    numbers = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    for number in numbers:
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


async def serve_until_stopped(settings: Settings, environ: Mapping[str, str]) -> None:
    """Serve until a signal says stop; a server that does not answer yet is waited for."""
    within = seconds_of(environ, "INTERLOCK_CONNECT_SECONDS")
    await serve_plans(settings, stop_on_signals(), environ, within=within)
