"""Documents that others wrote, in YAML or JSON: their data, and where each part stands. Nothing is run or fetched.

Such a document keeps to no rules of ours: a key such as `200` is taken as its text, and so is a scalar whose text YAML
would change. Anchors, tags, duplicate keys and all that may swell or hide something are refused as in a spec.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol

from yaml import YAMLError
from yaml.events import ScalarEvent

from interlock.contract.strict_json import NotStrictJsonError, loads
from interlock.diagnostics import Diagnostic, Location, Severity, in_order
from interlock.source import scalars
from interlock.source.decode import Text, decode, without_directives
from interlock.source.guard import Guard, StopReading
from interlock.source.json_places import JsonPlaces
from interlock.source.places import KeyPath, Places
from interlock.source.syntax import translated

MOST_BYTES = 16 * 1024 * 1024
MOST_NODES = 1_000_000


class Located(Protocol):
    """Knows where keys stand."""

    def key(self, path: KeyPath) -> Location:
        """Place of a key, or of a list item; if it is not there, of the nearest key around it."""


@dataclass(frozen=True)
class Foreign:
    """A document of others: plain data, made of dict, list, str, int, float, bool and None."""

    file: str
    data: dict[str, Any]
    places: Located


def read_foreign(content: bytes, file: str) -> tuple[Foreign | None, list[Diagnostic]]:
    """The document in `content`, or everything found wrong with it. Never raises, whatever the bytes."""
    if len(content) > MOST_BYTES:
        message = f"the document is larger than {MOST_BYTES // 1024 // 1024} MiB"
        hint = "cut out the part that you need"
        return None, [Diagnostic("too-large", message, Location(file), hint=hint)]
    first = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    data, places, findings = (_json if first in (b"{", b"[") else _yaml)(content, file)
    if findings or places is None:
        return None, in_order(findings)
    if not isinstance(data, dict):
        return None, [Diagnostic("not-a-map", "a document is a map of keys", places.key(()))]
    return Foreign(file, data, places), []


def _json(content: bytes, file: str) -> tuple[Any, Located | None, list[Diagnostic]]:
    text = Text(file, content.decode("utf-8-sig", "replace"))
    places = JsonPlaces(text)
    try:
        return loads(content, MOST_BYTES), places, []
    except NotStrictJsonError as problem:
        place = text.at(problem.index) if problem.index is not None else places.key(problem.path)
        return None, None, [Diagnostic("bad-json", problem.message, place)]


def _yaml(content: bytes, file: str) -> tuple[Any, Located | None, list[Diagnostic]]:
    text, findings = decode(content, file, MOST_BYTES)
    if text is None or findings:
        return None, None, findings
    text, findings = without_directives(text)
    guard = _ForeignGuard(text)
    try:
        found = guard.read()
    except StopReading:
        found = None
    except YAMLError as error:
        return None, None, [*findings, *guard.findings, translated(error, text)]
    findings += guard.findings
    if found is None:
        return None, None, findings or [Diagnostic("empty-file", "the file is empty", Location(file))]
    data, spot = found
    return data, Places(text, spot, data), [_without_advice(finding) for finding in findings]


def _without_advice(finding: Diagnostic) -> Diagnostic:
    """Hints for authors of specs are of no use to whoever was given the document."""
    return replace(finding, hint="", severity=Severity.ERROR)


class _ForeignGuard(Guard):
    """As for specs, but for habits of writing and for scalars that are taken as their text."""

    most_nodes = MOST_NODES

    def _add(self, findings: list[Diagnostic]) -> None:
        super()._add([finding for finding in findings if finding.severity is Severity.ERROR])

    def _split(self, key: Any, value: Any) -> None:
        """A key without a colon has no value; that is YAML too."""

    def _pair(self, event: Any) -> None:
        """A map of one key may stand in a list without braces."""

    def _typed(self, event: Any) -> Any:
        return scalars.plain(event.value)[0]

    def _key(self, event: Any, start: int, depth: int) -> str | None:
        if type(event) is ScalarEvent and event.anchor is None and event.tag is None and event.value != "<<":
            return str(event.value)
        return super()._key(event, start, depth)
