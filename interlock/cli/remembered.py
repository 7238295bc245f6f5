"""What is remembered of bundles between two checks: their findings, by the mark of all that these depend on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.diagnostics import Diagnostic

FILE = Path(".interlock") / "check" / "findings.json"


class Remembered:
    """The findings of earlier checks by folder, as far as this engine made them; unreadable ones count as none."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self._bundles: dict[str, Any] = _read(engine)

    def findings(self, folder: str, mark: str) -> list[Diagnostic] | None:
        """What was found in the folder, if it has still that mark."""
        from interlock.cli.formats import restored

        try:
            kept = self._bundles[folder]
            return [restored(one) for one in kept["findings"]] if kept["mark"] == mark else None
        except (KeyError, TypeError, ValueError):
            return None

    def was_clean(self, folder: str, mark: Callable[[str], str]) -> bool:
        """Whether nothing was found in the folder, and it has still that mark."""
        kept = self._bundles.get(folder)
        return isinstance(kept, dict) and kept.get("findings") == [] and kept.get("mark") == mark(folder)

    def keep(self, folder: str, mark: str, findings: list[Diagnostic]) -> None:
        """Remember what was found."""
        from interlock.cli.formats import entry

        self._bundles[folder] = {"mark": mark, "findings": [entry(one) for one in findings]}

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
