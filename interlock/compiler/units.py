"""A spec as the passes see it: its parts by plural and name, each with its place, and the Libraries it may read.

What is broken in shape is left out, remembered by name so that nothing else complains of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from interlock.compiler.stand_ins import STAND_IN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.diagnostics import Location
    from interlock.source import Document, KeyPath, Sheet
    from interlock.spec.fields import Field
    from interlock.spec.models import Grounding, Memory
    from interlock.spec.specs import MessageSpec, ProcedureSpec, SessionSpec

PLURALS = (
    "config",
    "servers",
    "models",
    "vocabularies",
    "slots",
    "intents",
    "conditions",
    "decisions",
    "responses",
    "retrievers",
    "tools",
    "flows",
)
"""The maps that declare named parts."""

STEPS = "steps"
"""The name under which the steps of a Procedure are kept, as if they were its one flow."""

ANY_NAME = "*"
"""Stands among broken names where it is not known which there are."""

LISTS = ("mounts", "gates", "routes", "model_rules")
"""The lists of an Agent."""

SINGULAR = {
    "config": "constant",
    "servers": "server",
    "models": "model",
    "vocabularies": "vocabulary",
    "slots": "slot",
    "intents": "intent",
    "conditions": "condition",
    "decisions": "decision table",
    "responses": "response",
    "retrievers": "retriever",
    "tools": "tool",
    "flows": "flow",
}
"""What one part of each plural is called in messages."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One declared part. `model` is a spec model; for `config` the constant, for `flows` the list of steps."""

    plural: str
    name: str
    model: Any
    unit: Unit
    path: KeyPath

    def key(self, *more: str | int) -> Location:
        """Place of the part's key, or of a key within it."""
        return self.unit.key(*self.path, *more)

    def value(self, *more: str | int) -> Location:
        """Place of a value within the part."""
        return self.unit.value(*self.path, *more)

    def is_open(self, root: str) -> bool:
        """Whether nothing is known of a root within it, for it has lost a piece by a mistake in its shape."""
        return root in self.unit.opened.get((self.plural, self.name), ())

    @property
    def called(self) -> str:
        """How messages speak of it: `tool 'x'`."""
        return f"{SINGULAR[self.plural]} {self.name!r}"


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One entry of a list of the Agent, with its index as written."""

    index: int
    model: Any


Names: TypeAlias = "dict[str, dict[str, Part]]"


@dataclass(slots=True, eq=False)
class Unit:
    """An Agent, a Procedure or a Library.

    `visible` holds its own parts and those of all Libraries it uses, `procedures` those of its bundle; `incomplete`
    says that one of those could not be read, so that an unknown name proves nothing. `prefix` stands before the files
    of another bundle. `salvaged` says that its file has mistakes in its shape, and `opened` of which roots nothing is
    known within a part that has lost a piece by them. `memo` keeps what passes work out about the unit and others ask
    again.
    """

    kind: str
    name: str
    bundle: str
    document: Document
    sheets: Mapping[str, Sheet]
    prefix: str = ""
    uses: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    title: Any = None
    description: str = ""
    own: Names = field(default_factory=dict)
    lists: dict[str, list[Item]] = field(default_factory=dict)
    user: dict[str, Field] = field(default_factory=dict)
    message: MessageSpec | None = None
    session: SessionSpec | None = None
    instructions: Any = None
    fallback: Any = None
    grounding: Grounding | None = None
    trace_text: bool = False
    model_override: Literal["session", "message"] | None = None
    runtime: str | None = None
    memory: Memory | None = None
    input: dict[str, Field] = field(default_factory=dict)
    events: dict[str, dict[str, Field]] = field(default_factory=dict)
    work: ProcedureSpec | None = None
    broken: dict[str, set[str]] = field(default_factory=dict)
    salvaged: bool = False
    opened: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    libraries: list[Unit] = field(default_factory=list)
    visible: Names = field(default_factory=dict)
    procedures: dict[str, Unit] = field(default_factory=dict)
    incomplete: bool = False
    memo: dict[Any, Any] = field(default_factory=dict)

    def key(self, *path: str | int) -> Location:
        """Place of a key."""
        return self._placed(self.document.places.key(path))

    def value(self, *path: str | int) -> Location:
        """Place of a value."""
        return self._placed(self.document.places.value(path))

    def inside(self, path: KeyPath, offset: int) -> Location:
        """Place of a character within the text at `path`."""
        return self._placed(self.document.places.inside(path, offset))

    def _placed(self, place: Location) -> Location:
        return type(place)(self.prefix + place.file, place.line, place.column) if self.prefix else place

    @property
    def file(self) -> str:
        """Its file, as its places name it."""
        return self.prefix + self.document.file

    def parts(self, plural: str) -> dict[str, Part]:
        """Its own parts of one plural."""
        return self.own.get(plural, {})

    def find(self, plural: str, name: str) -> Part | None:
        """The part it means by that name, its own before those of its Libraries."""
        return self.visible.get(plural, {}).get(name)

    def knows(self, plural: str, name: str) -> bool:
        """Whether the name is declared, in whatever shape, or cannot be told; flows never come from a Library."""
        known = name in self.visible.get(plural, {}) or self.is_broken(plural, name)
        return known or (self.incomplete and plural != "flows")

    def is_broken(self, plural: str, name: str) -> bool:
        """Whether the name is declared with a mistake in its shape."""
        if self.is_stand_in(name):
            return True
        return any(not {name, ANY_NAME}.isdisjoint(unit.broken.get(plural, ())) for unit in self.closure())

    @property
    def is_whole(self) -> bool:
        """Whether nothing that it can see has been lost by a mistake."""
        return not self.incomplete and not any(member.broken for member in self.closure())

    def is_stand_in(self, text: str) -> bool:
        """Whether a name or text stands for something that is required and missing."""
        return self.salvaged and text == STAND_IN

    def closure(self) -> tuple[Unit, ...]:
        """Itself and all Libraries it uses, directly or not, each once, nearest first; asked once all are known."""
        if "closure" not in self.memo:
            found = [self]
            for unit in found:
                found += [library for library in unit.libraries if library not in found]
            self.memo["closure"] = tuple(found)
        members: tuple[Unit, ...] = self.memo["closure"]
        return members

    def let_go(self) -> None:
        """Forget all that holds the unit in turn, so that it goes at once: the collector would find it much later."""
        for held in (self.own, self.visible, self.procedures, self.libraries, self.memo):
            held.clear()

    @property
    def gates(self) -> list[Item]:
        """The gates, as written."""
        return self.lists.get("gates", [])

    @property
    def routes(self) -> list[Item]:
        """The routes, as written."""
        return self.lists.get("routes", [])

    @property
    def model_rules(self) -> list[Item]:
        """The rules that say which model writes, as written."""
        return self.lists.get("model_rules", [])

    @property
    def mounts(self) -> list[Item]:
        """The mounts of tools, as written."""
        return [item for item in self.lists.get("mounts", []) if item.model.call is not None]

    @property
    def run_mounts(self) -> list[Item]:
        """The mounts of procedures, as written."""
        return [item for item in self.lists.get("mounts", []) if item.model.run is not None]

    def run_mount_of(self, procedure: str) -> Item | None:
        """The mount of a procedure."""
        return next((item for item in self.run_mounts if item.model.run == procedure), None)

    @property
    def steps(self) -> Part | None:
        """The steps of a Procedure, if their shape is right."""
        return self.parts("flows").get(STEPS) if self.kind == "Procedure" else None

    @property
    def skipping(self) -> dict[str, str]:
        """The tools that gates skip, each with the first gate that does."""
        if "skipping" not in self.memo:
            named = [(name, item.model.id) for item in reversed(self.gates) for name in item.model.skip or ()]
            self.memo["skipping"] = dict(named)
        found: dict[str, str] = self.memo["skipping"]
        return found

    def mount_of(self, tool: str) -> Item | None:
        """The mount of a tool."""
        if "mounts" not in self.memo:
            self.memo["mounts"] = {item.model.call: item for item in reversed(self.mounts)}
        mounts: dict[str, Item] = self.memo["mounts"]
        return mounts.get(tool)
