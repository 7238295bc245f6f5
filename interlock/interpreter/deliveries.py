"""One reply per message id: what was received before, by id and digest of its body, with the reply it got.

Replies are held up to a bound in all; the oldest give theirs up first, but keep id and digest.
"""

import hashlib
import json
from collections import deque
from typing import Literal, TypeAlias

from interlock.interpreter.events import MessageReceived
from interlock.interpreter.state import IDS_KEPT, IDS_KEPT_MS, Json, State

REPLY_BYTES_KEPT = 512 * 1024
ENVELOPE_BYTES = 600
"""About what a reply takes besides its text and data."""

Delivery: TypeAlias = Literal["new", "repeated", "conflict"]


def digest_of(message: MessageReceived) -> str:
    """The digest of what makes two messages of one id the same."""
    metadata = json.dumps(message.metadata, sort_keys=True) if message.metadata else ""
    role, kind, text = message.role, message.type, message.text
    if message.model:
        metadata += "\0" + json.dumps(message.model, sort_keys=True)
    content = f"{len(role)}\0{len(kind)}\0{len(metadata)}\0{len(text)}\0{role}\0{kind}\0{metadata}\0{text}"
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


class Deliveries:
    """The messages a session has seen, kept in its state; here is counted what their replies take."""

    def __init__(self, state: State) -> None:
        self._state = state
        ordered = sorted(state.seen.items(), key=lambda item: item[1]["turn"])
        state.seen = dict(ordered)
        self._held = sum(entry["size"] for entry in state.seen.values())
        self._holders = deque((name, entry["turn"]) for name, entry in ordered if entry["reply"] is not None)

    def find(self, message: MessageReceived, digest: str) -> tuple[Delivery, Json]:
        """Whether the message came before, and the entry it left."""
        entry = self._state.seen.get(message.id)
        if entry is None or message.now_ms - entry["at_ms"] > IDS_KEPT_MS:
            return "new", {}
        return ("repeated" if entry["body"] == digest else "conflict"), entry

    def keep(self, message: MessageReceived, digest: str, reply: Json) -> None:
        """Remember a message with its reply, and let go of what is too old or too much."""
        seen = self._state.seen
        self._forget(message.id)
        size = len(reply["text"]) * 2 + ENVELOPE_BYTES + (len(json.dumps(reply["data"])) if reply["data"] else 0)
        turn = self._state.turn
        seen[message.id] = {"body": digest, "at_ms": message.now_ms, "turn": turn, "size": size, "reply": reply}
        self._held += size
        self._holders.append((message.id, turn))
        while len(seen) > IDS_KEPT or message.now_ms - next(iter(seen.values()))["at_ms"] > IDS_KEPT_MS:
            self._forget(next(iter(seen)))
        while self._held > REPLY_BYTES_KEPT and len(self._holders) > 1:
            self._give_up(*self._holders.popleft())

    def _forget(self, message_id: str) -> None:
        entry = self._state.seen.pop(message_id, None)
        if entry is not None:
            self._held -= entry["size"]

    def _give_up(self, message_id: str, turn: int) -> None:
        entry = self._state.seen.get(message_id)
        if entry is not None and entry["turn"] == turn:
            self._held -= entry["size"]
            entry["size"], entry["reply"] = 0, None
