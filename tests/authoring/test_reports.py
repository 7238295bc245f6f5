"""Reports of suites: what a person reads, what a program reads, and XML that any reader takes."""

import json
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from interlock.authoring.expectations import Mismatch
from interlock.authoring.reports import as_json, case_text, coverage_text, failures, junit
from interlock.authoring.suites import CaseResult, Failure, SuiteResult
from interlock.diagnostics import Location

SUITE = """
stubs: {tools: {find: [{payload: {state: PAID}}]}}
cases:
  - id: right
    turns: [{user: hello}]
  - id: wrong
    turns:
      - {user: hello, expect: {outcome: ask}}
      - {user: B0001, expect: {reply: {equals: "It is LOST."}, route: other}}
"""
AT = Location("suite.yaml", 3, 5)


def failed(happened):
    """A result with one failed case."""
    case = CaseResult("suite", "one", AT, 1, 0.5, [Failure(AT, 1, Mismatch(("reply", "equals"), '"x"', happened))])
    return SuiteResult("suite", "desk", [case], None)


def test_a_failed_turn_is_told_with_place_expectation_and_reasons(desk):
    assert failures([desk.run(SUITE)]) == (
        "case 'wrong' (suite.yaml:10:5), turn 1:\n"
        "  suite.yaml:12:32: outcome is not as expected\n"
        '    expected  "ask"\n'
        '    happened  "reply"\n'
        "  because:\n"
        "    route    other (agent.yaml:42:5): flow help\n"
        "    step     reply (agent.yaml:52:7)\n"
        "\n"
        "case 'wrong' (suite.yaml:10:5), turn 2:\n"
        "  suite.yaml:13:64: route is not as expected\n"
        '    expected  "other"\n'
        '    happened  "order"\n'
        "  suite.yaml:13:40: reply.equals is not as expected\n"
        '    expected  "It is LOST."\n'
        '    happened  "It is PAID."\n'
        "  because:\n"
        '    slot     no = B0001 ← "B0001" at 0..5\n'
        "    route    order (agent.yaml:41:5): flow order\n"
        "    call     find (agent.yaml:45:7): success\n"
        '    source   no = B0001 ← slots.no: "B0001" at 0..5\n'
        "    table    care (agent.yaml:35:9): team = nobody\n"
        "    step     switch (agent.yaml:48:7)\n"
        "    step     reply (agent.yaml:50:7)"
    )


def test_a_case_that_passed_says_nothing(desk):
    assert case_text(desk.run(SUITE).cases[0]) == ""


def test_coverage_is_told_with_what_is_missing_and_where(desk):
    lines = coverage_text("desk", desk.run(SUITE).coverage).splitlines()
    assert lines[0] == (
        "coverage of desk: 60% (0 of 1 gates, 2 of 2 routes, 4 of 6 steps, 0 of 1 branches, 0 of 1 catches, 1 of 2 rows, "
        "1 of 1 mounts, 1 of 1 tools)"
    )
    assert "    not covered: gate form (agent.yaml:39:5)" in lines
    assert "    not covered: row 1 of care (agent.yaml:34:9)" in lines


def test_json_has_a_version_every_case_and_the_coverage(desk):
    result = desk.run(SUITE)
    content = json.loads(as_json([result], [("desk", result.coverage)]))
    assert content["version"] == 1
    [suite] = content["suites"]
    assert (suite["suite"], suite["of"]) == ("desk-tests", "desk")
    right, wrong = suite["cases"]
    assert (right["id"], right["passed"], right["failures"], right["why"]) == ("right", True, [], {})
    assert wrong["passed"] is False
    assert wrong["turns"] == 2
    assert wrong["failures"][0] == {
        "place": "suite.yaml:12:32",
        "turn": 1,
        "key": "outcome",
        "expected": '"ask"',
        "happened": '"reply"',
    }
    assert wrong["why"]["1"][0] == ["route", "other (agent.yaml:42:5): flow help"]
    assert content["coverage"]["desk"]["routes"] == {"used": 2, "there": 2}
    assert {"part": "gate form", "place": "agent.yaml:39:5"} in content["coverage"]["desk"]["unused"]


def test_junit_has_one_testcase_a_case_with_its_place(desk):
    root = ET.fromstring(junit([desk.run(SUITE)]))
    [suite] = root
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("desk-tests", "2", "1")
    right, wrong = suite
    assert (right.get("name"), right.get("file"), right.get("line")) == ("right", "suite.yaml", "8")
    assert list(right) == []
    assert float(wrong.get("time")) > 0
    [failure] = wrong
    assert failure.get("message") == "outcome, route, reply.equals not as expected"
    assert 'happened  "reply"' in failure.text


@given(st.text())
def test_junit_is_well_formed_whatever_was_said(said):
    [suite] = ET.fromstring(junit([failed(said)]).encode("utf-8"))
    assert suite[0][0].text.startswith("case 'one' (suite.yaml:3:5), turn 1:")


def test_junit_keeps_what_xml_can_hold_and_marks_the_rest():
    text = ET.fromstring(junit([failed("文字 & <b> \x1b[0m \ud800")]).encode("utf-8"))[0][0][0].text
    assert "文字 & <b> \ufffd[0m \ufffd" in text
