"""The port to a store of memories, and what every store does alike."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from interlock.contract.calls import Json
from interlock.contract.memory import MemoryEntry, Person, last, latest

Kind: TypeAlias = Literal["exchange", "result"]


class MemoryStoreError(Exception):
    """The store cannot be used; its message holds nothing of anybody's."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that is remembered: `place` orders what one turn, `id`, has left."""

    kind: Kind
    id: str
    place: int
    at_ms: int
    content: Json


class MemoryStore(Protocol):
    """Rows by person. Every method raises MemoryStoreError, and nothing else."""

    async def read(self, person: Person) -> list[Row]:
        """All rows of a person, oldest first."""

    async def add(self, person: Person, rows: list[Row], chars: int, results: int) -> None:
        """Add rows, but for those that are there already, and drop what is `beyond` the bounds; all or nothing."""

    async def held(self, value: str, agent: str = "", tenant: str | None = None) -> dict[Person, int]:
        """How many rows there are of a value, with every agent and tenant or with one, by person."""

    async def forget(self, value: str, agent: str = "", tenant: str | None = None) -> dict[Person, int]:
        """Delete these rows; what they were."""

    async def aclose(self) -> None:
        """End what is kept open."""


def rows_of(entry: MemoryEntry) -> list[Row]:
    """What an entry leaves."""
    said = {"said": entry.said, "answered": entry.answered}
    found = [Row("result", entry.id, place, entry.at_ms, one) for place, one in enumerate(entry.found, 1)]
    return [Row("exchange", entry.id, 0, entry.at_ms, said), *found]


def contents(rows: Iterable[Row], kind: Kind) -> list[Json]:
    """What rows of a kind hold, each with its time."""
    return [{"at_ms": row.at_ms, **row.content} for row in rows if row.kind == kind]


def beyond(rows: list[Row], chars: int, results: int) -> list[Row]:
    """The rows, oldest first, that are more than is kept."""
    exchanges = [row for row in rows if row.kind == "exchange"]
    found = [row for row in rows if row.kind == "result"]
    kept = len(latest([row.content for row in exchanges], chars)), len(last([row.content for row in found], results))
    return [*exchanges[: len(exchanges) - kept[0]], *found[: len(found) - kept[1]]]


def key_of(person: Person) -> tuple[str, str, str, str]:
    """A person as stores know them: agent, attribute, value and tenant."""
    return person.agent, person.by, person.value, person.tenant


def as_stored(row: Row) -> tuple[Kind, str, int, int, str]:
    """A row as it is stored: kind, id, place, time, and the content as JSON."""
    return row.kind, row.id, row.place, row.at_ms, json.dumps(row.content, ensure_ascii=False, separators=(",", ":"))


def from_stored(found: Iterable[tuple[Any, ...]]) -> list[Row]:
    """The rows that were stored so. Raises ValueError where a content is no JSON."""
    return [Row(kind, id_, place, at_ms, json.loads(content)) for kind, id_, place, at_ms, content in found]
