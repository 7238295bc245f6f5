"""Imported documents, and Libraries whose arguments have been given a source by nobody in particular."""

from pathlib import Path

import pytest

from interlock.authoring.importing import import_openapi
from interlock.compiler import compile_bundle
from interlock.source import Bundle, read_document
from interlock.source.written import written

DOCUMENTS = Path(__file__).parent / "documents"


@pytest.fixture(name="checked", scope="session")
def checked_():
    """The findings of a Library."""
    return checked


@pytest.fixture(name="completed", scope="session")
def completed_():
    """A Library with what it lacks."""
    return completed


def checked(text):
    """The findings of a Library."""
    document, read = read_document(text.encode(), "library.yaml")
    assert document is not None, read
    return compile_bundle(Bundle("b", DOCUMENTS, (document,), {}), read=read).diagnostics


def completed(text):
    """A Library in which every argument is bound by the caller, and every write says what it must."""
    document, found = read_document(text.encode(), "library.yaml")
    assert found == [], found
    data = dict(document.data)
    for tool in data["tools"].values():
        for argument in tool.get("input", {}).values():
            argument["from"] = "caller"
        if tool["effect"] != "read":
            tool.setdefault("idempotency", {"none": "the service knows no key"})
            tool["ensures"] = [{"that": "payload is defined"}]
    return written(data)


@pytest.fixture
def imported():
    """Imports a text or the name of a document."""

    def run(given, file="service.yaml", **options):
        if isinstance(given, Path):
            given, file = given.read_bytes(), given.name
        return import_openapi(given.encode() if isinstance(given, str) else given, file, **options)

    return run
