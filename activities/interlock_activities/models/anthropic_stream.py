"""Puts a streamed message of Anthropic's together from its events."""

from interlock.contract.calls import Json
from interlock_activities.models import anthropic_wire, reading
from interlock_activities.models.chat import Completion
from interlock_activities.models.faults import told_midway


class AnthropicAssembly:
    """Takes events one by one; `whole` once the model said why it stopped."""

    def __init__(self) -> None:
        self._message: Json = {}
        self._usage: Json = {}
        self._blocks: dict[int, Json] = {}
        self._pieces: dict[int, list[str]] = {}
        self.ended = False

    @property
    def whole(self) -> bool:
        """Whether nothing of the answer is missing."""
        return self._message.get("stop_reason") is not None

    def add(self, event: Json) -> str:
        """The piece of text in the next event; raises Failure where it tells of one, or cannot be read."""
        match event.get("type"):
            case "error":
                raise told_midway(reading.member(event, "error"))
            case "message_start":
                self._message = dict(reading.member(event, "message"))
                self._usage = dict(reading.member(self._message, "usage"))
            case "message_delta":
                self._message |= reading.member(event, "delta")
                told = reading.member(event, "usage")
                self._usage |= {name: number for name, number in told.items() if number is not None}
            case "content_block_start":
                return self._begin(event, dict(reading.member(event, "content_block")))
            case "content_block_delta":
                return self._delta(event)
            case "message_stop":
                self.ended = True
        return ""

    def completion(self) -> Completion:
        """The whole answer."""
        return anthropic_wire.completion(self._message, map(self._block, self._blocks), self._usage)

    def _delta(self, event: Json) -> str:
        delta = reading.member(event, "delta")
        if delta.get("type") == "input_json_delta":
            self._more(event, reading.text(delta, "partial_json"))
        return self._more(event, reading.text(delta, "text")) if delta.get("type") == "text_delta" else ""

    def _begin(self, event: Json, block: Json) -> str:
        index = event.get("index")
        if type(index) is not int or index in self._blocks:
            raise reading.malformed("a block that has no number of its own")
        self._blocks[index], self._pieces[index] = block, []
        return self._more(event, reading.text(block, "text"))

    def _more(self, event: Json, piece: str) -> str:
        index = event.get("index")
        if type(index) is not int or index not in self._pieces:
            raise reading.malformed("a piece of a block that was not begun")
        self._pieces[index].append(piece)
        return piece

    def _block(self, index: int) -> Json:
        block, written = self._blocks[index], "".join(self._pieces[index])
        name = "input" if block.get("type") == "tool_use" else "text"
        return {**block, name: written} if written or name == "text" else block
