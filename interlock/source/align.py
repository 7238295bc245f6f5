"""From a character of a scalar's text to the character of the file that it was read from."""

import re

_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)?")
_WHITE = re.compile(r"[ \t\r\n]*")
_WHITE_DOUBLE = re.compile(r"(?:[ \t\r\n]|\\(?:\r\n|\r|\n))*")
_CONTINUED = re.compile(r"(?:\\(?:\r\n|\r|\n)[ \t]*)*")
_WIDTHS = {"x": 4, "u": 6, "U": 10}
_WHITE_ESCAPES = frozenset("nrt ")


def index_of(text: str, start: int, style: str, value: str, offset: int) -> int:
    """Index in `text` of the character at `offset` of `value`, a scalar that begins at `start`.

    Folding only turns white space into other white space, so the two are walked side by side: everything else matches
    one to one, and white space is passed over as far as it goes.
    """
    index = _first(text, start, style)
    for character in value[:offset]:
        index = _after(text, index, style, character)
    if offset < len(value) and value[offset] not in " \t\n":
        index = _skip(text, index, style)
    return min(index, len(text))


def _first(text: str, start: int, style: str) -> int:
    if style in ("literal", "folded"):
        header = _HEADER.match(text, start)
        return _skip(text, header.end() if header else start, style)
    return start if style == "plain" else start + 1


def _after(text: str, index: int, style: str, character: str) -> int:
    """The index after the part of `text` that gave `character`."""
    if character in " \t\n":
        if style == "double" and (continued := _CONTINUED.match(text, index)):
            index = continued.end()
        if style == "double" and text[index : index + 1] == "\\" and text[index + 1 : index + 2] in _WHITE_ESCAPES:
            return index + 2
        return index + 1 if text[index : index + 1] in (" ", "\t", "\r", "\n") else index
    index = _skip(text, index, style)
    if style == "double" and text[index : index + 1] == "\\":
        return index + _WIDTHS.get(text[index + 1 : index + 2], 2)
    return index + (2 if style == "single" and text[index : index + 1] == "'" else 1)


def _skip(text: str, index: int, style: str) -> int:
    match = (_WHITE_DOUBLE if style == "double" else _WHITE).match(text, index)
    return match.end() if match else index
