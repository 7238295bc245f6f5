"""What is remembered of bundles between two checks: what was found, by the mark of all that this depends on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from interlock.diagnostics import Diagnostic, Location

FILE = Path(".interlock") / "check" / "findings.json"


class Found(NamedTuple):
    """What is found in one bundle: its findings, and where the names stand by which its specs are started."""

    findings: Sequence[Diagnostic]
    started: Mapping[str, Location]


class Remembered:
    """What earlier checks found by folder, as far as this engine made them; unreadable ones count as none."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self._bundles: dict[str, Any] = _read(engine)

    def found(self, folder: str, mark: str) -> Found | None:
        """What was found in the folder, if it has still that mark."""
        from interlock.cli.formats import location, restored

        try:
            kept = self._bundles[folder]
            if kept["mark"] != mark:
                return None
            started = {name: location(one) for name, one in kept["started"].items()}
            return Found([restored(one) for one in kept["findings"]], started)
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def were_clean(self, folders: Sequence[str], mark: Callable[[str], str]) -> bool:
        """Whether nothing was found in the folders, alone and together, and they have still their marks."""
        names: set[str] = set()
        for folder in folders:
            kept = self._bundles.get(folder)
            if not isinstance(kept, dict) or kept.get("findings") != [] or kept.get("mark") != mark(folder):
                return False
            started = kept.get("started")
            if not isinstance(started, dict) or not names.isdisjoint(started):
                return False
            names.update(started)
        return True

    def keep(self, folder: str, mark: str, found: Found) -> None:
        """Remember what was found."""
        from interlock.cli.formats import entry, placed

        started = {name: placed(place) for name, place in found.started.items()}
        self._bundles[folder] = {"mark": mark, "findings": [entry(one) for one in found.findings], "started": started}

    def write(self) -> None:
        """Write everything down; where that is not possible, the next check takes its time, nothing else."""
        bundles = {name: kept for name, kept in self._bundles.items() if Path(name).exists()}
        content = json.dumps({"engine": self.engine, "bundles": bundles})
        own = FILE.with_name(f"{FILE.name}.{os.getpid()}")
        try:
            FILE.parent.mkdir(parents=True, exist_ok=True)
            own.write_text(content, encoding="utf-8")
            own.replace(FILE)
        except OSError:
            return


def _read(engine: str) -> dict[str, Any]:
    try:
        kept = json.loads(FILE.read_bytes())
        bundles = kept["bundles"] if kept["engine"] == engine else {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}
    return bundles if isinstance(bundles, dict) else {}
