"""The generated pages by their names under `docs/reference`."""

import json
from collections.abc import Callable
from pathlib import Path

from docs.generate.command_line import command_line
from docs.generate.diagnostics import diagnostics
from docs.generate.language import language
from interlock.spec.schema import editor_schema

REFERENCE = Path(__file__).parents[1] / "reference"


def _schema() -> str:
    return json.dumps(editor_schema(), ensure_ascii=False, indent=2) + "\n"


MAKERS: dict[str, Callable[[], str]] = {
    "language.md": language,
    "diagnostics.md": diagnostics,
    "cli.md": command_line,
    "interlock.schema.json": _schema,
}


def pages() -> dict[str, str]:
    """Every generated page with its text."""
    return {name: make() for name, make in MAKERS.items()}
