"""Running a worker until it is told to stop: what every command and composition root that serves sessions shares."""

import asyncio
import logging
import os
import sys
from collections.abc import Mapping
from datetime import timedelta
from typing import NoReturn, TextIO

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
    """End the process that served, with its output written; with 1 instead of 0 where nobody takes that.

    Temporal's native threads may still call into the interpreter; tearing it down under them has aborted the process.
    """
    logging.shutdown()
    written = [_written(stream) for stream in (sys.stdout, sys.stderr)]
    os._exit(code if all(written) else code or 1)


def _written(stream: TextIO | None) -> bool:
    """Whether all that was printed has gone out; a process that was started without a stream has printed nothing."""
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):  # the reader has gone, the disk is full, the stream is closed
        return False
    return True
