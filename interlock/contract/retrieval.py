"""What workflows ask of retrievers and what comes back, all plain JSON; and which files can be searched at all."""

from dataclasses import dataclass, field
from typing import Final

from interlock.contract.calls import Json

RETRIEVE: Final = "retrieve"

RETRIEVAL_FAILED: Final = "retrieval_failed"
"""Failure type: no index, one that cannot be read, a plug-in that raised. Retried unless it would fail again."""

ENDINGS: Final = (".md", ".markdown", ".txt", ".html", ".htm")
"""Ends of the names of files that are read without any plug-in."""

PARSERS: Final = "interlock.parsers"
"""Group of entry points that read other files; the name of each is the ending it reads, without the dot."""


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    """A search. `retriever` is a dump of `plan.tools.Retriever`; `top` is what counts here, not its own."""

    retriever: Json
    query: str
    top: int
    run_id: str
    step: str
    timeout_ms: int


@dataclass(frozen=True, slots=True)
class Passages:
    """The best passages first: `{text, source: {title, document, locator}, score}`, within the inline limit.

    `score` orders the passages of one answer and means nothing beyond it.
    """

    passages: list[Json] = field(default_factory=list)
    elapsed_ms: int = 0
