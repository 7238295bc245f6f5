"""MCP servers that are kept: each by a task of its own, started when called, restarted when lost, closed when idle."""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from typing import TypeAlias

import structlog

from interlock_activities.failures import Failure, failed
from interlock_activities.mcp_connection import Connection

START_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
_CLOSING_SECONDS = 15.0

Connecting: TypeAlias = Callable[[asyncio.Event, Callable[[], None]], AbstractAsyncContextManager[Connection]]
"""Opens a connection: told by it are that it has ended, and that the server has forgotten the session."""

_log = structlog.get_logger("interlock.mcp")


class McpServers:
    """The servers by what is known of each: its address, and the credentials it is called with."""

    def __init__(self, idle_seconds: float) -> None:
        self._idle_seconds = idle_seconds
        self._servers: dict[Hashable, _Server] = {}

    def connection(self, name: str, key: Hashable, connecting: Connecting) -> AbstractAsyncContextManager[Connection]:
        """A connection to use, which stays open meanwhile. Raises Failure where there is none to be had."""
        if key not in self._servers:
            self._servers[key] = _Server(name, connecting, self._idle_seconds)
        return self._servers[key].used()

    async def aclose(self) -> None:
        """Ends every session and every process."""
        servers, self._servers = list(self._servers.values()), {}
        await asyncio.gather(*(server.aclose() for server in servers))


class _Server:
    """One server: the session that calls share, and how long the next one waits after those that were lost."""

    def __init__(self, name: str, connecting: Connecting, idle_seconds: float) -> None:
        self._name = name
        self._connecting = connecting
        self._idle_seconds = idle_seconds
        self._sessions: list[_Session] = []
        self._losses = 0
        self._not_before = 0.0

    @asynccontextmanager
    async def used(self) -> AsyncIterator[Connection]:
        session = self._current()
        session.take()
        try:
            yield await session.connection()
            self._losses = 0
        finally:
            session.leave()

    async def aclose(self) -> None:
        await asyncio.gather(*(session.aclose() for session in self._sessions))

    def _current(self) -> "_Session":
        """The session for a new call; one that is over is left to the calls that it still has."""
        self._sessions = [one for one in self._sessions if not one.owner.done()]
        if not self._sessions or self._sessions[-1].over:
            session = _Session(self._connecting, self._idle_seconds, max(0.0, self._not_before - _now()), self._lost)
            self._sessions.append(session)
        return self._sessions[-1]

    def _lost(self, why: str) -> None:
        """The next start waits, longer every time until a call succeeds."""
        if self._losses:
            pause = min(FIRST_PAUSE_SECONDS * 2.0 ** (self._losses - 1), LONGEST_PAUSE_SECONDS)
            self._not_before = _now() + pause
        self._losses += 1
        _log.warning("mcp_server_lost", server=self._name, why=why, times=self._losses)


class _Session:
    """One session. The task that opens its client closes it too: a server that dies cancels no task but that one."""

    def __init__(self, connecting: Connecting, idle_seconds: float, pause: float, lost: Callable[[str], None]) -> None:
        self._idle_seconds = idle_seconds
        self._lost = lost
        self._opened: asyncio.Future[Connection | Failure] = asyncio.get_running_loop().create_future()
        self._ended = asyncio.Event()
        self._forgotten = False
        self._expected = False
        self._users = 0
        self._used_at = _now()
        self.owner = asyncio.create_task(self._own(connecting, pause))

    @property
    def over(self) -> bool:
        """Whether no new call may use it."""
        return self._forgotten or self._ended.is_set()

    def take(self) -> None:
        self._users += 1

    def leave(self) -> None:
        self._users -= 1
        self._used_at = _now()
        self._end_if_left()

    async def connection(self) -> Connection:
        """Raises Failure where there is none to be had."""
        opened = await asyncio.shield(self._opened)
        if isinstance(opened, Failure):
            raise replace(opened)
        return opened

    async def aclose(self) -> None:
        self._expected = True
        self._ended.set()
        if not self._opened.done():
            self.owner.cancel()
        _, left = await asyncio.wait([self.owner], timeout=_CLOSING_SECONDS)
        for owner in left:
            owner.cancel()
            await asyncio.wait([owner])

    def _forget(self) -> None:
        """The server knows the session no more: no new call uses it, and it ends with its last one."""
        self._forgotten = True
        self._end_if_left()

    def _end_if_left(self) -> None:
        if self._forgotten and not self._users:
            self._expected = True
            self._ended.set()

    async def _own(self, connecting: Connecting, pause: float) -> None:
        failure = failed("the worker is stopping", sent=False)
        try:
            await asyncio.sleep(pause)
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(START_SECONDS):
                    connection = await stack.enter_async_context(connecting(self._ended, self._forget))
                self._opened.set_result(connection)
                await self._until_idle()
            if not self._expected:
                self._lost("it went away")
        except TimeoutError:
            failure = failed(f"the server was not ready within {START_SECONDS:.0f} s", sent=False)
            self._lost(failure.message)
        except Failure as problem:
            failure = problem
            self._lost(failure.message)
        finally:
            self._ended.set()
            if not self._opened.done():
                self._opened.set_result(failure)

    async def _until_idle(self) -> None:
        while not self._ended.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._idle_seconds):
                    await self._ended.wait()
            if not self._ended.is_set() and not self._users and _now() - self._used_at >= self._idle_seconds:
                self._expected = True
                self._ended.set()


def _now() -> float:
    return asyncio.get_running_loop().time()
