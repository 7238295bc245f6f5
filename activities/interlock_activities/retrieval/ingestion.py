"""From a folder to its index: only what has changed is read, cut and stored; all of it is seen at once, or nothing."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from interlock_activities.retrieval.chunks import Passage
from interlock_activities.retrieval.documents import NotReadableError
from interlock_activities.retrieval.files import Scan, Seen, content_of, digest_of, scanned
from interlock_activities.retrieval.parsers import Parsers, cut
from interlock_activities.retrieval.store import Change, DamagedIndexError, Mark, Store

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many files of how many are done."""


@dataclass
class Summary:
    """What came of bringing an index up to date."""

    files: int = 0
    passages: int = 0
    """Those that were made now."""
    written: int = 0
    """Files that were new or had changed."""
    removed: int = 0
    damage: str = ""
    """Why the index that was there had to be built anew."""
    seconds: float = 0.0
    skipped: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder, the index of it, and who reads its files."""

    index: str
    folder: Path
    parsers: Parsers


async def refresh(store: Store, shelf: Shelf, *, anew: bool = False, tell: Progress = lambda *_: None) -> Summary:
    """Brings the index up to date with its folder. Raises OSError if that cannot be read, and StoreError."""
    started = time.monotonic()
    scan = await asyncio.to_thread(scanned, shelf.folder, shelf.parsers.reads)
    summary = Summary(skipped=scan.skipped)
    known = None
    if not anew:
        try:
            known = await store.marks(shelf.index)
        except DamagedIndexError as problem:
            anew, summary.damage = True, str(problem)
    if known is None or not _is_as_known(scan, known, shelf, store.makes):
        async with store.changing(shelf.index, anew=anew) as change:
            await _Work(shelf, store.makes, change, summary).done(scan, tell)
        known = await store.marks(shelf.index) or {}
    summary.files = sum(not mark.problem for mark in known.values())
    summary.skipped += [(mark.path, mark.problem) for mark in known.values() if mark.problem]
    summary.seconds = time.monotonic() - started
    return summary


def _is_as_known(scan: Scan, known: dict[str, Mark], shelf: Shelf, makes: str) -> bool:
    """Whether no file has come, gone or changed."""
    marks = [known.get(path) for path in scan.files]
    return known.keys() <= scan.files.keys() and all(
        mark is not None and _unchanged(seen, mark, _maker(shelf, seen.path, makes))
        for seen, mark in zip(scan.files.values(), marks, strict=True)
    )


def _unchanged(seen: Seen, mark: Mark, maker: str) -> bool:
    return bool(seen.stamp) and seen.stamp == mark.stamp and mark.made_by == maker


def _maker(shelf: Shelf, path: str, makes: str) -> str:
    """All that decides what a file becomes; of a plug-in that cannot be used nothing."""
    try:
        return f"{shelf.parsers.of(path).name}; {makes}"
    except NotReadableError:
        return ""


@dataclass
class _Work:
    shelf: Shelf
    makes: str
    change: Change
    summary: Summary

    async def done(self, scan: Scan, tell: Progress) -> None:
        for path in self.change.marks.keys() - scan.files.keys():
            await self._remove(path)
        for number, seen in enumerate(scan.files.values(), 1):
            await self._file(seen)
            tell(number, len(scan.files))

    async def _file(self, seen: Seen) -> None:
        known = self.change.marks.get(seen.path)
        maker = _maker(self.shelf, seen.path, self.makes)
        if known and _unchanged(seen, known, maker):
            return
        try:
            content = await asyncio.to_thread(content_of, self.shelf.folder, seen.path)
        except NotReadableError as problem:
            self.summary.skipped.append((seen.path, str(problem)))
            if known:
                await self._remove(seen.path)
            return
        mark = Mark(seen.path, digest_of(content), seen.stamp, maker)
        if known and (known.digest, known.made_by) == (mark.digest, maker):
            if seen.stamp != known.stamp:
                await self.change.touch(replace(known, stamp=seen.stamp))
            return
        await self._put(mark, content)

    async def _put(self, mark: Mark, content: bytes) -> None:
        """A file that cannot be read is remembered without passages, so that it costs nothing until it changes."""
        title = ""
        made: list[Passage] = []
        try:
            title, made = await asyncio.to_thread(_cut, self.shelf.parsers, mark.path, content)
        except NotReadableError as problem:
            mark = replace(mark, problem=str(problem))
        await self.change.put(mark, title, made)
        self.summary.written += not mark.problem
        self.summary.passages += len(made)

    async def _remove(self, path: str) -> None:
        await self.change.remove(path)
        self.summary.removed += 1


def _cut(parsers: Parsers, path: str, content: bytes) -> tuple[str, list[Passage]]:
    return cut(parsers.of(path), content)
