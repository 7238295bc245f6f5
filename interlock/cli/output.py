"""Writing a file that an option names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, content: str) -> None:
    """Write the file; where that is not possible, the command ends with the reason."""
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror}.") from error
