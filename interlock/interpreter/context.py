"""The context that expressions and templates read: plain values by root, the dear ones computed when first read."""

from collections.abc import Callable
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

    def extended(self, **roots: Any) -> "Context":
        """This context with further roots, `args`, `result`, `error` or `value`, say; this one is left as it is."""
        child = Context({**self, **roots}, {})
        child.lazy = {root: _from(self, root) for root in self.lazy if root not in child}
        return child


def _from(parent: Context, root: str) -> Callable[[], Any]:
    return lambda: parent[root]
