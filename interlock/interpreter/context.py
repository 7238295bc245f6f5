"""The context that expressions and templates read: plain values by root, the dear ones computed when first read."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any


class Context(dict[str, Any]):
    """Roots of the context. A root given in `lazy` is computed once, when an expression first reads it."""

    __slots__ = ("lazy",)

    def __init__(self, roots: dict[str, Any], lazy: dict[str, Callable[[], Any]]) -> None:
        super().__init__(roots)
        self.lazy = lazy

    def __missing__(self, root: str) -> Any:
        value = self.lazy[root]()
        self[root] = value
        return value

    def close(self) -> None:
        """Let go of everything: the lazy roots and the turn hold one another, and would wait for the collector."""
        self.clear()
        self.lazy.clear()

    def extended(self, **roots: Any) -> "Context":
        """A context with further roots, `args`, `result`, `error` or `value`, say; the first is left as it is."""
        child = Context({**self, **roots}, {})
        child.lazy = {root: _from(self, root) for root in self.lazy if root not in child}
        return child


def _from(parent: Context, root: str) -> Callable[[], Any]:
    return lambda: parent[root]


def at_time(now_ms: int) -> datetime:
    """The root `now`."""
    return datetime.fromtimestamp(now_ms / 1000, UTC)
