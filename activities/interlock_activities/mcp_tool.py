"""The MCP transport. What it needs is an extra, and takes a second to load: the first call does it."""

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from interlock.contract.calls import ToolRequest
from interlock_activities.addresses import AddressRules
from interlock_activities.failures import misconfigured
from interlock_activities.meaning import Received
from interlock_activities.references import References

if TYPE_CHECKING:
    from interlock_activities.mcp_calls import McpCalls

IDLE_SECONDS = 300.0
"""How long a server is kept that nobody calls."""


class McpTransport:
    """Calls tools of MCP servers. An answer has status 200, 500 where the tool failed, or 400 where it was not called.

    `commands` are those that servers may be started with, each by its first words.
    """

    def __init__(
        self,
        references: References,
        rules: AddressRules,
        commands: Iterable[str] = (),
        ca_file: str = "",
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        try:
            split = [tuple(shlex.split(command)) for command in commands]
        except ValueError as problem:
            raise ValueError(f"INTERLOCK_MCP_COMMANDS: {problem}") from None
        self._given = (references, rules, split, ca_file, idle_seconds)
        self._calls: McpCalls | None = None

    async def __call__(self, request: ToolRequest) -> Received:
        """What the tool answered; raises Failure where it did not."""
        if self._calls is None:
            try:
                from interlock_activities import mcp_calls  # noqa: PLC0415 - see above
            except ImportError:
                raise misconfigured("MCP needs the extra: pip install 'interlock-engine[mcp]'") from None
            self._calls = mcp_calls.McpCalls(*self._given)
        return await self._calls(request)

    async def aclose(self) -> None:
        """Ends every session and every process."""
        if self._calls is not None:
            await self._calls.aclose()
