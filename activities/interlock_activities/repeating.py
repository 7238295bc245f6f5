"""Whether what comes back repeats a credential that was sent."""

from collections.abc import Iterable
from typing import Any

_TELLING = 8
"""Characters of a credential that are no coincidence; shorter ones stand in ordinary text by chance."""


def repeats(text: str, secrets: Iterable[str]) -> bool:
    """Whether `text` holds one of the secrets, in whatever case."""
    found = text.lower()
    return any(secret.lower() in found for secret in secrets if len(secret) >= _TELLING)


def held_back(text: str, secrets: Iterable[str]) -> int:
    """How many characters at the end of `text` may be the beginning of a secret."""
    found = text.lower()
    return max((_overlap(found, secret.lower()) for secret in secrets if len(secret) >= _TELLING), default=0)


def texts_of(payload: Any) -> Iterable[str]:
    """Every text in a JSON value, keys too."""
    waiting = [payload]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.keys()
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _overlap(text: str, secret: str) -> int:
    longest = min(len(text), len(secret) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(secret[:size])), 0)
