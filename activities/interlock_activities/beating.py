"""Heartbeats while a call runs, where the workflow asks for them: only so does a cancellation reach the call."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from temporalio import activity

T = TypeVar("T")

_BEATS = 3
"""Heartbeats within a heartbeat time-out."""

TELLING_S = 0.25
"""How often a call that has something to tell tells it, if it has changed."""


@asynccontextmanager
async def beating(telling: Callable[[], Sequence[Any]] | None = None) -> AsyncIterator[None]:
    """Beats until the block is left. The details of `telling` go along, whether beats are asked for or not."""
    timeout = activity.info().heartbeat_timeout
    pause = timeout.total_seconds() / _BEATS if timeout else None
    if telling is None and pause is None:
        yield
        return
    beats = asyncio.create_task(_beat(pause or 0) if telling is None else _tell(pause, telling))
    try:
        yield
    finally:
        beats.cancel()
        with suppress(asyncio.CancelledError):
            await beats


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives, though it is asked to stop: half of an effect is worse than one.

    Only a worker that shuts down ends it.
    """
    task = asyncio.ensure_future(work)
    while True:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            asked = activity.cancellation_details()
            if task.done() or asked is None or not asked.cancel_requested or activity.is_worker_shutdown():
                task.cancel()
                raise


async def _beat(pause: float) -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(pause)


async def _tell(pause: float | None, telling: Callable[[], Sequence[Any]]) -> None:
    said: Sequence[Any] = ()
    last = time.monotonic()
    if pause is not None:
        activity.heartbeat()
    while True:
        await asyncio.sleep(TELLING_S if pause is None else min(TELLING_S, pause))
        now, details = time.monotonic(), telling()
        if details != said or (pause is not None and now - last >= pause):
            said, last = details, now
            activity.heartbeat(*details)
