"""The port at which a stage asks for what tools answer."""

from typing import Protocol, TypeVar

from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import ToolReturned


class World(Protocol):
    """What answers for the tools."""

    def answer(self, call: CallTool, now_ms: int) -> ToolReturned:
        """The end of that call."""


W = TypeVar("W", bound=World)
