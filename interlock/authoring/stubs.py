"""The stubbed tools of a suite: the first answer whose `when` holds and that is not used up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from interlock.authoring.memory_stubs import StubbedMemory
from interlock.authoring.model_stubs import StubbedModels, StubbedWriters, conditions_of
from interlock.interpreter.events import ToolReturned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from interlock.interpreter.commands import CallTool, Generate, Retrieve
    from interlock.interpreter.events import Generated, Retrieved
    from interlock.spec.suite import MemoryStub, Stub


class StubbedTools:
    """The compiled stubs of a suite; `world()` gives a fresh world in which nothing is used up."""

    def __init__(
        self,
        tools: Mapping[str, Sequence[Stub]],
        models: StubbedModels | None = None,
        memory: MemoryStub | None = None,
    ) -> None:
        self.tools, self.memory = tools, memory
        self.models = models or StubbedModels({}, {})
        self.conditions = conditions_of(tools)

    def world(self) -> StubbedWorld:
        """The stubs, none of them used."""
        return StubbedWorld(self)


class StubbedWorld:
    """Answers the calls of one case and remembers which stubs are used up."""

    def __init__(self, stubs: StubbedTools) -> None:
        self._stubs = stubs
        self._used: dict[tuple[str, int], int] = {}
        self._unanswered: list[CallTool] = []
        self._writers = StubbedWriters(stubs.models)
        self.memory = StubbedMemory(stubs.memory)

    def answer(self, call: CallTool, now_ms: int) -> ToolReturned:
        """The stubbed end of the call; a call without a stub fails, and is kept."""
        for place, stub in enumerate(self._stubs.tools.get(call.tool, ())):
            key = (call.tool, place)
            if self._applies(key, stub, call):
                self._used[key] = self._used.get(key, 0) + 1
                if stub.outcome is not None:
                    return _failed(call, stub.outcome, now_ms)
                status, payload, earlier = stub.status or 200, stub.payload, call.again
                return ToolReturned(call.call_id, "returned", now_ms, status, payload, earlier=earlier)
        self._unanswered.append(call)
        message = f"no stub of {call.tool!r} answers this call"
        return ToolReturned(call.call_id, "error", now_ms, message=message, sent=call.again)

    def write(self, question: Generate, now_ms: int) -> Generated:
        """What the model of a role says; a question without a stub fails, and is kept."""
        return self._writers.write(question, now_ms)

    def find(self, search: Retrieve, now_ms: int) -> Retrieved:
        """What a retriever finds."""
        return self._writers.find(search, now_ms)

    def unasked(self) -> list[str]:
        """The roles that had no stub for a question since this was last asked."""
        roles, self._writers.unanswered = self._writers.unanswered, []
        return roles

    def unanswered(self) -> list[CallTool]:
        """The calls without a stub since this was last asked."""
        calls, self._unanswered = self._unanswered, []
        return calls

    def _applies(self, key: tuple[str, int], stub: Stub, call: CallTool) -> bool:
        if stub.times is not None and self._used.get(key, 0) >= stub.times:
            return False
        condition = self._stubs.conditions.get(key)
        return condition is None or bool(condition({"args": call.arguments}))


def _failed(call: CallTool, outcome: Literal["timeout", "error", "lost"], now_ms: int) -> ToolReturned:
    """A call without an answer; only of one that went wrong before it was sent is it known that nothing happened."""
    ending: Literal["timeout", "error"] = "timeout" if outcome == "timeout" else "error"
    message = f"stubbed {outcome}"
    return ToolReturned(call.call_id, ending, now_ms, message=message, sent=outcome != "error" or call.again)
