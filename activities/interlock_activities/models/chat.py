"""What providers of models are asked and give: the seam that others may implement."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

from interlock.contract.calls import Json
from interlock.interpreter.structured import wanted
from interlock_activities.failures import Failure

Rung: TypeAlias = Literal["", "schema", "tool", "json", "text"]
"""How an object is asked for: by its schema, as a tool's arguments, as any JSON, in words."""

Finish: TypeAlias = Literal["stop", "calls", "length", "refused"]

Tokens: TypeAlias = Callable[[str], None]
"""Is given each piece of the answer's text as it is written. It may raise Failure, which ends the call."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a provider is reached: its address and the headers that say as whom, all variables filled in."""

    address: str = field(default="", repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Chat:
    """One question. Messages, tools and `choose` are those of `interlock.contract.models.ModelRequest`.

    With `schema` the answer is to be an object, which may be `partial` there as well; `rung` is the way to ask for it,
    one of the provider's own `rungs`. The whole answer is due within `timeout_ms`, and may have `max_bytes`.
    """

    role: str
    model: str
    messages: tuple[Json, ...]
    tools: tuple[Json, ...] = ()
    choose: str = "auto"
    schema: Json | None = None
    partial: bool = False
    rung: Rung = ""
    temperature: float | None = None
    max_tokens: int | None = None
    streamed: bool = False
    timeout_ms: int = 60_000
    max_bytes: int = 256 * 1024
    endpoint: Endpoint = Endpoint()

    def instructed(self) -> "Chat":
        """The same with what the system says first told in words which object is wanted."""
        words = wanted(self.schema)
        first = self.messages[0] if self.messages and self.messages[0]["role"] == "system" else None
        if first is None:
            return replace(self, messages=({"role": "system", "content": words}, *self.messages))
        told = {**first, "content": f"{first.get('content') or ''}\n\n{words}"}
        return replace(self, messages=(told, *self.messages[1:]))


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer. `calls` are `{id, name, arguments}`, arguments none where they are no JSON object."""

    text: str = ""
    calls: tuple[Json, ...] = ()
    finish: Finish = "stop"
    model: str = ""
    id: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None


class ChatProvider(Protocol):
    """Answers chats. An installed package brings one under the entry point group `interlock.providers`, as an object
    or as a class without arguments; `interlock_activities.models.conformance` tests it.

    It raises `Failure` (see `interlock_activities.failures`) for faults of network, service and time alone, without
    retrying, and `Unsupported` where the service does not know a rung. Any other exception is a fault of its code.
    """

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The ways in which it can ask for an object, the best first. In `tool` and `text` a chat has all it needs."""

    async def chat(self, chat: Chat, tokens: Tokens) -> Completion:
        """The whole answer. If the chat is `streamed`, `tokens` has been given all of its text by then."""


@dataclass(eq=False)
class Unsupported(Failure):
    """The service does not know the way in which it was asked for an object: it is asked in the next."""
