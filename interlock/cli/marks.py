"""Marks of all that the findings of a bundle depend on: its files, those of bundles it may use, and the engine."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from hashlib import blake2b
from typing import TYPE_CHECKING

import interlock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READ = (".yaml", ".yml", ".csv")
"""Files whose content is hashed; any other, which a spec may still name, counts by its size and time."""

NOT_OF_A_BUNDLE = frozenset({".git", ".interlock"})
_BESIDE = re.compile(rb"[a-z][a-z0-9-]*$")
_LONGEST_NAME = 100


class Marks:
    """Marks of bundles; what several of them use is looked at once."""

    def __init__(self) -> None:
        self._folders: dict[str, frozenset[str]] = {}

    def of(self, folder: Path) -> str:
        """A hash of all files that the findings depend on: the bundle's own, and those of bundles it may use."""
        digest = blake2b(digest_size=16)
        named: set[bytes] = set()
        for part in _parts(os.fspath(folder), named):
            digest.update(part)
        parent, own = os.path.split(os.path.realpath(folder))
        for name in sorted(self._beside(parent).intersection(map(os.fsdecode, named)) - {own}):
            digest.update(os.fsencode(f"{name}/\n"))
            for part in _parts(f"{parent}/{name}", set()):
                digest.update(part)
        return digest.hexdigest()

    def _beside(self, parent: str) -> frozenset[str]:
        if parent not in self._folders:
            with os.scandir(parent) as entries:
                self._folders[parent] = frozenset(entry.name for entry in entries if entry.is_dir())
        return self._folders[parent]


def _parts(folder: str, named: set[bytes]) -> Iterator[bytes]:
    """Every file and folder below, each with what stands for its content; adds the names written as `name/…`."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((one for one in found if one.name not in NOT_OF_A_BUNDLE), key=lambda one: one.name)
    except OSError as error:
        yield b"unreadable %d\n" % (error.errno or 0)
        return
    yield b"%d\n" % len(entries)
    for entry in entries:
        yield os.fsencode(entry.name) + b"\0"
        if entry.is_dir(follow_symlinks=False):
            yield from _parts(entry.path, named)
            continue
        if entry.is_symlink():
            yield os.fsencode(os.path.realpath(entry.path)) + b"\0"
        content = _content(entry)
        yield b"%d\n" % len(content)
        yield content
        named.update(_named_in(content))


def _content(entry: os.DirEntry[str]) -> bytes:
    try:
        if entry.name.lower().endswith(READ):
            with open(entry.path, "rb") as stream:  # noqa: PTH123 - a thousand files in a tenth of a second
                return stream.read()
        seen = entry.stat()
    except OSError as error:
        return b"unreadable %d" % (error.errno or 0)
    return b"%d %d" % (seen.st_size, seen.st_mtime_ns)


def _named_in(content: bytes) -> Iterator[bytes]:
    """The names before a slash; more than are really used does no harm."""
    end = content.find(b"/")
    while end >= 0:
        name = _BESIDE.search(content[max(end - _LONGEST_NAME, 0) : end])
        if name:
            yield name[0]
        end = content.find(b"/", end + 1)


def engine_mark() -> str:
    """A hash of what the engine is made of, so that nothing remembered outlives the code."""
    digest = blake2b(f"{interlock.__version__} {sys.version}".encode(), digest_size=16)
    installed = os.stat(sysconfig.get_path("purelib")).st_mtime_ns  # noqa: PTH116 - changed by every install
    digest.update(b"%d" % installed)
    for path, changed in _modules(os.path.dirname(interlock.__file__)):  # noqa: PTH120 - as above: speed
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
