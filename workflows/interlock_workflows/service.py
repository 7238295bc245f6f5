"""Running a worker until it is told to stop: what every command and composition root that serves sessions shares."""

import asyncio
import logging
import os
import sys
from collections.abc import Mapping
from datetime import timedelta
from typing import NoReturn

import structlog
from temporalio.client import Client
from temporalio.worker import Worker

from interlock.client.attributes import ensure_search_attributes
from interlock.client.connection import TASK_QUEUE
from interlock.client.upgrades import offer_plans

STICKY = timedelta(seconds=2)
"""How long a turn waits for the worker that has the session in memory; after a crash another takes over then."""

GRACEFUL = timedelta(seconds=10)

log = structlog.get_logger("interlock.worker")


async def serve(
    client: Client,
    digests: Mapping[str, str],
    stop: asyncio.Event,
    *,
    task_queue: str = TASK_QUEUE,
    graceful: timedelta = GRACEFUL,
) -> None:
    """Serve sessions until `stop` is set, then let what runs finish within `graceful`.

    `client` was connected with `interlock_plugin`. Open sessions are told of the plans in `digests`, by spec name; how
    many have another one is logged.
    """
    await ensure_search_attributes(client)
    worker = Worker(
        client,
        task_queue=task_queue,
        graceful_shutdown_timeout=graceful,
        sticky_queue_schedule_to_start_timeout=STICKY,
    )
    async with worker:
        log.info("offered", sessions=await offer_plans(client, digests))
        await stop.wait()


def leave(code: int = 0) -> NoReturn:
    """End the process that served, with its output written.

    Temporal's native threads may still call into the interpreter; tearing it down under them has aborted the process.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
