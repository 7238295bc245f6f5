"""Diagnostics as SARIF 2.1.0, for code scanning."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import interlock
from interlock.compiler.codes import CODES
from interlock.diagnostics import Diagnostic, Location

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Iterable[Diagnostic]) -> str:
    """One run with all findings; each rule comes with what the registry of codes says of it."""
    found = list(findings)
    codes = sorted({finding.code for finding in found})
    driver = {"name": "interlock", "version": interlock.__version__, "rules": list(map(_rule, codes))}
    results = [_result(finding, codes.index(finding.code)) for finding in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _rule(code: str) -> dict[str, Any]:
    what, remedy = CODES[code]
    return {"id": code, "shortDescription": {"text": what}, "help": {"text": remedy, "markdown": remedy}}


def _result(finding: Diagnostic, rule: int) -> dict[str, Any]:
    message = f"{finding.message} ({finding.hint})" if finding.hint else finding.message
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": str(finding.severity),
        "message": {"text": message},
        "locations": [_place(finding.location)],
    }
    if finding.also:
        result["relatedLocations"] = [{**_place(place), "message": {"text": note}} for place, note in finding.also]
    return result


def _place(place: Location) -> dict[str, Any]:
    path = Path(place.file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    region = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
