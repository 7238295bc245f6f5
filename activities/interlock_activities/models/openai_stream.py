"""Puts a streamed chat completion together from its chunks."""

from dataclasses import dataclass, field
from typing import Any

from interlock.contract.calls import Json
from interlock_activities.models import openai_wire, reading
from interlock_activities.models.chat import Completion
from interlock_activities.models.faults import told_midway


@dataclass
class _Call:
    """A call that is being written."""

    id: Any = None
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class OpenAIAssembly:
    """Takes chunks one by one; `whole` once the model said why it stopped."""

    def __init__(self) -> None:
        self._head: Json = {}
        self._text: list[str] = []
        self._calls: dict[Any, _Call] = {}
        self._refused = False
        self._reason: Any = None
        self._usage: Json = {}
        self.ended = False
        """Nothing comes after their last word, `[DONE]`, which is no chunk."""

    @property
    def whole(self) -> bool:
        """Whether nothing of the answer is missing but, perhaps, what it cost."""
        return self._reason is not None

    def add(self, chunk: Json) -> str:
        """The piece of text in the next chunk; raises Failure where it tells of one, or cannot be read."""
        if chunk.get("error"):
            raise told_midway(reading.member(chunk, "error"))
        for name in ("id", "model"):
            self._head[name] = self._head.get(name) or reading.text(chunk, name)
        self._usage = reading.member(chunk, "usage") or self._usage
        choice = next((one for one in reading.members(chunk, "choices") if (one.get("index") or 0) == 0), {})
        delta = reading.member(choice, "delta")
        for one in reading.members(delta, "tool_calls"):
            self._add_call(one)
        self._refused = self._refused or bool(delta.get("refusal"))
        self._reason = choice.get("finish_reason") or self._reason
        piece = openai_wire.content(delta.get("content"))
        self._text.append(piece)
        return piece

    def completion(self) -> Completion:
        """The whole answer."""
        calls: list[Json] = []
        for one in self._calls.values():
            calls.append(reading.call(one.id, one.name, "".join(one.arguments), calls))
        text = "".join(self._text)
        return openai_wire.completion(
            self._head, text, calls, refused=self._refused, reason=self._reason, usage=self._usage
        )

    def _add_call(self, piece: Json) -> None:
        call = self._calls.setdefault(self._place(piece), _Call())
        function = reading.member(piece, "function")
        call.id = call.id or piece.get("id")
        call.name = call.name or reading.text(function, "name")
        call.arguments.append(reading.text(function, "arguments"))

    def _place(self, piece: Json) -> Any:
        """Which call a piece belongs to: by its index, else by its id, else to the last one."""
        if type(piece.get("index")) is int:
            return piece["index"]
        given = piece.get("id")
        if isinstance(given, str) and given:
            return given
        return next(reversed(self._calls), 0)
