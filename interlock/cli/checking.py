"""Checks many bundles fast: what has not changed is remembered by content hash, what has is shared between cores."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import interlock
from interlock.cli.bundles import compile_shown
from interlock.diagnostics import Diagnostic, Location, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CACHE = Path(".interlock") / "check"
READ = (".yaml", ".yml", ".csv")
BESIDE = re.compile(rb"\b([a-z][a-z0-9-]*)/[a-z]")
WORTH_A_POOL = 24
"""From this many changed bundles on, starting more processes pays."""


def findings_of(folders: Sequence[Path], *, use_cache: bool = True) -> list[Diagnostic]:
    """The findings of all bundles, their files named as people type them."""
    if not use_cache:
        return [finding for _, findings in checked(folders) for finding in findings]
    keys = {folder: fingerprint(folder) for folder in folders}
    known = {folder: remembered(key) for folder, key in keys.items()}
    changed = [folder for folder in folders if known[folder] is None]
    for folder, findings in checked(changed):
        known[folder] = findings
        remember(keys[folder], findings)
    return [finding for findings in known.values() for finding in findings or ()]


def checked(folders: Sequence[Path]) -> Iterable[tuple[Path, list[Diagnostic]]]:
    """Each folder with its findings, computed now."""
    if len(folders) < WORTH_A_POOL or (os.cpu_count() or 1) == 1:
        return [(folder, findings(folder)) for folder in folders]
    with ProcessPoolExecutor() as pool:
        return list(zip(folders, pool.map(findings, folders, chunksize=8), strict=True))


def findings(folder: Path) -> list[Diagnostic]:
    """The findings of one bundle."""
    return compile_shown(folder).diagnostics


def fingerprint(folder: Path) -> str:
    """A hash of all that the findings depend on: the bundle, the bundles whose Libraries it may use, and the engine."""
    digest = hashlib.blake2b(f"{interlock.__version__} {_engine_stamp()}".encode(), digest_size=16)
    for used in [folder, *sorted(_used(folder))]:
        for name, content in _files(used):
            digest.update(b"%d %s\0%d " % (len(name), name.encode(), len(content)))
            digest.update(content)
    return digest.hexdigest()


def _used(folder: Path) -> set[Path]:
    """The bundles beside this one that its text names as `folder/name`; more than it uses does no harm."""
    named = {name.decode() for _, content in _files(folder) for name in BESIDE.findall(content)}
    return {folder.parent / name for name in named if name != folder.name and (folder.parent / name).is_dir()}


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for place, below, names in os.walk(folder):
        below.sort()
        for name in sorted(name for name in names if name.endswith(READ)):
            path = Path(place, name)
            yield str(path), path.read_bytes() if path.is_file() else b"unreadable"


@functools.cache
def _engine_stamp() -> int:
    """When the engine itself last changed, so that a developer's cache never outlives the code."""
    root = Path(interlock.__file__).parent
    return max(path.stat().st_mtime_ns for path in root.rglob("*.py"))


def remembered(key: str) -> list[Diagnostic] | None:
    """The findings kept under `key`, or none; an unreadable entry counts as none."""
    try:
        entries = json.loads((CACHE / f"{key}.json").read_text(encoding="utf-8"))
        return [_restored(entry) for entry in entries]
    except (OSError, ValueError, TypeError, KeyError):
        return None


def remember(key: str, findings: Iterable[Diagnostic]) -> None:
    """Keep the findings; a folder that cannot be written to costs time next time, nothing else."""
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / f"{key}.json").write_text(json.dumps([_entry(finding) for finding in findings]), encoding="utf-8")
    except OSError:
        return


def _entry(finding: Diagnostic) -> dict[str, Any]:
    place = finding.location
    also = [[other.file, other.line, other.column, note] for other, note in finding.also]
    return {
        "code": finding.code,
        "message": finding.message,
        "location": [place.file, place.line, place.column],
        "severity": str(finding.severity),
        "hint": finding.hint,
        "also": also,
    }


def _restored(entry: dict[str, Any]) -> Diagnostic:
    also = tuple((Location(*place), note) for *place, note in entry["also"])
    place, severity = Location(*entry["location"]), Severity(entry["severity"])
    return Diagnostic(entry["code"], entry["message"], place, severity, entry["hint"], also)
