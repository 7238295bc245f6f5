"""One reply per message id: what was received before, by id and digest of its body, with the reply it got.

Replies are held up to a bound in all; the oldest give theirs up first, but keep id and digest.
"""

import hashlib
import json
from typing import Literal, TypeAlias

from interlock.interpreter.events import MessageReceived
from interlock.interpreter.state import IDS_KEPT, IDS_KEPT_MS, Json, State

REPLY_BYTES_KEPT = 512 * 1024

Delivery: TypeAlias = Literal["new", "repeated", "conflict"]


def digest_of(message: MessageReceived) -> str:
    """The digest of what makes two messages of one id the same."""
    content = [message.role, message.type, message.text, message.metadata]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


class Deliveries:
    """The messages a session has seen, kept in its state; here is counted what their replies take."""

    def __init__(self, state: State) -> None:
        self._state = state
        ordered = sorted(state.seen.items(), key=lambda item: item[1]["turn"])
        state.seen = dict(ordered)
        self._held = sum(entry["size"] for entry in state.seen.values())

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
        size = len(json.dumps(reply))
        turn = self._state.turn
        seen[message.id] = {"body": digest, "at_ms": message.now_ms, "turn": turn, "size": size, "reply": reply}
        self._held += size
        while len(seen) > IDS_KEPT or message.now_ms - next(iter(seen.values()))["at_ms"] > IDS_KEPT_MS:
            self._forget(next(iter(seen)))
        if self._held > REPLY_BYTES_KEPT:
            self._give_up_replies()

    def _forget(self, message_id: str) -> None:
        entry = self._state.seen.pop(message_id, None)
        if entry is not None:
            self._held -= entry["size"]

    def _give_up_replies(self) -> None:
        for entry in list(self._state.seen.values())[:-1]:
            if self._held <= REPLY_BYTES_KEPT:
                return
            self._held -= entry["size"]
            entry["size"], entry["reply"] = 0, None
