"""One JSON object as a schema says, out of a text that a model wrote: found, read strictly, and never repaired."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from interlock.contract import strict_json
from interlock.contract.strict_json import NotStrictJsonError

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}]', re.DOTALL)
_LIKE_JSON = re.compile(r'\{\s*["}]')
_WHOLE = frozenset({"required", "additionalProperties"})
"""What a schema says of which keys are there."""
_PLACES_SHOWN = 3
_PLACE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Found:
    """The object, or in words why there is none; the words hold nothing that the model wrote."""

    value: dict[str, Any] | None = None
    problem: str = ""


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object with all of these properties, and no other."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def wanted(schema: Any) -> str:
    """What a model is told that knows no other way to be asked for an object."""
    written = strict_json.dumps(schema).decode()
    return f"Answer with one JSON object and nothing else. It satisfies this JSON Schema: {written}"


def object_in(text: str, schema: Any, *, partial: bool = False) -> Found:
    """The first whole JSON object in `text`, fenced or bare, if it is as `schema` says; see `checked` for `partial`.

    What looks like an object and is none ends the search: an object inside of it, or an example after it, is not the
    answer.
    """
    for candidate in _candidates(text):
        if not _LIKE_JSON.match(candidate):
            continue  # braces of prose
        try:
            value = strict_json.loads(candidate.encode(errors="surrogatepass"), len(candidate) * 4)
        except NotStrictJsonError as problem:
            return Found(problem=f"its JSON is refused: {problem.code}")
        return checked(value, schema, partial=partial)
    return Found(problem="there is no whole JSON object in it")


def checked(value: Any, schema: Any, *, partial: bool = False) -> Found:
    """`value` if it is an object and as `schema` says; in a `partial` one keys may be missing, and others there."""
    from interlock.plan.schemas import schema_places  # noqa: PLC0415 - jsonschema is loaded when it is needed

    if not isinstance(value, dict):
        return Found(problem="it is no JSON object")
    if partial:
        schema = {key: part for key, part in schema.items() if key not in _WHOLE}
    places = [place[:_PLACE_LENGTH] for place in islice(schema_places(schema, value), _PLACES_SHOWN)]
    return Found(problem=f"it is not as the schema says at {', '.join(places)}") if places else Found(value)


def _candidates(text: str) -> Iterator[str]:
    """What stands between a brace and the one that closes it, one after the other; a cut one is the last."""
    start = text.find("{")
    while start >= 0:
        end = _end(text, start)
        yield text[start:end]
        start = text.find("{", end)


def _end(text: str, start: int) -> int:
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth and token[0] == "}":
            return token.end()
    return len(text)
