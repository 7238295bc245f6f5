"""What comes in from outside, one after another: a flood of it is spread over several tasks of the workflow."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from temporalio import workflow

AT_ONCE: Final = 500
"""So many are taken in one task of the workflow. A worker gives a task up that takes more than two seconds."""

PAUSE: Final = timedelta(milliseconds=1)


class Queue:
    """Lets one in after another, in the order of arrival."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()
        self._history = self._taken = 0
        self.length = 0
        """How many have arrived and are not done."""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The turn of whoever comes; the next one waits until the block is left."""
        self.length += 1
        try:
            async with self._one:
                await self._pause()
                yield
        finally:
            self.length -= 1

    async def _pause(self) -> None:
        """Where this task has taken enough, go on in another."""
        length = workflow.info().get_current_history_length()
        if length != self._history:
            self._history, self._taken = length, 0
        self._taken += 1
        if self._taken > AT_ONCE:
            await workflow.sleep(PAUSE, summary="more is waiting")
