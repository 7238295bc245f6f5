"""Checks many bundles fast: what has not changed is remembered by content hash, what has is shared between cores."""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import interlock
from interlock.cli.bundles import shown
from interlock.diagnostics import Diagnostic, Location, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CACHE = Path(".interlock") / "check"
READ = (".yaml", ".yml", ".csv")
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
    from interlock.compiler import compile_folder

    return compile_folder(folder, shown_as=shown(folder)).diagnostics


def fingerprint(folder: Path) -> str:
    """A hash of all that the findings depend on."""
    digest = hashlib.blake2b(f"{interlock.__version__} {_engine_stamp()} {folder}".encode(), digest_size=16)
    for place, names in _files(folder):
        for name in names:
            path = Path(place, name)
            digest.update(f"\0{path}\0".encode())
            digest.update(path.read_bytes() if path.is_file() else b"unreadable")
    return digest.hexdigest()


def _files(folder: Path) -> Iterable[tuple[str, list[str]]]:
    for place, below, names in os.walk(folder):
        below.sort()
        yield place, sorted(name for name in names if name.endswith(READ))


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
