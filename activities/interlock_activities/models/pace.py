"""Client-side limits: requests wait for their turn in the order they came in, but never so long as to fail by it."""

import asyncio
import hashlib
import json
import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from interlock.plan.tools import Limits
from interlock_activities.failures import Failure, failed
from interlock_activities.models.chat import Chat, Endpoint
from interlock_activities.models.windows import Turn, forget, start

_ANSWER_TOKENS = 500
"""What an answer is taken to cost where nothing says how long it may be."""

_BYTES_A_TOKEN = 4
_IDLE_KEPT = 1_000


def estimated_tokens(chat: Chat) -> int:
    """What a chat will cost, roughly: its size now, what it really cost when that is known."""
    asked = json.dumps([chat.messages, chat.tools, chat.schema], ensure_ascii=False).encode(errors="replace")
    return len(asked) // _BYTES_A_TOKEN + (chat.max_tokens or _ANSWER_TOKENS)


@dataclass(eq=False, slots=True)
class _Waiting:
    tokens: int
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Turns:
    """The turns at one service with one credential. The limits of whoever asks last count."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._past: deque[Turn] = deque()
        self._waiting: deque[_Waiting] = deque()

    @property
    def idle(self) -> bool:
        """Whether nothing is remembered."""
        forget(self._past, self._clock())
        return not self._past and not self._waiting

    async def take(self, tokens: int, limits: Limits, patience_s: float) -> Turn:
        """The turn, when it has come; raises Failure, saying when to ask again, if that is beyond `patience_s`."""
        ahead = [one.tokens for one in self._waiting]
        if self._wait_s([*ahead, tokens], limits) > patience_s:
            raise _too_long(self._wait_s([*ahead, tokens], limits))
        me = _Waiting(tokens)
        self._waiting.append(me)
        try:
            async with asyncio.timeout(patience_s):
                await self._come_first(me, limits)
        except TimeoutError:
            raise _too_long(self._wait_s([tokens], limits)) from None
        finally:
            self._waiting.remove(me)
            self._look_again()
        turn = Turn(self._clock(), tokens)
        self._past.append(turn)
        return turn

    def correct(self, turn: Turn, tokens: int) -> None:
        """Says what a turn did cost."""
        turn.tokens = tokens
        self._look_again()

    def give_back(self, turn: Turn) -> None:
        """Says that nothing was sent."""
        with suppress(ValueError):  # it may lie more than a minute back
            self._past.remove(turn)
        self._look_again()

    async def _come_first(self, me: _Waiting, limits: Limits) -> None:
        while True:
            wait = self._wait_s([me.tokens], limits) if self._waiting[0] is me else None
            if wait is not None and wait <= 0:
                return
            me.changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await me.changed.wait()

    def _wait_s(self, costs: Iterable[int], limits: Limits) -> float:
        now = self._clock()
        forget(self._past, now)
        return start(self._past, costs, limits, now) - now

    def _look_again(self) -> None:
        if self._waiting:
            self._waiting[0].changed.set()


class Pace:
    """The turns of a worker at all services, each by its address and credential."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turns: dict[bytes, Turns] = {}

    def at(self, endpoint: Endpoint) -> Turns:
        """The turns at a service. What is kept of a credential is its digest."""
        told = json.dumps([endpoint.address, endpoint.headers], sort_keys=True)
        key = hashlib.sha256(told.encode()).digest()
        if key not in self._turns:
            if len(self._turns) >= _IDLE_KEPT:
                self._turns = {known: turns for known, turns in self._turns.items() if not turns.idle}
            self._turns[key] = Turns(self._clock)
        return self._turns[key]


def _too_long(wait_s: float) -> Failure:
    told = "the server's `limits` leave no turn within the time-out"
    return replace(failed(told, sent=False), retry_after_ms=math.ceil(wait_s * 1000))
