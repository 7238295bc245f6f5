"""`interlock check` of what has not changed since nothing was found: told at once, before click is loaded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.cli import DEFAULT_FOLDER
from interlock.cli.marks import Marks, engine_mark
from interlock.cli.names import counted
from interlock.cli.remembered import Remembered
from interlock.source.folders import bundle_names

if TYPE_CHECKING:
    from collections.abc import Sequence


def told(arguments: Sequence[str]) -> bool:
    """Whether these paths hold nothing but bundles that are as they were when nothing was found, and that was said.

    Whatever else is asked, or goes wrong, is for the command itself.
    """
    try:
        return not any(one.startswith("-") for one in arguments) and _told(arguments or [DEFAULT_FOLDER])
    except OSError:
        return False


def _told(names: Sequence[str]) -> bool:
    paths = [Path(name) for name in names]
    if not all(path.exists() for path in paths):
        return False
    known, marking, bundles = Remembered(engine_mark()), Marks(), bundle_names(paths)
    if not known.were_clean(bundles, marking.of):
        return False
    sys.stdout.write(f"{counted(len(bundles), 'bundle')}: no findings\n")
    sys.stdout.flush()
    return True
