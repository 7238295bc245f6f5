"""A value in a document of others, read by key with the type that is expected; what has another type is a finding.

References are followed within the document only. Nothing here fetches anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from interlock.contract.strict_json import shown
from interlock.diagnostics import Diagnostic, Location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.source.foreign import Foreign
    from interlock.source.places import KeyPath

MOST_FINDINGS = 100
MOST_VISITS = 50_000
"""Schemas looked at in one import: a document may name one schema many times, and each of those many others."""

_ARTICLES = {dict: "a map", list: "a list", str: "text", bool: "true or false"}


class TooMuchError(Exception):
    """The document unfolds to more than an import looks at, or has more mistakes than anybody reads."""


@dataclass
class Reading:
    """One document while it is read, with everything found wrong with it."""

    document: Foreign
    findings: list[Diagnostic] = field(default_factory=list)
    follows_siblings: bool = False
    """Whether keys beside a `$ref` count, as they do since 3.1."""
    visits: int = 0

    @property
    def root(self) -> Node:
        """The document itself."""
        return Node(self, self.document.data, ())

    def place(self, path: KeyPath) -> Location:
        """Where a key stands."""
        return self.document.places.key(path)

    def visit(self, node: Node) -> None:
        """Count a schema. Raises TooMuchError when there were too many."""
        self.visits += 1
        if self.visits > MOST_VISITS:
            hint = "import some of the operations with --only"
            node.fault("too-many-nodes", f"the document unfolds to more than {MOST_VISITS:,} schemas", hint)
            raise TooMuchError

    def add(self, finding: Diagnostic) -> None:
        """Keep a finding. Raises TooMuchError when there are enough."""
        if finding not in self.findings:
            self.findings.append(finding)
        if len(self.findings) >= MOST_FINDINGS:
            raise TooMuchError


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its path; an absent one is None."""

    reading: Reading
    value: Any
    path: KeyPath

    def __bool__(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    @property
    def name(self) -> str:
        """The key under which it stands."""
        return str(self.path[-1]) if self.path else ""

    def get(self, key: str) -> Node:
        """The value of a key; None where this is no map, and then that is a finding."""
        value = self.value.get(key) if self.is_a(dict) else None
        return Node(self.reading, value, (*self.path, key))

    def items(self, key: str) -> list[Node]:
        """The items of the list under a key."""
        inner = self.get(key)
        values = inner.value if inner.is_a(list) else ()
        return [Node(self.reading, value, (*inner.path, index)) for index, value in enumerate(values)]

    def members(self, key: str) -> dict[str, Node]:
        """The members of the map under a key."""
        inner = self.get(key)
        values = inner.value if inner.is_a(dict) else {}
        return {name: Node(self.reading, value, (*inner.path, name)) for name, value in values.items()}

    def text(self, key: str) -> str:
        """The text under a key, or ""."""
        inner = self.get(key)
        return inner.value if inner.is_a(str) else ""

    def texts(self, key: str) -> list[str]:
        """The texts of the list under a key."""
        return [one.value for one in self.items(key) if one.is_a(str)]

    def flag(self, key: str) -> bool:
        """Whether `true` stands under a key."""
        inner = self.get(key)
        return bool(inner.value) if inner.is_a(bool) else False

    def is_a(self, kind: type) -> bool:
        """Whether the value has that type; another one is a finding, none at all is not."""
        if self.value is None:
            return False
        if isinstance(self.value, kind) and (kind is bool or not isinstance(self.value, bool)):
            return True
        self.unexpected(_ARTICLES[kind])
        return False

    def unexpected(self, wanted: str) -> None:
        """The value is something else than what is wanted here."""
        name = f"{shown(self.name)!r}" if self.path and isinstance(self.path[-1], str) else "an item"
        self.fault("bad-openapi", f"{name} is {_called(self.value)} where {wanted} is expected")

    def fault(self, code: str, message: str, hint: str = "") -> None:
        """Something is wrong here."""
        self.reading.add(Diagnostic(code, message, self.reading.place(self.path), hint=hint))

    def followed(self) -> Node:
        """What a `$ref` leads to, through any number of them; itself if it is none; empty if it leads nowhere."""
        node, seen = self, {self.path}
        while isinstance(node.value, dict) and isinstance(node.value.get("$ref"), str):
            reference = node.get("$ref")
            node = _target(reference)
            if node.path in seen:
                reference.fault("unknown-reference", "a reference that leads back to itself")
                return Node(self.reading, None, self.path)
            seen.add(node.path)
        return node


def _target(reference: Node) -> Node:
    """What one reference names."""
    reading, pointer = reference.reading, reference.value
    nothing = Node(reading, None, reference.path)
    if pointer != "#" and not pointer.startswith("#/"):
        hint = "put what it names into this document, for example with a tool that bundles, and refer to it as '#/…'"
        reference.fault("outside-reference", f"{shown(pointer)!r} leads out of the document: not followed", hint)
        return nothing
    value: Any = reading.document.data
    path: list[str | int] = []
    for step in _steps(pointer):
        if isinstance(value, dict) and step in value:
            value, path = value[step], [*path, step]
        elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step[:9]) < len(value):
            value, path = value[int(step[:9])], [*path, int(step[:9])]
        else:
            reference.fault("unknown-reference", f"there is no {shown(pointer)!r} in the document")
            return nothing
    return Node(reading, value, tuple(path))


def _steps(pointer: str) -> Iterator[str]:
    for step in pointer.split("/")[1:]:
        yield unquote(step).replace("~1", "/").replace("~0", "~")


def _called(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return _ARTICLES.get(type(value), "something else")
