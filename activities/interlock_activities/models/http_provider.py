"""Asks model services over HTTP as tools are called: judged addresses, a deadline, caps, strict JSON, no retries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from interlock.contract import strict_json
from interlock.contract.calls import Json
from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.addresses import required_url
from interlock_activities.failures import failed, repeated
from interlock_activities.heavy import aside
from interlock_activities.http_client import Answer, HttpClient, Stream
from interlock_activities.http_request import Outgoing
from interlock_activities.meaning import retried
from interlock_activities.models import faults, reading
from interlock_activities.models.chat import Chat, Completion, Rung, Tokens
from interlock_activities.models.learnt import Learnt
from interlock_activities.models.sse import Event, Events
from interlock_activities.repeating import repeats, texts_of

_DONE = "[DONE]"
_OVERHEAD = 512
"""How many times its size an answer may have as a stream: each few letters come in an envelope."""

_LATER_MS = 1_000
"""How much later the client's own deadline is than that of the whole question: it cancels but once. A second time would
break off what the first began, and leave a connection open that the model goes on writing to."""

Mending: TypeAlias = Callable[[Json], Json]


class Assembly(Protocol):
    """Puts a streamed answer together."""

    ended: bool

    @property
    def whole(self) -> bool: ...

    def add(self, event: Json, /) -> str: ...

    def completion(self) -> Completion: ...


@dataclass(frozen=True, slots=True)
class Wire:
    """A format: pure functions to and from JSON, and where its requests go.

    A request goes to `path` under the base address; `endings` are parts of it that people write as well. `mendings`
    are what a body needs at services that name the key in a refusal.
    """

    path: str
    endings: tuple[str, ...]
    rungs: tuple[Rung, ...]
    to_wire: Callable[[Chat], Json]
    from_wire: Callable[[Any], Completion]
    assembly: Callable[[], Assembly]
    headers: Mapping[str, str] = field(default_factory=dict)
    mendings: Mapping[str, Mending] = field(default_factory=dict)


class HttpProvider:
    """A `ChatProvider` of one format, for every service that speaks it."""

    def __init__(self, client: HttpClient, wire: Wire) -> None:
        self._client = client
        self._wire = wire
        self._mended: Learnt[tuple[str, str], tuple[str, ...]] = Learnt()

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The ways in which the format can ask for an object."""
        return self._wire.rungs

    async def chat(self, chat: Chat, tokens: Tokens) -> Completion:
        """The whole answer; raises Failure where there is none that can be read."""
        body = self._wire.to_wire(chat)
        service = (chat.endpoint.address, chat.model)
        for name in self._mended.get(service, ()):
            body = self._wire.mendings[name](body)
        while True:
            taking = _Taking(chat, self._wire.assembly(), tokens)
            answer = await self._client.send(self._outgoing(chat, body), taking.stream)
            mending = self._mending(answer, body)
            if not mending:
                return await self._read(answer, chat, taking)
            body = self._wire.mendings[mending](body)
            self._mended.put(service, (*self._mended.get(service, ()), mending))

    async def _read(self, answer: Answer, chat: Chat, taking: "_Taking") -> Completion:
        if answer.status != 200:
            if repeats(answer.body.decode(errors="replace"), chat.endpoint.secrets):
                raise repeated(answer.status, retryable=retried(answer.status))
            raise faults.refused(answer, chat.rung)
        if taking.begun:
            return taking.completion()
        payload = await aside(len(answer.body) > INLINE_LIMIT, _payload, answer, chat.endpoint.secrets)
        if reading.member(payload, "error"):
            raise faults.told_midway(reading.member(payload, "error"))
        completion = self._wire.from_wire(payload)
        if chat.streamed and completion.text:
            taking.tokens(completion.text)
        return completion

    def _mending(self, answer: Answer, body: Json) -> str:
        """Which key of the body a service does not know and another one does: the name that the refusal gives."""
        if answer.status not in (400, 422):
            return ""
        changing = (name for name, mend in self._wire.mendings.items() if mend(body) != body)
        return next((name for name in changing if name.encode() in answer.body), "")

    def _outgoing(self, chat: Chat, body: Json) -> Outgoing:
        base = required_url(chat.endpoint.address)
        path = base.path.rstrip("/")
        for ending in self._wire.endings:
            path = path.removesuffix(ending)
        accept = {"accept": "text/event-stream, application/json"} if chat.streamed else {}
        return Outgoing(
            method="POST",
            origin=base.origin,
            target=path + self._wire.path,
            private={**accept, **self._wire.headers, **chat.endpoint.headers},
            content=strict_json.dumps(body),
            redirects=(),
            timeout_ms=chat.timeout_ms + _LATER_MS,
            max_bytes=chat.max_bytes,
            secrets=chat.endpoint.secrets,
        )


class _Taking:
    """Takes one answer that may be a stream of events."""

    def __init__(self, chat: Chat, assembly: Assembly, tokens: Tokens) -> None:
        self.begun = False
        self.tokens = tokens
        self._assembly = assembly
        self._secrets = chat.endpoint.secrets
        self._events = Events(chat.max_bytes)
        self.stream = Stream(self._receive, chat.max_bytes * _OVERHEAD) if chat.streamed else None

    def completion(self) -> Completion:
        """What the stream held; raises Failure unless it came to its end."""
        if not self._assembly.whole:
            raise failed("the answer broke off before its end")
        return self._assembly.completion()

    def _receive(self, chunk: bytes) -> bool:
        self.begun = True
        return any(self._take(event) for event in self._events.feed(chunk))

    def _take(self, event: Event) -> bool:
        """Whether that was the last event."""
        if event.data.strip() == _DONE:
            return True
        payload = _loaded(event.data.encode(), "an event of the answer")
        if any(repeats(text, self._secrets) for text in texts_of(payload)):
            raise repeated(200)
        if not isinstance(payload, dict):
            raise reading.malformed("an event that is no object")
        if event.name == "error":
            raise faults.told_midway(reading.member(payload, "error") or payload)
        piece = self._assembly.add(payload)
        if piece:
            self.tokens(piece)
        return self._assembly.ended


def _payload(answer: Answer, secrets: tuple[str, ...]) -> Any:
    if repeats(answer.body.decode(errors="replace"), secrets):
        raise repeated(answer.status)
    if not answer.is_json:
        raise failed(f"status {answer.status}: the answer is not JSON in UTF-8", status=answer.status)
    payload = _loaded(answer.body, f"status {answer.status}: the answer")
    if any(repeats(text, secrets) for text in texts_of(payload)):  # written with escapes
        raise repeated(answer.status)
    return payload


def _loaded(content: bytes, what: str) -> Any:
    """Strict JSON; what is wrong with it is told by its code, since its text may be the model's."""
    try:
        return strict_json.loads(content, len(content))
    except NotStrictJsonError as problem:
        raise failed(f"{what} is refused: {problem.code}") from None
