"""What a value of the plan reads: the context paths in its templates, told once per text."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import re2

from interlock.expressions.paths import paths_of

_ONE_PATH = re2.compile(r"^\s*\{\{-?\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)+)\s*-?\}\}\s*$")


def only_path(value: Any) -> str:
    """The path, if `value` is exactly one `{{ a.b }}`: a copy and no computation. Else empty."""
    found = _ONE_PATH.search(value) if isinstance(value, str) else None
    return str(found.group(1)) if found else ""


def paths_in(value: Any) -> frozenset[str]:
    """Every context path that the templates in `value` read."""
    return frozenset(path for text in _texts(value) for path in _paths(text))


@lru_cache(maxsize=4096)
def _paths(text: str) -> frozenset[str]:
    return frozenset(".".join(path) for path in paths_of(text, template=True))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
