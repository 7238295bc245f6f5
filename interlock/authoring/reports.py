"""Reports of suites: text for people, JSON for programs, JUnit for CI."""

import json
import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from interlock.authoring.coverage import Counted
from interlock.authoring.suites import CaseResult, SuiteResult

_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def failures(results: Iterable[SuiteResult]) -> str:
    """Every failed turn: the lines of the suite, what was expected, what happened, and what the record says."""
    return "\n\n".join(case_text(case) for result in results for case in result.failed)


def case_text(case: CaseResult) -> str:
    """The failures of one case, for people."""
    turns = dict.fromkeys(failure.turn for failure in case.failures)
    return "\n\n".join(_turn_text(case, turn) for turn in turns)


def _turn_text(case: CaseResult, turn: int) -> str:
    lines = [f"case {case.case!r} ({case.location}), turn {turn}:"]
    for failure in case.failures:
        if failure.turn == turn:
            mismatch = failure.mismatch
            lines += [f"  {failure.location}: {mismatch.key} is not as expected"]
            lines += [f"    expected  {mismatch.expected}", f"    happened  {mismatch.happened}"]
    why = case.why.get(turn) or [("nothing", "was decided")]
    return "\n".join([*lines, "  because:", *(f"    {subject:<8} {line}" for subject, line in why)])


def coverage_text(name: str, coverage: Counted) -> str:
    """What was covered of an agent or procedure, and what was not, with places."""
    counts = [(kind, *coverage.counts(kind)) for kind in coverage.kinds]
    shares = ", ".join(f"{used} of {there} {kind}" for kind, used, there in counts if there)
    lines = [f"coverage of {name}: {coverage.share:.0%} ({shares})"]
    lines += [f"    not covered: {name} ({place})" for kind in coverage.kinds for name, place in coverage.unused(kind)]
    return "\n".join(lines)


def as_json(results: Sequence[SuiteResult], coverage: Iterable[tuple[str, Counted]]) -> str:
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
        "why": case.why,
        "failures": [
            {
                "place": str(failure.location),
                "turn": failure.turn,
                "key": failure.mismatch.key,
                "expected": failure.mismatch.expected,
                "happened": failure.mismatch.happened,
            }
            for failure in case.failures
        ],
    }


def _coverage(found: Counted) -> dict[str, object]:
    kinds = {kind: dict(zip(("used", "there"), found.counts(kind), strict=True)) for kind in found.kinds}
    unused = [{"part": name, "place": place} for kind in found.kinds for name, place in found.unused(kind)]
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
            if case.failures:
                message = f"{', '.join(failure.mismatch.key for failure in case.failures)} not as expected"
                ET.SubElement(element, "failure", message=_printable(message)).text = _printable(case_text(case))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _printable(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
