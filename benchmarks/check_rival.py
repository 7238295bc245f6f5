"""How specs would be checked with the usual libraries: ruamel with positions, a schema, and each expression parsed."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jinja2
from jsonschema import Draft7Validator
from referencing import Registry
from ruamel.yaml import YAML

from interlock.spec.schema import editor_schema

BARE = ("when", "that")


def check_by_hand(files: Iterable[Path]) -> None:
    """Read, validate and parse; nothing is looked up and no name is checked."""
    validator = Draft7Validator(editor_schema(), registry=Registry())
    environment = jinja2.Environment()
    reader = YAML(typ="rt")
    for file in files:
        data = reader.load(file)
        assert not list(validator.iter_errors(data)), file
        for key, text in _texts(data):
            environment.parse(f"{{{{ {text} }}}}" if key in BARE else text)


def _texts(data: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(data, str):
        yield key, data
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from _texts(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from _texts(value, key)
