"""Marks of all that the findings of a bundle depend on: its files, those of bundles it may use, and the engine."""

# ruff: noqa: PTH112, PTH114, PTH116, PTH119, PTH120 -- paths as text: a thousand folders are to be looked at

from __future__ import annotations

import os
import sys
from hashlib import blake2b
from typing import TYPE_CHECKING

import interlock

if TYPE_CHECKING:
    from collections.abc import Iterator

READ = (".yaml", ".yml", ".csv")
"""Files whose content is hashed; any other, which a spec may still name, counts by its size and time."""

PACKAGES = frozenset({"site-packages", "dist-packages"})
"""Folders that every install changes, of plug-ins too."""

NOT_OF_A_BUNDLE = frozenset({".git", ".interlock"})
_NOT_FIRST = b"0123456789-"
_OF_A_NAME = b"abcdefghijklmnopqrstuvwxyz" + _NOT_FIRST
_LONGEST_NAME = 100
AT_ONCE = 1 << 16
"""Bytes asked for at once; most specs are read in one go."""


class Marks:
    """Marks of bundles; what several of them use is looked at once."""

    def __init__(self) -> None:
        self._beside: dict[str, frozenset[str]] = {}
        self._real: dict[str, str] = {}

    def of(self, folder: str) -> str:
        """A hash of all files that the findings depend on: the bundle's own, and those of bundles it may use."""
        digest = blake2b(digest_size=16)
        named: set[bytes] = set()
        _add(digest, folder, named)
        parent, own = self._place(folder)
        for name in sorted(self._neighbours(parent).intersection(map(os.fsdecode, named)) - {own}):
            digest.update(os.fsencode(f"{name}/\n"))
            _add(digest, f"{parent}/{name}", set())
        return digest.hexdigest()

    def _place(self, folder: str) -> tuple[str, str]:
        """Where a bundle really is: the folder that holds it, and its name there."""
        parent, own = os.path.split(folder)
        if own in ("", os.curdir, os.pardir) or os.path.islink(folder):
            return os.path.split(os.path.realpath(folder))
        if parent not in self._real:
            self._real[parent] = os.path.realpath(parent)
        return self._real[parent], own

    def _neighbours(self, parent: str) -> frozenset[str]:
        if parent not in self._beside:
            with os.scandir(parent) as entries:
                self._beside[parent] = frozenset(entry.name for entry in entries if entry.is_dir())
        return self._beside[parent]


def _add(digest: blake2b, folder: str, named: set[bytes]) -> None:
    """Every file and folder below, each with what stands for its content; adds the names written as `name/…`."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((one for one in found if one.name not in NOT_OF_A_BUNDLE), key=lambda one: one.name)
    except OSError as error:
        digest.update(b"unreadable %d\n" % (error.errno or 0))
        return
    digest.update(b"%d\n" % len(entries))
    for entry in entries:
        digest.update(os.fsencode(entry.name) + b"\0")
        if entry.is_dir(follow_symlinks=False):
            _add(digest, entry.path, named)
            continue
        if entry.is_symlink():
            digest.update(os.fsencode(os.path.realpath(entry.path)) + b"\0")
        content = _content(entry)
        digest.update(b"%d\n" % len(content))
        digest.update(content)
        named.update(_named_in(content))


def _content(entry: os.DirEntry[str]) -> bytes:
    try:
        if entry.name.lower().endswith(READ):
            return _read(entry.path)
        seen = entry.stat()
    except OSError as error:
        return b"unreadable %d" % (error.errno or 0)
    return b"%d %d" % (seen.st_size, seen.st_mtime_ns)


def _read(path: str) -> bytes:
    """The whole file, without the layers of `open`: there may be a thousand of them."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        parts = [os.read(descriptor, AT_ONCE)]
        while parts[-1]:
            parts.append(os.read(descriptor, AT_ONCE))
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _named_in(content: bytes) -> Iterator[bytes]:
    """The names before a slash; more than are really used does no harm."""
    end = content.find(b"/")
    while end >= 0:
        before = content[max(end - _LONGEST_NAME, 0) : end]
        name = before[len(before.rstrip(_OF_A_NAME)) :].lstrip(_NOT_FIRST)
        if name:
            yield name
        end = content.find(b"/", end + 1)


def engine_mark() -> str:
    """A hash of what the engine is made of, so that nothing remembered outlives the code."""
    digest = blake2b(f"{interlock.__version__} {sys.version}".encode(), digest_size=16)
    for folder in sys.path:
        if os.path.basename(folder) in PACKAGES and os.path.isdir(folder):
            digest.update(b"%d" % os.stat(folder).st_mtime_ns)
    for path, changed in _modules(os.path.dirname(interlock.__file__)):
        digest.update(os.fsencode(f"{path} {changed}\n"))
    return digest.hexdigest()


def _modules(package: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    with os.scandir(package) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                found += _modules(entry.path)
            elif entry.name.endswith(".py"):
                found.append((entry.path, entry.stat().st_mtime_ns))
    return sorted(found)
