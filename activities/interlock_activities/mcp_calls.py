"""Calls tools of MCP servers that are started or reached, each if it is still the tool that was declared."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import structlog

from interlock.contract import strict_json
from interlock.contract.calls import Json, ToolRequest
from interlock_activities.addresses import AddressRules, required_url
from interlock_activities.failures import Failure, misconfigured, repeated, timed_out
from interlock_activities.http_request import auth_headers
from interlock_activities.mcp_connection import Connection, Endpoint, connected
from interlock_activities.mcp_process import Program, inherited
from interlock_activities.mcp_result import received
from interlock_activities.mcp_servers import McpServers
from interlock_activities.meaning import Received, retried
from interlock_activities.references import References
from interlock_activities.repeating import repeats, texts_of

_LOGGED = 60

_log = structlog.get_logger("interlock.mcp")


class McpCalls:
    """The calls of one worker, and the servers that they share."""

    def __init__(
        self,
        references: References,
        rules: AddressRules,
        commands: Sequence[tuple[str, ...]],
        ca_file: str,
        idle_seconds: float,
    ) -> None:
        self._references = references
        self._rules = rules
        self._commands = commands
        self._ca_file = ca_file
        self._servers = McpServers(idle_seconds)

    async def __call__(self, request: ToolRequest) -> Received:
        """What the tool answered; raises Failure where it did not."""
        secrets: list[str] = []
        try:
            answer = await self._answered(request, secrets)
        except Failure as failure:
            raise failure.redacted(secrets) from None
        if any(repeats(text, secrets) for text in texts_of(answer.payload)):
            raise repeated(answer.status, retryable=retried(answer.status))
        return answer

    async def aclose(self) -> None:
        """Ends every session and every process."""
        await self._servers.aclose()

    async def _answered(self, request: ToolRequest, secrets: list[str]) -> Received:
        target, key = self._target(request.server or {}, secrets)
        sent = False
        try:
            async with (
                asyncio.timeout(request.timeout_ms / 1000) as deadline,
                self._servers.connection(target.name, key, partial(self._connected, target)) as connection,
            ):
                await _agreed(connection, request)
                sent = True
                result = await connection.call(request.mcp, _arguments(request.arguments))
                return await received(result, request.max_bytes)
        except TimeoutError:
            if deadline.expired():
                raise timed_out(request.timeout_ms, sent=sent) from None
            raise

    @asynccontextmanager
    async def _connected(
        self, target: Program | Endpoint, ended: asyncio.Event, forgotten: Callable[[], None]
    ) -> AsyncIterator[Connection]:
        try:
            async with connected(target, self._rules, self._ca_file, ended, forgotten) as connection:
                yield connection
        finally:
            if isinstance(target, Program):
                said = strict_json.shown(target.last_words[-_LOGGED:])
                _log.debug("mcp_server_ended", server=target.name, code=target.code, said=said)

    def _target(self, server: Json, secrets: list[str]) -> tuple[Program | Endpoint, tuple[Any, ...]]:
        """What is started or reached, and all that tells it from another."""
        mcp = server.get("mcp") or {}
        if not mcp.get("command"):
            return self._endpoint(str(mcp.get("url", "")), server.get("auth"), secrets)
        return self._program(mcp["command"], mcp.get("env") or {}, secrets)

    def _endpoint(self, written: str, auth: Json | None, secrets: list[str]) -> tuple[Endpoint, tuple[Any, ...]]:
        url = required_url(self._references.address(written))
        headers, found = auth_headers(auth, self._references)
        secrets += found
        return Endpoint(url, headers), (url, *sorted(headers.items()))

    def _program(
        self, written: list[str], env: Mapping[str, str], secrets: list[str]
    ) -> tuple[Program, tuple[Any, ...]]:
        command = tuple(self._references.address(word) for word in written)
        if not any(allowed and command[: len(allowed)] == allowed for allowed in self._commands):
            shown = strict_json.shown(command[0])
            hint = "name the first words of its command in INTERLOCK_MCP_COMMANDS"
            raise misconfigured(f"this worker may not start this {shown!r}: {hint}")
        environment = inherited(self._references.env)
        for name, value in env.items():
            environment[name], found = self._references.credential(value)
            secrets += found
        return Program(command, environment, tuple(secrets)), (command, *sorted(environment.items()))


async def _agreed(connection: Connection, request: ToolRequest) -> None:
    """Raises Failure unless the server offers the tool, and says of it what it said when it was declared."""
    digest = await connection.digest(request.mcp)
    shown = strict_json.shown(request.mcp)
    if digest is None:
        raise misconfigured(f"the server offers no tool {shown!r}: correct its name, or import the server again")
    if request.definition and digest != request.definition:
        raise misconfigured(
            f"the server describes {shown!r} otherwise than when it was imported: look at what has changed with "
            f"`interlock import mcp`, and if it is well write `definition: '{digest}'`"
        )


def _arguments(arguments: list[Json]) -> dict[str, Any]:
    return {argument["send_as"]: argument["value"] for argument in arguments}
