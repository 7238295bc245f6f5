"""Imports descriptions of services that others wrote, as Libraries to be reviewed. Nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from interlock.authoring.importing.documents import offer_of
from interlock.authoring.importing.library import library
from interlock.authoring.importing.naming import kebab
from interlock.authoring.importing.nodes import Reading, TooMuchError
from interlock.diagnostics import Diagnostic, Location, in_order
from interlock.source import read_document
from interlock.source.document import MOST_BYTES
from interlock.source.foreign import read_foreign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.authoring.importing.operations import Offer

__all__ = ["Imported", "import_openapi"]


@dataclass(frozen=True, slots=True)
class Imported:
    """The text of a Library, or what is wrong with the document."""

    text: str = ""
    findings: tuple[Diagnostic, ...] = ()
    tools: int = 0
    arguments: int = 0
    left_out: int = 0


def import_openapi(
    content: bytes, file: str, *, name: str = "", server: str = "", only: Sequence[str] = ()
) -> Imported:
    """The Library of an OpenAPI 2.0, 3.0 or 3.1 document. Never raises, whatever the bytes."""
    document, found = read_foreign(content, file)
    if document is None:
        return Imported(findings=tuple(found))
    reading = Reading(document)
    try:
        offer = offer_of(reading.root, only)
    except TooMuchError:
        offer = None
    if offer is not None and not offer.operations and not reading.findings:
        reading.findings.append(_nothing(offer, reading, only))
    if offer is None or reading.findings:
        return Imported(findings=tuple(in_order(reading.findings)))
    called = (
        name or kebab(offer.title) or kebab(file.replace("\\", "/").rpartition("/")[2].partition(".")[0]) or "imported"
    )
    text = library(offer, called, file.replace("\\", "/").rpartition("/")[2], server)
    if problem := _unreadable(text, file):
        return Imported(findings=(problem,))
    arguments = sum(len(one.inputs) for one in offer.operations)
    return Imported(text, (), len(offer.operations), arguments, len(offer.left_out))


def _nothing(offer: Offer, reading: Reading, only: Sequence[str]) -> Diagnostic:
    place = reading.place(("paths",))
    if offer.left_out:
        first = offer.left_out[0]
        return Diagnostic("nothing-to-import", f"no operation can be imported; {first.call}: {first.why}", place)
    if only:
        hint = "a pattern is for a name, an operationId, a path, or a method and path: 'GET /orders*'"
        return Diagnostic("nothing-to-import", f"no operation fits {', '.join(map(repr, only))}", place, hint=hint)
    return Diagnostic("nothing-to-import", "the document has no operations", place)


def _unreadable(text: str, file: str) -> Diagnostic | None:
    """What keeps a Library from being read again: it is too large."""
    document, found = read_document(text.encode(), file) if text else (None, [])
    if document is not None and not found:
        return None
    told = found[0] if found else None
    message = told.message if told else f"it is larger than {MOST_BYTES // 1024} KiB"
    hint = "import some of the operations with --only"
    code = told.code if told else "too-large"
    return Diagnostic(code, f"the Library cannot be written: {message}", Location(file), hint=hint)
