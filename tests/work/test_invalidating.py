"""A payment that makes stale what it was made from: its cells stand, and it can be undone and asked for again."""

import json

import pytest

from interlock.interpreter.cells import is_live
from interlock.plan.plan import from_json

TOOLS = """\
servers:
  bank: {http: "https://bank.example"}
tools:
  get_bill:
    http: GET /bill
    effect: read
    output: {version: {type: integer}}
    produces: {version: {at: version}}
  settle:
    http: POST /bill
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {version: {type: integer, from: cells.get_bill.version}}
    output: {payment: {type: string}}
    produces: {payment: {at: payment}}
    ensures: [{that: result.payment != ''}]
    invalidates: [get_bill]
  take_back:
    http: DELETE /payments/{payment}
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {payment: {type: string, from: cells.settle.payment}}
    output: {gone: {type: boolean}}
    ensures: [{that: result.gone}]
steps:
  - call: get_bill
  - call: settle
    compensate: [{call: take_back}]
"""


@pytest.fixture
def bill(play):
    def begin(rest, tools=TOOLS, **others):
        answers = {
            "get_bill": [{"version": 1}, {"version": 2}],
            "settle": [{"payment": "007"}],
            "take_back": [{"gone": True}],
        }
        return play(tools + rest, tools=answers | others)

    return begin


def test_its_own_cells_stand_after_it_has_invalidated_their_sources(bill):
    run = bill("result: {payment: '{{ cells.settle.payment }}'}\n")
    assert (run.state.status, run.state.result) == ("done", {"payment": "007"})


def test_it_is_undone_with_what_it_left(bill):
    run = bill("  - {fail: No., compensate: true}\n")
    assert run.world.calls[-1] == ("take_back", {"payment": "007"})
    assert (run.state.status, run.state.undo) == ("ended", {})


def test_it_is_undone_although_its_sources_have_another_value_now(bill):
    loose = TOOLS.replace("    invalidates: [get_bill]\n", "")
    run = bill("  - {call: get_bill, id: again}\n  - {fail: No., compensate: true}\n", loose)
    assert run.world.calls[-1] == ("take_back", {"payment": "007"})
    assert (run.state.status, run.state.undo) == ("ended", {})


def test_a_request_that_may_have_arrived_is_sent_again_as_it_was(bill):
    run = bill("", settle=["error", {"payment": "007"}])
    assert (run.state.status, is_live(run.state.cells["get_bill"])) == ("failed", False)
    run.retry()
    assert run.state.status == "done"
    assert [one for one in run.world.calls if one[0] == "settle"] == [("settle", {"version": 1})] * 2
    assert len(set(run.world.keys[1:])) == 1
    assert run.state.records[-2]["calls"][0]["sources"]["version"]["source"] == "cells.get_bill.version"


def test_a_request_that_surely_had_no_effect_is_made_anew_and_has_made_nothing_stale(bill):
    run = bill("", settle=["error unsent", {"payment": "007"}])
    assert (run.state.status, is_live(run.state.cells["get_bill"])) == ("failed", True)
    run.state.cells["get_bill"]["version"]["value"] = 2
    run.retry()
    assert run.world.calls[-1] == ("settle", {"version": 2})


def test_its_requirements_hold_at_a_repetition_too(bill):
    checked = TOOLS.replace(
        "    invalidates:", "    requires: [{call: get_bill, that: result.version < 3}]\n    invalidates:"
    )
    run = bill("", checked, settle=["error", {"payment": "007"}], get_bill=[{"version": n} for n in (1, 2, 3, 2)])
    run.retry()
    assert (run.state.status, run.state.failure["kind"]) == ("failed", "requires")
    run.retry()
    assert [one for one in run.world.calls if one[0] == "settle"] == [("settle", {"version": 1})] * 2
    assert run.state.status == "done"


def test_a_request_that_is_sent_again_does_not_find_stale_what_it_invalidated_the_first_time(bill):
    run = bill("result: {payment: '{{ cells.settle.payment }}'}\n", settle=["error", {"payment": "007"}])
    assert (run.state.status, is_live(run.state.cells["get_bill"])) == ("failed", False)
    run.retry()
    assert (run.state.status, run.state.result) == ("done", {"payment": "007"})


@pytest.fixture
def unchecked(bill):
    """The same under a plan that no checker has seen: it would have refused what reads a stale cell."""

    def begin(rest):
        run = bill(rest, TOOLS.replace("    invalidates: [get_bill]\n", ""))
        assert run.state.status == "done"
        plan = json.loads(run.program.plan.canonical())
        plan["tools"]["settle"]["invalidates"] = ["get_bill"]
        answers = {"get_bill": [{"version": 1}, {"version": 2}], "settle": [{"payment": "007"}]}
        return type(run)(type(run.world)({"main": from_json(json.dumps(plan))}, answers), "main", {})

    return begin


def test_a_cell_that_a_call_has_made_stale_is_told_by_that_call(unchecked):
    run = unchecked("  - {call: settle, id: again}\n")
    (block,) = run.state.failure["missing"]
    assert (run.state.failure["kind"], run.state.failure["step"], block["why"]) == ("missing", "again", "stale")
    assert block["reason"] == (
        "`cells.get_bill.version` is stale: the call run-main/2 of 'settle' at step 'settle' has made it so"
    )


def test_it_stands_again_once_it_is_filled_again(bill):
    run = bill("  - {call: get_bill, id: anew}\n  - {call: settle, id: again}\n")
    assert run.state.status == "done"
    assert [args for tool, args in run.world.calls if tool == "settle"] == [{"version": 1}, {"version": 2}]


PASS = """\
  - for_each:
      items: [a]
      as: one
      key: "{{ one }}"
      do:
        - {call: get_bill, id: own}
        - {call: settle, id: paid}
"""


def test_a_pass_makes_its_own_cells_stale_and_those_around(unchecked):
    within = unchecked(PASS + "        - {call: settle, id: again}\n")
    (block,) = within.state.failure["missing"]
    assert (block["why"], "at step 'paid'" in block["reason"]) == ("stale", True)
    after = unchecked(PASS + "  - {call: settle, id: again}\n")
    (block,) = after.state.failure["missing"]
    assert block["why"] == "stale"
