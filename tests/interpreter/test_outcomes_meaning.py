"""Outcomes: what an answer means, and whether its business part is as declared."""

import pytest

from interlock.interpreter.outcomes import Classified, classify, rules_of, understand
from interlock.plan.base import Field
from interlock.plan.tools import Outcome, Retry, Tool

AT = "tools.yaml:1:1"


def a_tool(**rest) -> Tool:
    return Tool(at=AT, transport="http", effect="read", retry=Retry(attempts=1), timeout_ms=1, **rest)


def meaning(tool: Tool, status: int, payload: object) -> Classified:
    return classify(tool, status, payload, rules_of(tool))


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "success"),
        (204, "success"),
        (302, "error"),
        (400, "error"),
        (404, "error"),
        (408, "timeout"),
        (500, "error"),
        (504, "timeout"),
    ],
)
def test_undeclared_the_status_says_what_an_answer_means(status, outcome):
    assert meaning(a_tool(), status, {}) == Classified(outcome)


def test_the_first_declared_outcome_that_holds_wins():
    declared = (
        Outcome(
            at="t:1:1", when="payload.code == 'MISSING'", outcome="blocked", missing="no", message={"en": "Which?"}
        ),
        Outcome(at="t:2:1", when="payload.code != 'OK'", outcome="error"),
        Outcome(at="t:3:1", when="status == 404", outcome="success"),
    )
    tool = a_tool(outcomes=declared)
    assert meaning(tool, 200, {"code": "MISSING"}) == Classified("blocked", "no", {"en": "Which?"}, "t:1:1")
    assert meaning(tool, 200, {"code": "X"}).outcome == "error"
    assert meaning(tool, 200, {"code": "OK"}) == Classified("success")
    assert meaning(tool, 404, {"code": "OK"}) == Classified("success", at="t:3:1")


def test_what_an_answer_lacks_decides_nothing_not_even_through_a_negation():
    tool = a_tool(outcomes=(Outcome(at=AT, when="not payload.failed", outcome="success"),))
    assert meaning(tool, 500, {}).outcome == "error"
    assert meaning(tool, 500, None).outcome == "error"
    assert meaning(tool, 500, {"failed": False}).outcome == "success"


def test_an_outcome_without_when_always_holds():
    assert meaning(a_tool(outcomes=(Outcome(at=AT, outcome="timeout"),)), 200, {}).outcome == "timeout"


def test_the_business_part_is_at_unwrap():
    tool = a_tool(unwrap="response.0")
    assert understand(tool, {"response": [{"a": 1}]}).result == {"a": 1}
    assert understand(tool, {"response": []}).problem == "the answer has nothing at `unwrap`: response.0"


def test_only_what_output_declares_is_in_the_result():
    tool = a_tool(output={"no": Field(type="string"), "eta": Field(type="date", optional=True)})
    assert understand(tool, {"no": "007", "eta": None, "secret": 1}).result == {"no": "007"}


def test_an_answer_that_is_not_as_output_says_is_told_with_its_place():
    tool = a_tool(unwrap="r", output={"eta": Field(type="date"), "no": Field(type="string")})
    assert understand(tool, {"r": {"eta": "soon"}}).problem == (
        "the answer is not as `output` says: eta: not a date: 'soon'; no: missing"
    )
    assert understand(tool, {"r": []}).problem == "the answer is not as `output` says: not an object"
    many = a_tool(output={f"f{n}": Field(type="string") for n in range(5)})
    assert understand(many, {}).problem.endswith("f2: missing (and 2 more)")
