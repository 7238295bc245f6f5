"""Suites of procedures: runs are started, time passes, events come, and what does not hold is told at its place."""

import json

import pytest

from interlock.authoring.reports import as_json, case_text, junit
from interlock.authoring.suites import run_suite
from interlock.compiler import compile_folder
from tests.authoring.conftest import told
from tests.authoring.orders import APPROVED, FULL, HEAD, ORDER, case


def test_a_run_goes_on_with_time_and_events_and_a_child_has_its_own_plan(orders):
    turns = (
        "{expect: {status: running, calls: [{tool: look, args: {order_no: B1}}], cells: {look.state: NEW}}}",
        "{advance: 19m, expect: {calls: []}}",
        "{advance: 1m, expect: {calls: [{tool: make}], cells: {make.made: M1}}}",
        f"{{{APPROVED}, expect: {{status: running, calls: []}}}}",
        "{advance: 59m, expect: {calls: [], result: {state: null}}}",
        "{advance: 1m, expect: {status: done, calls: [{tool: enter, args: {order_no: B1}}], result: {by: ann}}}",
    )
    assert told(orders.run(case(*turns))) == []


def test_an_event_that_came_early_is_received_when_it_is_asked_for(orders):
    turns = f"{{{APPROVED}, expect: {{calls: []}}}}", "{advance: 2h, expect: {status: done, undone: []}}"
    assert told(orders.run(case(*turns))) == []


@pytest.mark.parametrize(
    ("order_no", "turns"),
    [
        ("L", ["{expect: {status: done, result: {state: lost, by: null}, missing: []}}"]),
        (
            "X",
            [
                "{expect: {status: ended, failure: {kind: error, step: fail, contains: Not found}, calls: [{tool: look}]}}"
            ],
        ),
        (
            "B1",
            [
                "{advance: 3h, expect: {status: ended, failure: {kind: timeout, step: approved}, undone: [make]}}",
            ],
        ),
        ("B1", ["{event: cancel, expect: {status: cancelled, calls: [], undone: []}}"]),
        ("E", ["{advance: 20m, expect: {status: ended, failure: {kind: error}, undone: []}}"]),
        (
            "T",
            [
                "{advance: 20m, expect: {status: ended, failure: {kind: timeout}, undone: [make], calls: [{tool: make}, {tool: unmake}]}}"
            ],
        ),
    ],
)
def test_how_a_run_ends_and_what_it_undoes(orders, order_no, turns):
    assert told(orders.run(case(*turns, order_no=order_no))) == []


def test_a_procedure_that_stands_still_below_is_told_to_go_on(orders):
    lost = (
        "{advance: 20m}",
        f"{{{APPROVED}}}",
        "{advance: 1h, expect: {status: running, calls: [{tool: enter}]}}",
        "{retry: {run: post, resolved: {enter: did_not_happen}}, expect: {status: done, calls: [{tool: enter}]}}",
    )
    happened = (*lost[:3], "{retry: {run: post, resolved: {enter: happened}}, expect: {status: done, calls: []}}")
    unsent = (*lost[:3], "{retry: {run: post}, expect: {status: done, calls: [{tool: enter}]}}")
    found = orders.run(case(*lost, order_no="B9"), case(*happened, order_no="B9"), case(*unsent, order_no="B8"))
    assert told(found) == []


@pytest.mark.parametrize(
    ("expect", "key", "expected", "happened"),
    [
        ("status: done", "status", '"done"', '"running"'),
        ("calls: []", "calls", "[]", '["make"]'),
        ("calls: [{tool: make, args: {order_no: B2}}]", "calls.0.args.order_no", '"B2"', '"B1"'),
        ("cells: {look.state: OLD}", "cells.look.state", '"OLD"', '"NEW"'),
        ("cells: {make.made: null}", "cells.make.made", "null", '"M1"'),
        ("result: {by: ann}", "result.by", '"ann"', "null"),
        ("missing: [order_no]", "missing", '["order_no"]', "[]"),
        ("failure: {kind: error}", "failure.kind", '"error"', "null"),
        ("failure: {step: look}", "failure.step", '"look"', "null"),
        ("failure: {contains: No}", "failure.contains", '"No"', '""'),
        ("undone: [make]", "undone", '["make"]', "[]"),
    ],
)
def test_what_does_not_hold_is_told_with_what_happened(orders, expect, key, expected, happened):
    assert told(orders.run(case(f"{{advance: 20m, expect: {{{expect}}}}}"))) == [(1, key, expected, happened)]


def test_a_failure_is_told_with_its_line_what_was_done_and_what_is_waited_for(orders):
    found = orders.run(case("{advance: 20m, expect: {status: done}}", f"{{{APPROVED}, expect: {{status: done}}}}"))
    first, second = case_text(found.cases[0]).split("\n\n")
    assert first.splitlines()[:8] == [
        "case 'case_1' (suite.yaml:24:5), turn 1:",
        "  suite.yaml:27:33: status is not as expected",
        '    expected  "done"',
        '    happened  "running"',
        "  because:",
        "    step     ✓ look  (order.yaml:48:5, 0 ms)",
        "    call     look (order.yaml:48:5): success",
        "    source   order_no = B1 ← input.order_no",
    ]
    assert "    table    care (order.yaml:19:9): team = nobody" in first.splitlines()
    assert "    step     ✓ wait for_each[2]/wait  (order.yaml:52:63, 10 min 0 s)" in first.splitlines()
    assert first.splitlines()[-1] == "    waits    approved: for event approved"
    assert second.splitlines()[-2:] == [
        "    waits    post: for procedure post",
        "    waits    post/wait: until 2026-11-30T02:20:00+00:00",
    ]
    assert [subject for subject, _ in found.cases[0].why[2]] == ["event", "step", "waits", "waits"]


def test_what_a_procedure_below_did_is_told_with_the_way_to_it(orders):
    turns = "{advance: 20m}", f"{{{APPROVED}}}", "{advance: 1h, expect: {status: failed}}"
    [failed] = orders.run(case(*turns, order_no="B9")).cases
    lines = [line for _, line in failed.why[3]]
    assert any(line.startswith("✗ post/enter") for line in lines)
    assert any(line.startswith("post: ") for line in lines)


def test_a_call_that_no_stub_answers_fails_the_case(orders):
    head = HEAD.replace("    unmake: [{payload: {gone: true}}]\n", "")
    assert told(orders.run(case("{advance: 3h}"), head=head)) == [
        (1, "stubs", "an answer for unmake", '{"order_no": "B1"}')
    ]


@pytest.mark.parametrize(
    ("turns", "number", "key", "said"),
    [
        (["{retry: {}}"], 1, "retry", "only a failed one can be retried"),
        (["{expect: {status: running}}", "{retry: {run: post}}"], 2, "retry", "no procedure is run by 'post'"),
        (["{event: cancel}", f"{{{APPROVED}}}"], 2, "receive", "the run is over: it is 'cancelled'"),
        (["{event: cancel}", "{event: cancel}"], 2, "event", "the run is over"),
    ],
)
def test_what_is_not_let_in_ends_the_case(orders, turns, number, key, said):
    found = orders.run(case(*turns, "{advance: 1h, expect: {status: done}}"))
    [(turn, where, expected, happened)] = told(found)
    assert (turn, where, expected) == (number, key, "what fits the procedure")
    assert said in happened
    assert found.cases[0].failures[0].location.line == 26 + number


def test_an_input_that_does_not_fit_is_told_when_the_suite_is_checked(orders):
    order = ORDER.replace("order_no: {type: string}\nevents", "order_no: {type: string, pattern: 'B\\d'}\nevents")
    with pytest.raises(AssertionError, match=r"error.misfit.: .C1. does not match"):
        orders.run(case("{expect: {status: running}}", order_no="C1"), order=order)


def test_reports_for_programs_are_those_of_agents(orders):
    found = orders.run(*FULL[:2], case("{expect: {status: done}}"))
    content = json.loads(as_json([found], [("order", found.coverage)]))
    assert content["coverage"]["order"]["passes"] == {"used": 1, "there": 1}
    assert [one["passed"] for one in content["suites"][0]["cases"]] == [True, True, False]
    assert 'failures="1"' in junit([found])


def test_every_case_begins_anew(orders):
    turns = "{advance: 20m}", f"{{{APPROVED}}}", "{advance: 1h, expect: {calls: [{tool: enter}], status: running}}"
    assert told(orders.run(case(*turns, order_no="B9"), case(*turns, order_no="B9"))) == []


LOOP = """\
apiVersion: interlock/v1
kind: Procedure
name: loop
input: {names: {type: list, items: {type: string}}}
steps: [{for_each: {items: "{{ input.names }}", as: one, do: [{wait: "{{ one }}"}]}}]
"""
OF_LOOP = """\
apiVersion: interlock/v1
kind: Suite
name: loop-cases
of: loop
cases:
  - {id: bad, input: {names: [never]}, turns: [{expect: {status: failed, failure: {kind: error, step: STEP}}}]}
"""


@pytest.mark.parametrize(
    ("step", "mismatches"), [("wait", []), ("for_each", [(1, "failure.step", '"for_each"', '"wait"')])]
)
def test_the_failure_of_a_step_in_a_loop_is_expected_by_its_id(tmp_path, step, mismatches):
    (tmp_path / "loop.yaml").write_text(LOOP)
    (tmp_path / "cases.yaml").write_text(OF_LOOP.replace("STEP", step))
    found = compile_folder(tmp_path)
    assert not found.errors, found.errors
    suite = found.suites[0]
    assert told(run_suite(suite.spec, found.plans["loop"], lambda path: suite.key(*path))) == mismatches
