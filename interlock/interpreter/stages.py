"""The stages that a machine goes through, as data for whoever traces it; nothing here is part of the state."""

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.interpreter.state import Json

StageName: TypeAlias = Literal["tool-loop", "tool-selection-decision", "pre-generation-gate", "argument-verification"]
"""What happens between two commands; what a command asks for is a stage by itself, and whoever does it names it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage that begins, ends, or is passed at once; one that begins ends before those around it.

    `facts` name what authors have written, and verdicts. `texts` are what users, documents and arguments say.
    """

    name: StageName
    moment: Literal["begins", "ends", "passes"]
    facts: "Json"
    texts: "Json" = field(default_factory=dict)


class Stages:
    """The stages since they were last asked for."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: list[Stage] = []

    @contextmanager
    def within(self, name: StageName, **facts: Any) -> "Iterator[Json]":
        """What happens in the block is part of the stage; what is known at its end is put into what this gives."""
        self._kept.append(Stage(name, "begins", facts))
        known: Json = {}
        try:
            yield known
        finally:
            self._kept.append(Stage(name, "ends", known))

    def passes(self, name: StageName, texts: "Json | None" = None, **facts: Any) -> None:
        """A stage that takes no time."""
        self._kept.append(Stage(name, "passes", facts, texts or {}))

    def fresh(self) -> list[Stage]:
        """Those since this was last asked."""
        fresh, self._kept = self._kept, []
        return fresh
