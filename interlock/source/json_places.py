"""Where the keys and items of a JSON text stand, found by reading along one path when somebody asks."""

import re
from collections.abc import Iterator
from json.decoder import JSONDecoder

from interlock.diagnostics import Location
from interlock.source.decode import Text
from interlock.source.places import KeyPath

_WHITE = re.compile(r"[ \t\r\n]*")
_DECODER = JSONDecoder()


class JsonPlaces:
    """Line and column of the keys and items of a text that is JSON as far as it is asked about."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def key(self, path: KeyPath) -> Location:
        """Place of a key, or of a list item; if it is not there, of the nearest key around it."""
        content = self._text.content
        value = found = _past_white(content, 0)
        for step in path:
            try:
                place = next((one for one in _members(content, value) if one[0] == step), None)
            except (ValueError, RecursionError):  # what stands before it is not JSON, or too deep to pass over
                break
            if place is None:
                break
            _, found, value = place
        return self._text.at(found)


def _members(content: str, start: int) -> Iterator[tuple[str | int, int, int]]:
    """Name or number, index of the key and of the value of everything in the list or object at `start`."""
    opening, at = content[start : start + 1], _past_white(content, start + 1)
    number = 0
    while opening in ("{", "[") and content[at : at + 1] not in ("", "}", "]"):
        key, name = at, number
        if opening == "{":
            name, end = _DECODER.raw_decode(content, at)
            at = _past_white(content, _past_white(content, end) + 1)
        yield name, key, at
        _, end = _DECODER.raw_decode(content, at)
        at = _past_white(content, end)
        if content[at : at + 1] == ",":
            at = _past_white(content, at + 1)
        number += 1


def _past_white(content: str, at: int) -> int:
    match = _WHITE.match(content, at)
    return match.end() if match else at
