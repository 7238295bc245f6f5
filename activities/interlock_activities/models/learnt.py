"""What a worker has learnt about services, as long as it runs: a bounded memory."""

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_KEPT = 1_000


class Learnt(Generic[K, V]):
    """Keeps the last thousand things learnt; models may be named by callers, so there is no end of keys."""

    def __init__(self) -> None:
        self._known: dict[K, V] = {}

    def get(self, key: K, otherwise: V) -> V:
        """What was learnt of `key`."""
        return self._known.get(key, otherwise)

    def put(self, key: K, value: V) -> None:
        """Learns it, and forgets the oldest if there is too much."""
        self._known.pop(key, None)
        self._known[key] = value
        if len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
