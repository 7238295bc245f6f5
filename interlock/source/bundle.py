"""A folder of specs: its YAML files, and the CSV files and folders of documents that they name."""

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from interlock.diagnostics import Diagnostic, Location, in_order
from interlock.source import document as yaml_file
from interlock.source import sheet as csv_file
from interlock.source.document import Document, read_document
from interlock.source.folders import is_yaml
from interlock.source.places import KeyPath
from interlock.source.searched import folder_findings
from interlock.source.sheet import Sheet, read_sheet


@dataclass(frozen=True)
class Bundle:
    """The files of one folder, in the order of their paths; sheets by their path relative to the folder."""

    name: str
    root: Path
    documents: tuple[Document, ...]
    sheets: Mapping[str, Sheet]


def read_bundle(folder: Path) -> tuple[Bundle, list[Diagnostic]]:
    """Everything in a bundle's folder, and everything found wrong with its files."""
    root = folder.resolve()
    findings: list[Diagnostic] = []
    documents: list[Document] = []
    files = list(_yaml_files(root, findings))
    if not files and not findings:
        findings.append(_nothing_in(folder))
    for file in sorted(files):
        content = _content(root, file, yaml_file.MOST_BYTES, findings)
        if content is not None:
            document, found = read_document(content, _shown(file))
            findings += found
            documents += [document] if document else []
    sheets = _sheets(root, documents, findings)
    findings += folder_findings(root, documents)
    return Bundle(root.name, root, tuple(documents), sheets), in_order(findings)


def _nothing_in(folder: Path) -> Diagnostic:
    place = Location(".")  # the folder itself, as all places are relative to it
    if folder.is_dir():
        return Diagnostic("empty-bundle", "no YAML file in this folder", place, hint="a spec's name ends with .yaml")
    if folder.exists():
        return Diagnostic("not-a-spec", "this is neither a folder nor a YAML file", place)
    try:
        names = [entry.name for entry in os.scandir(folder.parent)]
    except OSError:
        names = []
    near = get_close_matches(folder.name, names, 1)
    return Diagnostic(
        "missing-file", "no such file or folder", place, hint=f"did you mean {near[0]!r}?" if near else ""
    )


def _shown(path: str) -> str:
    """A path as text that can be printed, whatever bytes the file system holds."""
    return os.fsencode(path).decode("utf-8", "replace").replace(os.sep, "/")


def _yaml_files(root: Path, findings: list[Diagnostic]) -> Iterator[str]:
    """Paths of the YAML files below `root`; hidden ones and those behind linked folders are left out."""

    def unreadable(error: OSError) -> None:
        if Path(error.filename) != root or root.is_dir():
            place = Location(_shown(os.path.relpath(error.filename, root)))
            findings.append(Diagnostic("unreadable-file", f"the folder cannot be read: {error.strerror}", place))

    for name_of_folder, folders, names in os.walk(root, onerror=unreadable):
        folder = Path(name_of_folder)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in folders:
            if (folder / name).is_symlink():
                place = Location(_shown(str((folder / name).relative_to(root))))
                message = "a link to a folder is not followed"
                findings.append(Diagnostic("outside-bundle", message, place, hint="put the files into the bundle"))
        for name in names:
            if is_yaml(name):
                yield (folder / name).relative_to(root).as_posix()


def _content(
    root: Path, file: str, limit: int, findings: list[Diagnostic], place: Location | None = None
) -> bytes | None:
    """The bytes of a file of the bundle, one more than `limit` at most; None with a finding if there are none."""
    path = root / file
    place = place or Location(_shown(file))
    try:
        if not path.resolve().is_relative_to(root):
            message = f"{_shown(file)!r} leads out of the bundle"
            findings.append(Diagnostic("outside-bundle", message, place, hint="put the file into the bundle"))
            return None
        if not path.is_file():
            findings.append(_not_a_file(path, place))
            return None
        with path.open("rb") as stream:
            return stream.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        findings.append(Diagnostic("unreadable-file", f"{_shown(file)!r} cannot be read: {reason.lower()}", place))
        return None


def _not_a_file(path: Path, place: Location) -> Diagnostic:
    if path.exists():
        return Diagnostic("unreadable-file", f"{_shown(path.name)!r} is not a regular file", place)
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else "the path is relative to the spec"
    return Diagnostic("missing-file", f"no file {_shown(path.name)!r}", place, hint=hint)


def _sheets(root: Path, documents: Sequence[Document], findings: list[Diagnostic]) -> dict[str, Sheet]:
    """The CSV files that the documents name under a key `csv`, each read once."""
    sheets: dict[str, Sheet] = {}
    seen: set[str] = set()
    for document in documents:
        for path, name in _csv_names(document.data, ()):
            file = path_within(document.file, name)
            if file in seen:
                continue
            seen.add(file)
            content = _content(root, file, csv_file.MOST_BYTES, findings, document.places.value(path))
            if content is not None:
                sheet, found = read_sheet(content, file)
                findings += found
                sheets |= {file: sheet} if sheet else {}
    return sheets


def path_within(file: str, name: str) -> str:
    """Path within the bundle of the file or folder that the spec `file` calls `name`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), name))


def _csv_names(data: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """The values under `csv` in `vocabularies` and `decisions`, with their paths."""
    for section in ("vocabularies", "decisions"):
        parts = data.get(section)
        for name, part in parts.items() if isinstance(parts, dict) else ():
            if isinstance(part, dict) and isinstance(part.get("csv"), str):
                yield (*path, section, name, "csv"), part["csv"]
