"""What the commands about agents say to a procedure, and what those about both show of it."""

import json

import pytest

ORDER = """
apiVersion: interlock/v1
kind: Procedure
name: order
events:
  approved: {by: {type: string}}
steps:
  - {receive: approved, timeout: 2h}
result: {by: "{{ steps.approved.result.by }}"}
"""
SUITE = """
apiVersion: interlock/v1
kind: Suite
name: order-tests
of: order
cases:
  - id: somebody_says
    turns:
      - {expect: {status: running}}
      - {receive: {event: approved, data: {by: ann}}, expect: {status: done, result: {by: ann}}}
  - id: nobody_says
    turns:
      - {advance: 2h, expect: {status: done}}
"""


@pytest.fixture
def orders(place):
    folder = place.folder / "specs" / "orders"
    folder.mkdir(parents=True)
    (folder / "order.yaml").write_text(ORDER)
    (folder / "suite.yaml").write_text(SUITE)
    return place


@pytest.mark.parametrize("words", [["chat", "order"], ["explain", "order", "--message", "x"]])
def test_nobody_talks_to_a_procedure(orders, words):
    done = orders.run(*words)
    assert done.exit_code == 2
    assert "'order' is a procedure; start it with `interlock run order`." in done.output


def test_a_procedure_is_drawn_and_its_plan_shown(orders):
    assert '[/"receive approved, at most 2h"/]' in orders.run("graph", "order").output
    shown = json.loads(orders.run("plan", "order").output)
    assert (shown["plan"]["kind"], shown["plan"]["name"]) == ("Procedure", "order")


def test_a_suite_of_a_procedure_is_run_and_its_failure_told(orders):
    done = orders.run("test")
    assert done.exit_code == 1
    assert "case 'nobody_says' (specs/orders/suite.yaml:11:5), turn 1:" in done.output
    assert "  specs/orders/suite.yaml:13:32: status is not as expected" in done.output
    assert "coverage of order: 100% (1 of 1 steps)" in done.output
    assert orders.run("test", "--only", "somebody_says").exit_code == 0
