"""The context that expressions and templates read: plain values by root, the dear ones computed when first read."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any


class Context(dict[str, Any]):
    """Roots of the context. What is not in it is asked of `lazy` when an expression first reads it, and then kept.

    `lazy` raises KeyError for a root that there is not.
    """

    __slots__ = ("lazy",)

    def __init__(self, roots: dict[str, Any], lazy: Callable[[str], Any] | None = None) -> None:
        self.update(roots)
        self.lazy = lazy or _none

    def __missing__(self, root: str) -> Any:
        value = self[root] = self.lazy(root)
        return value

    def close(self) -> None:
        """Let go of everything: the lazy roots and the turn hold one another, and would wait for the collector."""
        self.clear()
        self.lazy = _none

    def extended(self, **roots: Any) -> "Context":
        """A context with further roots, `args`, `result`, `error` or `value`, say; the first is left as it is."""
        return Context({**self, **roots}, self.__getitem__)


def _none(root: str) -> Any:
    raise KeyError(root)


def at_time(now_ms: int) -> datetime:
    """The root `now`."""
    return datetime.fromtimestamp(now_ms / 1000, UTC)
