"""What every store of indexes can do: tell what it holds, change all of an index or nothing, and search it."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from interlock_activities.retrieval import analysis, chunks
from interlock_activities.retrieval.chunks import Passage

VERSION = analysis.VERSION * 1_000 + chunks.VERSION
"""Stands beside every index: one of another version is another index."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is known of a file in an index. `stamp` says whether it may have changed, `digest` whether it has.

    `made_by` names what made its passages: where that changes, they are made anew. `problem` says why there are none.
    """

    path: str
    digest: str
    stamp: str
    made_by: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A passage of an answer; the higher the score the better."""

    text: str
    title: str
    document: str
    locator: str
    score: float


class Change(Protocol):
    """A change of one index that has begun: nobody else changes it meanwhile, and nobody sees it before it is done."""

    marks: dict[str, Mark]

    async def put(self, mark: Mark, title: str, passages: list[Passage]) -> None:
        """A file with its passages, in place of what the index had of it."""

    async def touch(self, mark: Mark) -> None:
        """A file whose content has not changed."""

    async def remove(self, path: str) -> None:
        """A file that is no longer there."""


class Store(Protocol):
    """Indexes by name. Raises StoreError, and DamagedIndexError where an index must be built anew."""

    makes: str
    """What the store itself makes of passages, for `Mark.made_by`."""

    async def marks(self, index: str) -> dict[str, Mark] | None:
        """The files in an index by path; none if there is no such index of this version."""

    def changing(self, index: str, *, anew: bool = False) -> AbstractAsyncContextManager[Change]:
        """Begins a change, `anew` from nothing: its old versions go too. Takes all back if the block raises."""

    async def search(self, index: str, question: str, top: int) -> list[Found]:
        """The best passages first; none where nothing fits. Raises NoIndexError."""

    async def aclose(self) -> None:
        """Ends what the store keeps open."""


class StoreError(Exception):
    """The store cannot be used. The message is safe to show: no passage, no question, no password."""

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable


class NoIndexError(StoreError):
    """There is no such index of this version."""


class DamagedIndexError(StoreError):
    """What is stored under the name cannot be read."""
