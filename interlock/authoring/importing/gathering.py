"""All that a schema says by way of references, `allOf`, and alternatives that only allow null beside it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.authoring.importing.nodes import Node
    from interlock.source.places import KeyPath

MOST_ALTERNATIVES = 50


@dataclass
class Gathered:
    """The schemas that hold at once, in the order in which they are named."""

    parts: list[Node] = field(default_factory=list)
    choices: list[list[Node]] = field(default_factory=list)
    """Groups of alternatives, of which one holds."""
    nullable: bool = False
    circle: str = ""
    """Name of a schema that holds itself."""

    @property
    def paths(self) -> frozenset[KeyPath]:
        """Where the parts stand, to know them again further inside."""
        return frozenset(part.path for part in self.parts)

    def first(self, key: str) -> Node | None:
        """The first part that has a key."""
        return next((part for part in self.parts if part.value.get(key) is not None), None)

    def text(self, key: str) -> str:
        """The first text under a key, or ""."""
        part = self.first(key)
        return part.text(key) if part else ""

    def flag(self, *keys: str) -> bool:
        """Whether some part says `true` under one of the keys."""
        return any(part.flag(key) for part in self.parts for key in keys)


def gathered(nodes: Iterable[Node], trail: frozenset[KeyPath]) -> Gathered:
    """What `nodes` say together; `trail` are the schemas around them, which end a circle."""
    found, waiting, seen = Gathered(), deque(nodes), set()
    while waiting:
        node = waiting.popleft()
        node.reading.visit(node)
        target = node.followed()
        if target.path in trail:
            found.circle = target.name
            continue
        if _has_siblings(node):
            found.parts.append(node)
        if target.path in seen or isinstance(target.value, bool) or not target.is_a(dict):
            continue
        seen.add(target.path)
        found.parts.append(target)
        waiting.extend(target.items("allOf"))
        for key in ("oneOf", "anyOf"):
            _alternatives(target.items(key)[:MOST_ALTERNATIVES], found, waiting)
    return found


def _alternatives(alternatives: list[Node], found: Gathered, waiting: deque[Node]) -> None:
    """One that is left without null holds as if it stood under `allOf`."""
    real = [one for one in alternatives if not _is_null(one.followed().value)]
    found.nullable |= len(real) < len(alternatives)
    if len(real) == 1:
        waiting.append(real[0])
    elif real:
        found.choices.append(real)


def _has_siblings(node: Node) -> bool:
    return (
        node.reading.follows_siblings and isinstance(node.value, dict) and "$ref" in node.value and len(node.value) > 1
    )


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and (schema.get("type") == "null" or schema.get("enum") == [None])
