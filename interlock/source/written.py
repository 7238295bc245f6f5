"""Writes YAML as our specs look: keys in order, short maps on one line, texts quoted where they need it, comments.

Whatever text is given, it is read again to the letter, by the reader of specs and by any other.
"""

import re
from collections.abc import Iterable
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString, SingleQuotedScalarString

WIDTH = 120
"""Longest line that a map or list is written on."""

_PLAIN = re.compile(r"[^\W\d][^?\n'\"#:{}\[\],&*!|>%@`“”‘’：，、]*")
_PLAIN_IN_BLOCK = re.compile(r"[^\W\d](?:[^\n#:]|:(?=[^\s]))*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"})


class Block(dict[str, Any]):
    """A map with comments; `flat` if it is to stand on one line where it fits."""

    def __init__(self, values: Iterable[tuple[str, Any]] = (), *, flat: bool = False) -> None:
        super().__init__(values)
        self.flat = flat
        self.above: dict[str, list[str]] = {}
        """Comment lines over a key; an empty one is an empty line."""
        self.beside: dict[str, str] = {}
        """The comment behind a key's value."""

    def say(self, key: str, *lines: str) -> None:
        """Put comment lines over a key."""
        self.above.setdefault(key, []).extend(lines)


def length(value: Any) -> int:
    """About how long a value is when it is written; white space and comments come on top."""
    if isinstance(value, dict):
        return sum(len(key) + 4 + length(inner) for key, inner in value.items())
    if isinstance(value, list):
        return sum(2 + length(item) for item in value)
    return len(value) + 2 * (_PLAIN.fullmatch(value) is None) if isinstance(value, str) else len(str(value))


def written(tree: dict[str, Any], head: Iterable[str] = ()) -> str:
    """The YAML text of a map, below comment lines. A map within that is no `Block` stands on one line where it fits."""
    yaml = YAML()
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = StringIO()
    yaml.dump(_map(tree, 0, WIDTH), out)
    return "".join(f"# {line}\n" for line in head) + out.getvalue()


def _map(block: dict[str, Any], depth: int, room: int) -> CommentedMap:
    made = CommentedMap()
    flat = depth > 0 and _is_flat(block) and length(block) <= room
    for key, value in block.items():
        made[_key(key)] = _value(value, depth + 1, room if flat else WIDTH - 2 * depth - len(key) - 2, flat=flat)
    if flat:
        made.fa.set_flow_style()
    if isinstance(block, Block):
        for key, lines in block.above.items():
            made.yaml_set_comment_before_after_key(key, before="\n".join(lines), indent=2 * depth)
        for key, line in block.beside.items():
            made.yaml_add_eol_comment(line, key, column=2 * depth + len(key) + len(str(block[key])) + 4)
    return made


def _value(value: Any, depth: int, room: int, *, flat: bool) -> Any:
    if isinstance(value, dict):
        return _map(value, depth, room)
    if isinstance(value, list):
        flat = flat or (_is_flat(value) and length(value) <= room)
        made = CommentedSeq(_value(item, depth + 1, room, flat=flat) for item in value)
        if flat:
            made.fa.set_flow_style()
        return made
    return _text(value, flat=flat) if isinstance(value, str) else value


def _key(key: str) -> Any:
    return key if _PLAIN.fullmatch(key) and key.lower() not in _WORDS else SingleQuotedScalarString(key)


def _text(text: str, *, flat: bool) -> Any:
    plain = _PLAIN if flat else _PLAIN_IN_BLOCK
    if plain.fullmatch(text) and text == text.strip() and text.lower() not in _WORDS and text.isprintable():
        return text
    if "\n" in text and not flat:
        return LiteralScalarString(text)
    return DoubleQuotedScalarString(text) if text.startswith("{{") else SingleQuotedScalarString(text)


def _is_flat(value: Any) -> bool:
    """Whether nothing in a value needs lines of its own; in a list on one line a map would lose its braces."""
    if isinstance(value, str):
        return "\n" not in value
    if isinstance(value, list):
        return not any(isinstance(item, dict) or not _is_flat(item) for item in value)
    if not isinstance(value, dict):
        return True
    if isinstance(value, Block) and (not value.flat or value.above or value.beside):
        return False
    return all(map(_is_flat, value.values()))
