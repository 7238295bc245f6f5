"""What models say where a script speaks for them: read from the file that INTERLOCK_MODELS names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Scripts = dict[str, Sequence[dict[str, Any]]]

NAME = "INTERLOCK_MODELS"


def scripts_of(environ: Mapping[str, str]) -> Scripts:
    """The replies by role; none without such a file. Raises ClickException for one that cannot be used."""
    written = environ.get(NAME, "")
    if not written:
        return {}
    from interlock.interpreter.scripted import Script, ScriptError
    from interlock.source import read_document

    try:
        content = Path(written).read_bytes()
    except OSError as problem:
        raise click.ClickException(f"{NAME}: {written} cannot be read: {problem.strerror}") from None
    document, findings = read_document(content, written)
    if document is None or findings:
        raise click.ClickException("\n".join(str(finding) for finding in findings))
    for role, replies in document.data.items():
        try:
            Script(replies if isinstance(replies, list) else [replies])
        except ScriptError as problem:
            raise click.ClickException(f"{written}: {role}: {problem}") from None
    return dict(document.data)
