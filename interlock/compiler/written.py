"""The strings an author wrote within texts and values, each with its path."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]


NO_PATHS = (None, "caller", "model")
"""What may stand at `from` that is no path of the context."""


def texts(text: Any, path: Path) -> Iterable[tuple[Path, str]]:
    """Every language's version of a Text; nothing for none."""
    if isinstance(text, str):
        return ((path, text),)
    return [((*path, language), version) for language, version in text.items()] if text is not None else ()


def strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every string within a JSON value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from strings(inner, (*path, index))


def has_template(value: Any) -> bool:
    """Whether a value is computed."""
    if isinstance(value, str):
        return "{{" in value or "{%" in value
    return any(has_template(text) for _, text in strings(value, ()))


_ONE_PATH = re.compile(r"\s*\{\{\s*([A-Za-z_][\w.]*)\s*\}\}\s*")


def copied_path(value: Any) -> tuple[str, ...] | None:
    """The context path that a template copies as it is; None for anything else."""
    match = _ONE_PATH.fullmatch(value) if isinstance(value, str) else None
    return tuple(match[1].split(".")) if match else None
