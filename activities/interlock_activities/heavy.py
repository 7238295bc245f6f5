"""Work on large values happens in a thread: calls and heartbeats of others go on meanwhile."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def aside(large: bool, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What `work` gives, worked out in a thread if it is `large`; a small one is not worth the way."""
    return await asyncio.to_thread(work, *args, **kwargs) if large else work(*args, **kwargs)
