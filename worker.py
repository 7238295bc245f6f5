"""Serves the bundles of a folder from a Temporal task queue: settings, plans, client, one worker. Copy and change it.

Address, namespace, TLS and key come from Temporal's environment configuration (TEMPORAL_ADDRESS …). Ours:
INTERLOCK_SPECS (specs), INTERLOCK_TASK_QUEUE (interlock), INTERLOCK_PLAN_STORE (.interlock/plans),
INTERLOCK_GRACEFUL_SECONDS (10); what the activities read stands in `interlock_activities.settings`.
"""

import asyncio
import logging
import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

import structlog

from interlock.client import TASK_QUEUE, connect
from interlock.client.errors import InterlockError
from interlock.compiler import compile_folder
from interlock.diagnostics import Severity
from interlock.plan.plan import Plan
from interlock.source import find_bundles
from interlock_activities.plan_store import PlanStore
from interlock_activities.registry import Activities
from interlock_activities.settings import settings_from
from interlock_workflows.plugin import interlock_plugin
from interlock_workflows.service import serve

DEFAULTS = {
    "INTERLOCK_SPECS": "specs",
    "INTERLOCK_TASK_QUEUE": TASK_QUEUE,
    "INTERLOCK_PLAN_STORE": ".interlock/plans",
    "INTERLOCK_GRACEFUL_SECONDS": "10",
}

log = structlog.get_logger("interlock.worker")


def compiled(specs: Path) -> list[Plan]:
    """The plans of every bundle under `specs`; prints what is wrong and exits if anything is."""
    bundles = find_bundles([specs]) if specs.exists() else []
    if not bundles:
        sys.exit(f"no YAML files under {specs}; name the folder of your bundles in INTERLOCK_SPECS")
    results = [compile_folder(folder) for folder in bundles]
    findings = [finding for result in results for finding in result.diagnostics]
    for finding in findings:
        print(finding, file=sys.stderr)  # noqa: T201 - diagnostics are for people, as `interlock check` prints them
    if any(finding.severity is Severity.ERROR for finding in findings):
        sys.exit("the worker does not start on specs with errors")
    return [plan for result in results for plan in result.plans.values()]


def log_as_json() -> None:
    """One JSON object a line on standard error, for our logs and for Temporal's."""
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    as_json = structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, structlog.processors.JSONRenderer()],
        foreign_pre_chain=shared,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(as_json)
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    structlog.configure(
        processors=[
            *shared,
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
    )


async def run(environ: dict[str, str]) -> None:
    """Serve until SIGTERM or SIGINT."""
    plans = compiled(Path(environ["INTERLOCK_SPECS"]))
    settings = settings_from(environ, plans)
    activities = Activities(settings)
    store = PlanStore(settings.store) if settings.store else None
    client = await connect(plugins=[interlock_plugin(activities.callables, store.get if store else None)])
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    log.info("serving", specs=sorted(plan.name for plan in plans), task_queue=environ["INTERLOCK_TASK_QUEUE"])
    try:
        await serve(
            client,
            {plan.name: plan.digest for plan in plans},
            stop,
            task_queue=environ["INTERLOCK_TASK_QUEUE"],
            graceful=timedelta(seconds=float(environ["INTERLOCK_GRACEFUL_SECONDS"])),
        )
    finally:
        await activities.aclose()
    log.info("stopped")


if __name__ == "__main__":
    log_as_json()
    try:
        asyncio.run(run(DEFAULTS | dict(os.environ)))
    except InterlockError as problem:
        sys.exit(str(problem))
