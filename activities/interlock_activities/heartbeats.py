"""Heartbeats while an activity works, where the workflow asks for them: only so does a cancellation reach it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from temporalio import activity

_BEATS = 3
"""Heartbeats within a heartbeat time-out."""


@asynccontextmanager
async def beating() -> AsyncIterator[None]:
    """Beats from here to the end of the block."""
    timeout = activity.info().heartbeat_timeout
    if not timeout:
        yield
        return
    beats = asyncio.create_task(_beat(timeout.total_seconds() / _BEATS))
    try:
        yield
    finally:
        beats.cancel()
        with suppress(asyncio.CancelledError):
            await beats


async def _beat(pause: float) -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(pause)
