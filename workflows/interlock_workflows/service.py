"""Running a worker until it is told to stop: what every command and composition root that serves sessions shares."""

import asyncio
import contextlib
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import NoReturn, TextIO

import structlog
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker

from interlock.client.attributes import ensure_search_attributes
from interlock.client.connection import TASK_QUEUE
from interlock.client.errors import UnreachableError
from interlock.client.upgrades import offer_plans

STICKY = timedelta(seconds=2)
"""How long a turn waits for the worker that has the session in memory; after a crash another takes over then."""

GRACEFUL = timedelta(seconds=10)

TELLING = timedelta(milliseconds=250)
"""How long a heartbeat is held back at most: what a model is writing goes with it, for those who watch."""

NOT_YET = frozenset({RPCStatusCode.NOT_FOUND, RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED})
"""What a server answers that is still starting, or whose namespace is still to be made."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
"""Seconds between two tries to reach a server."""

log = structlog.get_logger("interlock.worker")


async def reached(
    connecting: Callable[[], Awaitable[Client]], stop: asyncio.Event, *, within: timedelta
) -> Client | None:
    """The client, once a server answers that knows its namespace; none if `stop` is set first.

    Each try that fails is logged. Raises `UnreachableError` when none has succeeded `within` that time.
    """
    deadline = time.monotonic() + within.total_seconds()
    pause = FIRST_PAUSE
    while not stop.is_set():
        try:
            return await _connected(connecting)
        except UnreachableError as problem:
            left = deadline - time.monotonic()
            if left <= 0:
                raise
            log.warning("waiting", problem=str(problem), seconds_left=round(left))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), min(pause, left))
        pause = min(pause * 2, LONGEST_PAUSE)
    return None


async def _connected(connecting: Callable[[], Awaitable[Client]]) -> Client:
    client = await connecting()
    try:
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
    except RPCError as error:
        if error.status not in NOT_YET:
            return client  # what the worker may not do it will say itself
        where = client.service_client.config.target_host
        raise UnreachableError(f"{where} has no namespace {client.namespace!r} yet: {error.message}") from error
    return client


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
        max_heartbeat_throttle_interval=TELLING,
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
