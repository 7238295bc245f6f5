"""What workflows ask of the memory of a person and leave in it, all plain JSON; and how much of it is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from interlock.contract.calls import Json

MEMORY_READ: Final = "memory-read"
MEMORY_WRITE: Final = "memory-write"

MEMORY_FAILED: Final = "memory_failed"
"""Failure type: the store cannot be read or written. The conversation goes on without."""


@dataclass(frozen=True, slots=True)
class Person:
    """Whose memory it is: one value of an attribute of users, with one agent, under one tenant if there is any."""

    agent: str
    by: str
    value: str
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """What is remembered of a person: the last exchanges within `chars`, and the last `results`."""

    person: Person
    chars: int
    results: int


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One exchange, and what calls gave in it: `{tool, result}`; of the same `id` only the first is kept.

    What is older goes, as far as it is beyond `chars` and `results`.
    """

    person: Person
    id: str
    at_ms: int
    said: str
    answered: str
    found: list[Json]
    chars: int
    results: int


@dataclass(frozen=True, slots=True)
class Memories:
    """What is remembered, oldest first: exchanges `{at_ms, said, answered}`, results `{at_ms, tool, result}`."""

    exchanges: list[Json] = field(default_factory=list)
    results: list[Json] = field(default_factory=list)


def latest(exchanges: Sequence[Json], chars: int) -> list[Json]:
    """The last exchanges, oldest first, as many as have no more than `chars` characters together."""
    kept: list[Json] = []
    for one in reversed(exchanges):
        chars -= len(one["said"]) + len(one["answered"])
        if chars < 0:
            break
        kept.append(one)
    return kept[::-1]


def last(results: Sequence[Json], most: int) -> list[Json]:
    """The last results, oldest first."""
    return list(results[-most:]) if most else []
