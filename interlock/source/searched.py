"""The folders that retrievers search: each lies in the bundle and holds a file that can be read. None is read here."""

import os
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from interlock.contract.retrieval import ENDINGS, PARSERS
from interlock.diagnostics import Diagnostic, Location
from interlock.source.document import Document
from interlock.source.places import KeyPath


def searched_folders(data: Any) -> Iterator[tuple[KeyPath, str]]:
    """The values under `documents` in `retrievers`, with their paths."""
    parts = data.get("retrievers")
    for name, part in parts.items() if isinstance(parts, dict) else ():
        if isinstance(part, dict) and isinstance(part.get("documents"), str) and part["documents"]:
            yield ("retrievers", name, "documents"), part["documents"]


def folder_findings(root: Path, documents: Sequence[Document]) -> Iterator[Diagnostic]:
    """What is wrong with the folders that these specs name."""
    for document in documents:
        for path, name in searched_folders(document.data):
            folder = root / os.path.dirname(document.file) / name  # noqa: PTH120 - a path within the bundle, as text
            yield from _problem(root, folder, name, document.places.value(path))


def _problem(root: Path, folder: Path, name: str, place: Location) -> Iterator[Diagnostic]:
    try:
        if os.path.isabs(name) or not folder.resolve().is_relative_to(root):  # noqa: PTH117 - as text, as it is written
            yield Diagnostic(
                "outside-bundle", f"{name!r} leads out of the bundle", place, hint="put the folder into it"
            )
        elif not folder.exists():
            yield Diagnostic("missing-file", f"no folder {name!r}", place, hint=_near(folder))
        elif not folder.is_dir():
            hint = "`documents` names the folder that the documents lie in"
            yield Diagnostic("no-documents", f"{name!r} is not a folder", place, hint=hint)
        elif not (_holds(folder, ENDINGS) or _holds(folder, endings())):  # what is installed takes a while to list
            hint = f"files that can be read end with {', '.join(endings())}"
            yield Diagnostic("no-documents", f"{name!r} holds nothing that can be read", place, hint=hint)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        yield Diagnostic("unreadable-file", f"{name!r} cannot be read: {reason.lower()}", place)


def endings() -> tuple[str, ...]:
    """Ends of the names of files that can be read, with those that installed plug-ins read."""
    plugged_in = (f".{point.name.lower()}" for point in entry_points(group=PARSERS))
    return (*ENDINGS, *sorted(set(plugged_in) - set(ENDINGS)))


def _near(folder: Path) -> str:
    names = [entry.name for entry in os.scandir(folder.parent) if entry.is_dir()] if folder.parent.is_dir() else []
    near = get_close_matches(folder.name, names, 1)
    return f"did you mean {near[0]!r}?" if near else "the path is relative to the spec"


def _holds(folder: Path, readable: tuple[str, ...]) -> bool:
    """Whether anything that can be read lies in the folder; hidden files and folders do not count."""
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if any(name.lower().endswith(readable) and not name.startswith(".") for name in names):
            return True
    return False
