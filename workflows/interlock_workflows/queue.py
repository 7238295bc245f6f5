"""What comes in from outside, one after another: a flood of it is spread over several tasks of the workflow."""

import asyncio
from datetime import timedelta
from typing import Final

from temporalio import workflow

AT_ONCE: Final = 500
"""So many are taken in one task of the workflow. A worker gives a task up that takes more than two seconds."""

PAUSE: Final = timedelta(milliseconds=1)


class Queue:
    """`async with queue:` is entered in the order of arrival, by one at a time."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()
        self._history = self._taken = 0
        self.length = 0
        """How many have arrived and are not done."""

    async def __aenter__(self) -> None:
        self.length += 1
        await self._one.acquire()
        length = workflow.info().get_current_history_length()
        if length != self._history:
            self._history, self._taken = length, 0
        self._taken += 1
        if self._taken > AT_ONCE:
            await workflow.sleep(PAUSE, summary="more is waiting")

    async def __aexit__(self, *_: object) -> None:
        self.length -= 1
        self._one.release()
