"""Checks many bundles fast: what has not changed is remembered by content hash, what has is shared between cores."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

from interlock.cli.marks import Marks, engine_mark
from interlock.cli.remembered import Found, Remembered
from interlock.diagnostics import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from interlock.diagnostics import Location

WORTH_A_POOL = 24
"""From this many changed bundles on, starting more processes pays."""

BETWEEN_COLLECTIONS = 1_000_000
"""More objects than a spec of 512 KiB makes: a bundle that has been checked goes without the collector."""


def findings_of(folders: Sequence[str], *, use_cache: bool = True) -> list[Diagnostic]:
    """The findings of all bundles, their files named as people type them, and those of them together."""
    found = list(_checked(folders)) if not use_cache else _known_or_checked(folders)
    return [*(finding for one in found for finding in one.findings), *_of_one_name(found)]


def _of_one_name(bundles: Iterable[Found]) -> Iterator[Diagnostic]:
    """A spec is started by its name, so two of one name cannot be served together."""
    first: dict[str, Location] = {}
    for bundle in bundles:
        for name, place in bundle.started.items():
            if name in first:
                message, also = f"two specs are called {name!r}", ((first[name], "the other one"),)
                hint = "rename one of them, or check and serve their bundles apart"
                yield Diagnostic("duplicate-spec", message, place, hint=hint, also=also)
            first.setdefault(name, place)


def _known_or_checked(folders: Sequence[str]) -> list[Found]:
    known, marking = Remembered(engine_mark()), Marks()
    marks = {folder: marking.of(folder) for folder in folders}
    found = {folder: known.found(folder, marks[folder]) for folder in folders}
    changed = [folder for folder in folders if found[folder] is None]
    for folder, now in zip(changed, _checked(changed), strict=True):
        known.keep(folder, marks[folder], now)
        found[folder] = now
    if changed:
        known.write()
    return [one for one in found.values() if one is not None]


def _checked(folders: Sequence[str]) -> Iterable[Found]:
    """What is found in each folder, computed now.

    The first is checked before there are other processes: what it loads, these have from the start.
    """
    collect_rarely()
    if len(folders) < WORTH_A_POOL or (os.cpu_count() or 1) == 1:
        return map(findings, folders)
    from concurrent.futures import ProcessPoolExecutor

    first = findings(folders[0])
    gc.freeze()
    with ProcessPoolExecutor(initializer=collect_rarely) as pool:
        return [first, *pool.map(findings, folders[1:], chunksize=8)]


def collect_rarely() -> None:
    """Look for cycles of garbage less often: a process that ends soon has memory to spare, and somebody waits."""
    gc.set_threshold(BETWEEN_COLLECTIONS, 10, 10)
    gc.freeze()


def findings(folder: str) -> Found:
    """What is found in one bundle."""
    from interlock.cli.bundles import compile_shown

    compiled = compile_shown(folder, plans=False)
    return Found(compiled.diagnostics, compiled.started)
