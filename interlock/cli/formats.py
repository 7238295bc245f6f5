"""Diagnostics for readers: text with source line and caret, JSON, GitHub annotations. SARIF has a module of its own."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import click

from interlock.cli.excerpts import excerpt, lines_of, printable
from interlock.diagnostics import Diagnostic, Location, Severity

Lines = Callable[[str], Sequence[str]]

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


def text(findings: Iterable[Diagnostic]) -> str:
    """For people: the message, the source line with a caret, the other place, and the remedy."""
    lines = cache(lines_of)
    return "\n\n".join(_paragraph(finding, lines) for finding in findings)


def _paragraph(finding: Diagnostic, lines: Lines) -> str:
    kind = click.style(f"{finding.severity}[{finding.code}]", fg=COLOURS[finding.severity], bold=True)
    told = [f"{_bold(finding.location)}: {kind}: {printable(finding.message)}", *_shown(finding.location, lines)]
    for other, note in finding.also:
        told += [f"  {_bold(other)}: {printable(note)}", *_shown(other, lines)]
    if finding.hint:
        told.append(f"  {click.style('hint', fg='cyan')}: {printable(finding.hint)}")
    return "\n".join(told)


def _bold(place: Location) -> str:
    return click.style(printable(str(place)), bold=True)


def _shown(place: Location, lines: Lines) -> list[str]:
    found = excerpt(place, lines(place.file))
    if found is None:
        return []
    line, blank = found
    return [f"  {place.line:>4} | {line}", f"       | {blank}{click.style('^', fg='green', bold=True)}"]


def as_json(findings: Iterable[Diagnostic]) -> str:
    """For programs: `{version, diagnostics: [...]}`; the version changes when a key does."""
    return json.dumps({"version": 1, "diagnostics": list(map(entry, findings))}, ensure_ascii=False, indent=2)


def entry(finding: Diagnostic) -> dict[str, Any]:
    """A finding as JSON."""
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "message": finding.message,
        "hint": finding.hint,
        **placed(finding.location),
        "also": [{**placed(place), "message": note} for place, note in finding.also],
    }


def restored(entry: Mapping[str, Any]) -> Diagnostic:
    """The finding that `entry` made. Raises KeyError, TypeError or ValueError for anything else."""
    also = tuple((location(place), place["message"]) for place in entry["also"])
    severity = Severity(entry["severity"])
    return Diagnostic(entry["code"], entry["message"], location(entry), severity, entry["hint"], also)


def placed(place: Location) -> dict[str, Any]:
    """A place as JSON."""
    return {"file": place.file, "line": place.line, "column": place.column}


def location(entry: Mapping[str, Any]) -> Location:
    """The place that `placed` made. Raises KeyError or TypeError for anything else."""
    return Location(entry["file"], entry["line"], entry["column"])


def github(findings: Iterable[Diagnostic]) -> str:
    """GitHub workflow commands, so that findings stand beside the lines of a pull request."""
    return "\n".join(map(_annotation, findings))


def _annotation(finding: Diagnostic) -> str:
    place = finding.location
    where = f"file={_escaped(place.file, property_=True)},line={place.line},col={place.column},title={finding.code}"
    lines = [finding.message, *(f"{other}: {note}" for other, note in finding.also)]
    lines += [f"hint: {finding.hint}"] if finding.hint else []
    return f"::{finding.severity} {where}::{_escaped(chr(10).join(lines))}"


def _escaped(value: str, *, property_: bool = False) -> str:
    value = value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return value.replace(":", "%3A").replace(",", "%2C") if property_ else value


def _sarif(findings: Iterable[Diagnostic]) -> str:
    from interlock.cli.sarif import sarif

    return sarif(findings)


FORMATS: Mapping[str, Callable[[Iterable[Diagnostic]], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": _sarif,
}
