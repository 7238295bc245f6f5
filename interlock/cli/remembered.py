"""What is remembered of bundles between two checks: their findings, and a mark of all that these depend on."""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import interlock
from interlock.cli.formats import entry, restored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from interlock.diagnostics import Diagnostic

FILE = Path(".interlock") / "check" / "findings.json"
READ = (".yaml", ".yml", ".csv")
"""Files whose content is hashed; any other, which a spec may still name, counts by its size and time."""

NOT_OF_A_BUNDLE = frozenset({".git", ".interlock"})
_BESIDE = re.compile(rb"[a-z][a-z0-9-]*$")
_LONGEST_NAME = 100


class Remembered:
    """The findings of earlier checks by folder, as far as this engine made them; unreadable ones count as none."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self._bundles: dict[str, Any] = _read(engine)

    def findings(self, folder: Path, mark: str) -> list[Diagnostic] | None:
        """What was found in the folder, if it has still that mark."""
        try:
            kept = self._bundles[str(folder)]
            return [restored(one) for one in kept["findings"]] if kept["mark"] == mark else None
        except (KeyError, TypeError, ValueError):
            return None

    def keep(self, folder: Path, mark: str, findings: list[Diagnostic]) -> None:
        """Remember what was found."""
        self._bundles[str(folder)] = {"mark": mark, "findings": [entry(one) for one in findings]}

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


def fingerprint(folder: Path) -> str:
    """A hash of all files that the findings depend on: those of the bundle, and of bundles whose Libraries it uses."""
    digest = blake2b(digest_size=16)
    beside: set[str] = set()
    for line in _entries(folder, beside):
        digest.update(line)
    for name in sorted(beside - {folder.name}):
        used = folder.parent / name
        for line in _entries(used, set()) if used.is_dir() else ():
            digest.update(line)
    return digest.hexdigest()


def _entries(folder: Path, beside: set[str]) -> Iterator[bytes]:
    """Every file and folder below, each with what stands for its content; adds the names written as `folder/…`."""
    for place, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if name not in NOT_OF_A_BUNDLE)
        yield os.fsencode(f"{place}\0{len(below)}\0{len(names)}\n")
        yield from (os.fsencode(f"{name} {os.path.islink(f'{place}/{name}')}\n") for name in below)  # noqa: PTH114 - speed
        for name in sorted(names):
            content = _content(f"{place}/{name}")
            yield os.fsencode(f"{name}\0{len(content)}\n")
            yield content
            beside.update(_named_beside(content))


def _content(path: str) -> bytes:
    try:
        if path.lower().endswith(READ):
            with open(path, "rb") as stream:  # noqa: PTH123 - speed
                return os.fsencode(os.path.realpath(path)) + stream.read()
        seen = os.stat(path)  # noqa: PTH116 - speed
    except OSError as error:
        return f"unreadable {error.errno}".encode()
    return b"%d %d" % (seen.st_size, seen.st_mtime_ns)


def _named_beside(content: bytes) -> Iterator[str]:
    """The names before a slash; more than are really used does no harm."""
    *heads, _ = content.split(b"/")
    for head in heads:
        name = _BESIDE.search(head[-_LONGEST_NAME:])
        if name:
            yield name[0].decode()


def engine_stamp() -> str:
    """What stands for the engine with all that it is made of, so that nothing remembered outlives the code."""
    digest = blake2b(f"{interlock.__version__} {sys.version}".encode(), digest_size=16)
    installed = os.stat(sysconfig.get_path("purelib")).st_mtime_ns  # noqa: PTH116 - speed; changed by every install
    digest.update(b"%d" % installed)
    for path, changed in _modules(Path(interlock.__file__).parent):
        digest.update(os.fsencode(f"{path} {changed}\n"))
    return digest.hexdigest()


def _modules(package: Path) -> Sequence[tuple[str, int]]:
    found = []
    for place, below, names in os.walk(package):
        below[:] = [name for name in below if name != "__pycache__"]
        paths = (f"{place}/{name}" for name in names if name.endswith(".py"))
        found += [(path, os.stat(path).st_mtime_ns) for path in paths]  # noqa: PTH116 - speed
    return sorted(found)
