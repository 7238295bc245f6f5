"""How much was asked of a service in the last minute, and when there is room for more: arithmetic alone, no clock."""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from interlock.plan.tools import Limits

MINUTE_S = 60.0


@dataclass(eq=False, slots=True)
class Turn:
    """One request: when it was sent, in seconds of whichever clock, and the tokens that it costs, as far as known."""

    at: float
    tokens: int


def start(past: Iterable[Turn], costs: Iterable[int], limits: Limits, now: float) -> float:
    """When the last of requests with these `costs` may be sent, each as early as can be but none before another.

    In no minute are there more requests, or tokens, than `limits` say; a request that costs more than all tokens of a
    minute goes alone.
    """
    window = deque(past)
    used = sum(turn.tokens for turn in window)
    for cost in costs:
        while window and (window[0].at + MINUTE_S <= now or not _fits(len(window), used, cost, limits)):
            oldest = window.popleft()
            used -= oldest.tokens
            now = max(now, oldest.at + MINUTE_S)
        window.append(Turn(now, cost))
        used += cost
    return now


def _fits(requests: int, used: int, cost: int, limits: Limits) -> bool:
    most = limits.tokens_per_minute
    return requests < (limits.requests_per_minute or math.inf) and (most is None or used + min(cost, most) <= most)


def forget(past: "deque[Turn]", now: float) -> None:
    """Drops what lies more than a minute back."""
    while past and past[0].at + MINUTE_S <= now:
        past.popleft()
