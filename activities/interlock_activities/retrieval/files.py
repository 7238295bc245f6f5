"""The files of a folder of documents: what is looked at, and why the rest is not. Nothing leads out of the folder."""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from interlock_activities.retrieval.documents import NotReadableError

MOST_BYTES: Final = 8 * 1024 * 1024
"""Of one file."""

MOST_FILES: Final = 20_000
"""In one folder."""

MOST_FOLDERS: Final = 32
"""Within one another."""

_READING: Final = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))

_SETTLED_NS: Final = 2_000_000_000
"""A file changed within two seconds may change again in the same tick of its clock: its stamp proves nothing yet."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that can be indexed, by its path in the folder, with `/` between its parts."""

    path: str
    stamp: str


@dataclass
class Scan:
    """What lies in a folder."""

    files: dict[str, Seen] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Paths that were left out, with the reason; files that nothing reads and hidden ones are not named."""


def scanned(folder: Path, reads: Callable[[str], bool]) -> Scan:
    """All files below the folder that `reads` says can be read. Raises OSError if the folder itself cannot be."""
    scan = Scan()
    now = time.time_ns()
    with os.scandir(folder):
        pass
    for path, entry in _entries(folder, "", scan):
        if not reads(entry.name):
            continue
        try:
            reason, stamp = _looked_at(entry, now)
        except OSError as problem:
            reason, stamp = _reason(problem), ""
        if not reason and len(scan.files) >= MOST_FILES:
            reason = f"more than {MOST_FILES:,} files: divide the folder between retrievers"
        if reason:
            scan.skipped.append((path, reason))
        else:
            scan.files[path] = Seen(path, stamp)
    return scan


def content_of(folder: Path, path: str) -> bytes:
    """The bytes of a file that was seen; raises NotReadableError if it has gone or has become something else."""
    try:
        descriptor = os.open(folder / path, _READING)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - opened by descriptor: a link put there since is refused
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise NotReadableError("it is not a regular file")
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise NotReadableError("it was removed meanwhile") from None
    except OSError as problem:
        raise NotReadableError(_reason(problem)) from None
    if len(content) > MOST_BYTES:
        raise NotReadableError(_too_large(len(content)))
    return content


def digest_of(content: bytes) -> str:
    """What tells a content from any other."""
    return hashlib.sha256(content).hexdigest()


def _entries(folder: Path, within: str, scan: Scan) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(folder / within) as found:
            entries = sorted((entry for entry in found if not entry.name.startswith(".")), key=lambda one: one.name)
    except OSError as problem:
        scan.skipped.append((_shown(within), _reason(problem)))
        return
    for entry in entries:
        path = f"{within}/{entry.name}" if within else entry.name
        if entry.is_symlink():
            scan.skipped.append((_shown(path), "a link is not followed: put the file itself into the folder"))
        elif _shown(path) != path:
            scan.skipped.append((_shown(path), "its name is not UTF-8: rename it"))
        elif entry.is_dir(follow_symlinks=False) and path.count("/") >= MOST_FOLDERS:
            scan.skipped.append((path, f"more than {MOST_FOLDERS} folders within one another"))
        elif entry.is_dir(follow_symlinks=False):
            yield from _entries(folder, path, scan)
        else:
            yield path, entry


def _looked_at(entry: os.DirEntry[str], now: int) -> tuple[str, str]:
    """Why the file is left out, and its stamp; an empty stamp equals no other."""
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        return "it is not a regular file", ""
    if found.st_size > MOST_BYTES:
        return _too_large(found.st_size), ""
    settled = found.st_mtime_ns < now - _SETTLED_NS
    return "", f"{found.st_size} {found.st_mtime_ns} {found.st_ino}" if settled else ""


def _too_large(size: int) -> str:
    return f"{size:,} bytes or more, {MOST_BYTES:,} are allowed: divide it"


def _reason(problem: OSError) -> str:
    return f"it cannot be read: {(problem.strerror or type(problem).__name__).lower()}"


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
