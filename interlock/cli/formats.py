"""Diagnostics for readers: text with the source line and a caret, JSON, GitHub annotations, and SARIF."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

import interlock
from interlock.diagnostics import Diagnostic, Location, Severity

COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


def text(findings: Iterable[Diagnostic]) -> str:
    """For people: the message, the source line with a caret, the other place, and the remedy."""
    sources: dict[str, list[str]] = {}
    return "\n\n".join(_paragraph(finding, sources) for finding in findings)


def _paragraph(finding: Diagnostic, sources: dict[str, list[str]]) -> str:
    place = finding.location
    kind = click.style(f"{finding.severity}[{finding.code}]", fg=COLOURS[finding.severity], bold=True)
    lines = [f"{click.style(str(place), bold=True)}: {kind}: {finding.message}"]
    lines += _excerpt(place, sources)
    for other, note in finding.also:
        lines.append(f"  {click.style(str(other), bold=True)}: {note}")
        lines += _excerpt(other, sources)
    if finding.hint:
        lines.append(f"  {click.style('hint', fg='cyan')}: {finding.hint}")
    return "\n".join(lines)


def _excerpt(place: Location, sources: dict[str, list[str]]) -> list[str]:
    if place.file not in sources:
        try:
            sources[place.file] = Path(place.file).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError):
            sources[place.file] = []  # the finding itself says what is wrong with the file
    lines = sources[place.file]
    if place.line > len(lines):
        return []
    line = lines[place.line - 1]
    before = line[: place.column - 1]
    pad = "".join(_blank(character) for character in before)
    return [f"  {place.line:>4} | {line}", f"       | {pad}{click.style('^', fg='green', bold=True)}"]


def _blank(character: str) -> str:
    """White space as wide as the character on a terminal."""
    if character == "\t":
        return "\t"
    return "\u3000" if _wide(character) else " "


def _wide(character: str) -> bool:
    import unicodedata

    return unicodedata.east_asian_width(character) in "WF"


def as_json(findings: Iterable[Diagnostic]) -> str:
    """For programs: `{version, diagnostics: [...]}`; the version changes when a key does."""
    return json.dumps(
        {"version": 1, "diagnostics": [_entry(finding) for finding in findings]}, ensure_ascii=False, indent=2
    )


def _entry(finding: Diagnostic) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "message": finding.message,
        "hint": finding.hint,
        **_place(finding.location),
        "also": [{**_place(place), "message": note} for place, note in finding.also],
    }


def _place(place: Location) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column}


def github(findings: Iterable[Diagnostic]) -> str:
    """GitHub workflow commands, so that findings stand beside the lines of a pull request."""
    return "\n".join(_annotation(finding) for finding in findings)


def _annotation(finding: Diagnostic) -> str:
    place = finding.location
    where = f"file={_escaped(place.file, property_=True)},line={place.line},col={place.column},title={finding.code}"
    message = f"{finding.message}\nhint: {finding.hint}" if finding.hint else finding.message
    return f"::{finding.severity} {where}::{_escaped(message)}"


def _escaped(value: str, *, property_: bool = False) -> str:
    value = value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return value.replace(":", "%3A").replace(",", "%2C") if property_ else value


def sarif(findings: Iterable[Diagnostic]) -> str:
    """SARIF 2.1.0, for code scanning."""
    found = list(findings)
    codes = sorted({finding.code for finding in found})
    driver = {"name": "interlock", "version": interlock.__version__, "rules": [{"id": code} for code in codes]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(f, codes) for f in found]}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _result(finding: Diagnostic, codes: list[str]) -> dict[str, Any]:
    message = f"{finding.message} ({finding.hint})" if finding.hint else finding.message
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": str(finding.severity),
        "message": {"text": message},
        "locations": [_sarif_place(finding.location)],
    }
    if finding.also:
        result["relatedLocations"] = [
            {**_sarif_place(place), "message": {"text": note}} for place, note in finding.also
        ]
    return result


def _sarif_place(place: Location) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": {"artifactLocation": {"uri": place.file}, "region": region}}


def counted(number: int, word: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


FORMATS: Mapping[str, Callable[[Iterable[Diagnostic]], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
