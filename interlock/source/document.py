"""One YAML file as plain data, with a place for every key and value."""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from yaml import YAMLError

from interlock.diagnostics import Diagnostic, Location, in_order
from interlock.source.decode import Text, decode, tabs, without_directives
from interlock.source.guard import Guard, StopReading
from interlock.source.places import KeyPath, Places
from interlock.source.syntax import translated

MOST_BYTES = 512 * 1024


@dataclass(frozen=True)
class Document:
    """A YAML file: plain data, made of dict, list, str, int, float, bool and None."""

    file: str
    data: dict[str, Any]
    places: Places
    _refused: frozenset[int] = field(default=frozenset(), repr=False)
    _commented: tuple[int, ...] = field(default=(), repr=False)

    def scalar_style(self, path: KeyPath) -> str:
        """How a scalar is written: plain, single, double, literal or folded; "" if there is none."""
        return self.places.style(path)

    def is_refused(self, path: KeyPath) -> bool:
        """Whether the value at `path` was refused already, so that no more need be said of it."""
        return self.places.has(path) and self.places.start(path) in self._refused

    @cached_property
    def commented(self) -> frozenset[KeyPath]:
        """Paths of the unquoted scalars, empty ones too, that a comment follows on their line."""
        if not self._commented:
            return frozenset()
        paths = self.places.paths()
        return frozenset(paths[index] for index in self._commented if index in paths)


def read_document(content: bytes, file: str) -> tuple[Document | None, list[Diagnostic]]:
    """The document in `content`, and everything found wrong with it. Never raises, whatever the bytes."""
    text, findings = decode(content, file, MOST_BYTES)
    if text is None:
        return None, findings
    text, directives = without_directives(text)
    guard = Guard(text)
    found, problems = _read(guard, text)
    findings += directives + guard.findings + problems
    if found is None:
        return None, in_order(findings or [_empty(file)])
    data, spot = found
    places = Places(text, spot, data)
    if not isinstance(data, dict):
        hint = "begin with 'apiVersion: interlock/v1'"
        findings.append(Diagnostic("not-a-map", "a spec is a map of keys", places.value(()), hint=hint))
        return None, in_order(findings)
    document = Document(file, data, places, frozenset(guard.refused), tuple(guard.commented))
    return document, in_order(findings) if findings else []


def _read(guard: Guard, text: Text) -> tuple[tuple[Any, Any] | None, list[Diagnostic]]:
    found = None
    problems: list[Diagnostic] = []
    try:
        found = guard.read()
    except StopReading:
        return None, []
    except YAMLError as error:
        if not any(finding.code == "unquoted-template" for finding in guard.findings):
            problems = [translated(error, text)]
    refused_tabs = _tabs(text, guard.several_lines)
    lines = {tab.location.line for tab in refused_tabs}
    return found, [*refused_tabs, *(problem for problem in problems if problem.location.line not in lines)]


def _tabs(text: Text, several_lines: list[tuple[int, int]]) -> list[Diagnostic]:
    """Tabs that a line begins with, but for those inside a scalar over several lines."""
    findings = []
    for index in tabs(text):
        before = bisect_right(several_lines, (index, 0))
        if not before or several_lines[before - 1][1] <= index:
            findings.append(Diagnostic("tab", "tab in the indentation", text.at(index), hint="indent with spaces"))
    return findings


def _empty(file: str) -> Diagnostic:
    return Diagnostic("empty-file", "the file is empty", Location(file), hint="begin with 'apiVersion: interlock/v1'")
