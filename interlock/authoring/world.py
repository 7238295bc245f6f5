"""The port at which a stage asks for what tools answer, models write and retrievers find."""

from typing import Protocol, TypeVar

from interlock.interpreter.commands import CallTool, Generate, Retrieve
from interlock.interpreter.events import Generated, Retrieved, ToolReturned


class World(Protocol):
    """What answers for all that stands outside."""

    def answer(self, call: CallTool, now_ms: int) -> ToolReturned:
        """The end of that call."""

    def write(self, question: Generate, now_ms: int) -> Generated:
        """What a model says."""

    def find(self, search: Retrieve, now_ms: int) -> Retrieved:
        """What a retriever finds."""


W = TypeVar("W", bound=World)
