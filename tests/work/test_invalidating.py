"""A payment that makes stale what it was made from: its own cells stand, and it can be undone whatever has changed."""

import pytest

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
    def begin(rest, tools=TOOLS):
        answers = {
            "get_bill": [{"version": 1}, {"version": 2}],
            "settle": [{"payment": "007"}],
            "take_back": [{"gone": True}],
        }
        return play(tools + rest, tools=answers)

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
