"""Reports of suites: text for people, JSON for programs, JUnit for CI."""

import json
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from interlock.authoring.coverage import KINDS, Coverage
from interlock.authoring.suites import CaseResult, Failure, SuiteResult


def failures(results: Iterable[SuiteResult]) -> str:
    """Every failure: the line of the suite, what was expected, what happened, and why."""
    return "\n\n".join(
        failure_text(case, failure) for result in results for case in result.failed for failure in case.failures
    )


def failure_text(case: CaseResult, failure: Failure) -> str:
    """One failure, for people."""
    mismatch = failure.mismatch
    lines = [f"{failure.location}: case {case.case!r}, turn {failure.turn + 1}: {mismatch.key} is not as expected"]
    lines += [f"    expected  {mismatch.expected}", f"    happened  {mismatch.happened}"]
    return "\n".join([*lines, *(f"    {line}" for line in failure.why)])


def coverage_text(agent: str, coverage: Coverage) -> str:
    """What was covered of an agent, and what was not, with places."""
    counts = [(kind, *coverage.counts(kind)) for kind in KINDS]
    shares = ", ".join(f"{used} of {there} {kind}" for kind, used, there in counts if there)
    lines = [f"coverage of {agent}: {coverage.share:.0%} ({shares})"]
    lines += [f"    not covered: {name} ({place})" for kind in KINDS for name, place in coverage.unused(kind)]
    return "\n".join(lines)


def as_json(results: Sequence[SuiteResult], coverage: Iterable[tuple[str, Coverage]]) -> str:
    """`{version, suites, coverage}`; the version changes when a key does."""
    content = {
        "version": 1,
        "suites": [
            {"suite": result.suite, "of": result.of, "cases": [_case(case) for case in result.cases]}
            for result in results
        ],
        "coverage": {agent: _coverage(found) for agent, found in coverage},
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _case(case: CaseResult) -> dict[str, object]:
    return {
        "id": case.case,
        "place": str(case.location),
        "turns": case.turns,
        "passed": not case.failures,
        "failures": [
            {
                "place": str(failure.location),
                "turn": failure.turn + 1,
                "key": failure.mismatch.key,
                "expected": failure.mismatch.expected,
                "happened": failure.mismatch.happened,
                "why": list(failure.why),
            }
            for failure in case.failures
        ],
    }


def _coverage(found: Coverage) -> dict[str, object]:
    kinds = {kind: dict(zip(("used", "there"), found.counts(kind), strict=True)) for kind in KINDS}
    unused = [{"part": name, "place": place} for kind in KINDS for name, place in found.unused(kind)]
    return {"share": round(found.share, 4), **kinds, "unused": unused}


def junit(results: Iterable[SuiteResult]) -> str:
    """JUnit XML, one testsuite a Suite, one testcase a case."""
    root = ET.Element("testsuites")
    for result in results:
        failed, total = len(result.failed), len(result.cases)
        suite = ET.SubElement(root, "testsuite", name=result.suite, tests=str(total), failures=str(failed))
        for case in result.cases:
            element = ET.SubElement(suite, "testcase", classname=result.suite, name=case.case)
            element.set("file", case.location.file)
            element.set("line", str(case.location.line))
            element.set("time", f"{case.elapsed_s:.6f}")
            for failure in case.failures:
                told = ET.SubElement(element, "failure", message=f"{failure.mismatch.key} is not as expected")
                told.text = _printable(failure_text(case, failure))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _printable(text: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(character if character >= " " or character in "\n\t" else "\ufffd" for character in text)
