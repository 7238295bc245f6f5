"""What workflows ask of retrievers and what comes back, all plain JSON."""

from dataclasses import dataclass, field
from typing import Final

from interlock.contract.calls import Json

RETRIEVE: Final = "retrieve"

RETRIEVAL_FAILED: Final = "retrieval_failed"
"""Failure type: no index, one that cannot be read, a plug-in that raised. Retried unless it would fail again."""


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    """A search. `retriever` is a dump of `plan.tools.Retriever`: what is searched, and how."""

    retriever: Json
    query: str
    top: int
    run_id: str
    step: str
    timeout_ms: int


@dataclass(frozen=True, slots=True)
class Passages:
    """The best passages first: `{text, source: {title, document, locator}, score}`, within the inline limit."""

    passages: list[Json] = field(default_factory=list)
    elapsed_ms: int = 0
