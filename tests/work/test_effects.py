"""Writes: their keys, what a lost answer means, standing still, retrying, undoing."""

import pytest

from interlock.interpreter.opening import InvalidMessage

GIVEN = {"thing_id": "007"}
PAY = "input: {thing_id: {type: string}}\nsteps: [{call: pay}]\n"
MADE = [lambda args: {"made": f"made {args['name']}"}]


@pytest.mark.parametrize(
    "lost", ["timeout", "error", (500, {}), (502, {}), (503, {}), (408, {}), (303, {}), "error 201"]
)
def test_a_lost_write_without_a_key_is_unknown_and_never_repeated_unasked(play, lost):
    run = play(PAY, GIVEN, {"pay": [lost, {"paid": True}]})
    assert run.state.status == "failed"
    assert run.state.failure["kind"] == "unknown"
    with pytest.raises(InvalidMessage, match="must be said first"):
        run.retry()
    assert len(run.world.calls) == 1


def test_what_a_person_found_out_decides_an_unknown_effect(play):
    run = play(PAY, GIVEN, {"pay": ["timeout", {"paid": True}]})
    run.retry(pay="happened")
    assert run.state.status == "done"
    assert len(run.world.calls) == 1
    again = play(PAY, GIVEN, {"pay": ["timeout", {"paid": True}]})
    again.retry(pay="did_not_happen")
    assert again.state.status == "done"
    assert len(again.world.calls) == 2


@pytest.mark.parametrize("answer", ["error unsent", (400, {"why": "no"}), (409, {}), (429, {})])
def test_a_write_that_surely_had_no_effect_is_an_error_and_may_be_retried(play, answer):
    run = play(PAY, GIVEN, {"pay": [answer, {"paid": True}]})
    assert run.state.failure["kind"] == "error"
    run.retry()
    assert run.state.status == "done"


def test_a_failed_post_check_fails_the_step_although_the_call_returned(play):
    run = play(PAY, GIVEN, {"pay": [{"paid": False}]})
    assert run.state.failure["kind"] == "ensures"


UNDO = """\
steps:
  - call: make
    id: one
    with: {name: one}
    compensate: [{call: make, id: undo_one, with: {name: undo one}}]
  - for_each:
      items: [a, b]
      as: it
      key: "{{ it }}"
      do:
        - call: make
          with: {name: "{{ it }}"}
          compensate: [{call: unmake}]
  - fail: Enough.
    compensate: true
"""


def test_what_was_done_is_undone_in_reverse_order_with_the_values_it_was_done_with(play):
    run = play(UNDO, tools={"make": MADE, "unmake": [{"gone": True}]})
    assert run.state.status == "ended"
    assert [args.get("name") or args["made"] for _, args in run.world.calls] == [
        "one",
        "a",
        "b",
        "made b",
        "made a",
        "undo one",
    ]
    assert run.state.undo == {}


def test_each_call_of_a_tool_is_undone_with_its_own_cells(play):
    run = play(
        """\
        steps:
          - {call: make, id: a, with: {name: a}, compensate: [{call: unmake, id: ua}]}
          - {call: make, id: b, with: {name: b}, compensate: [{call: unmake, id: ub}]}
          - fail: No.
            compensate: true
        """,
        tools={"make": MADE, "unmake": [{"gone": True}]},
    )
    assert [args["made"] for tool, args in run.world.calls if tool == "unmake"] == ["made b", "made a"]


def test_a_call_whose_answer_was_lost_is_not_undone_with_the_cells_of_another(play):
    run = play(
        """\
        steps:
          - {call: make, id: a, with: {name: a}, compensate: [{call: unmake, id: ua}]}
          - {call: make, id: b, with: {name: b}, compensate: [{call: unmake, id: ub}]}
        on_failure: compensate
        """,
        tools={"make": [{"made": "A"}, "timeout"], "unmake": [{"gone": True}]},
    )
    assert [args["made"] for tool, args in run.world.calls if tool == "unmake"] == ["A"]
    assert [(one["undoing"], one["kind"]) for one in run.state.undo_failures] == [("b", "missing")]
    assert run.state.status == "failed"


def test_an_undoing_that_fails_is_told_stops_no_other_and_can_be_retried(play):
    run = play(UNDO, tools={"make": MADE, "unmake": [(500, {}), {"gone": True}]})
    assert run.state.status == "failed"
    assert [one["undoing"] for one in run.state.undo_failures] == ["for_each[b]/make"]
    assert [args.get("name") or args["made"] for _, args in run.world.calls][3:] == ["made b", "made a", "undo one"]
    run.retry()
    assert run.state.status == "ended"
    assert run.state.undo == {}


def test_only_what_has_had_an_effect_is_undone(play):
    text = """\
    steps:
      - call: make
        with: {name: one}
        compensate: [{call: make, id: undo, with: {name: undo}}]
    on_failure: compensate
    """
    refused = play(text, tools={"make": [(400, {})]})
    assert (refused.state.status, len(refused.world.calls)) == ("ended", 1)
    lost = play(text, tools={"make": ["timeout", {"made": "u"}]})
    assert [args["name"] for _, args in lost.world.calls] == ["one", "undo"]
    wrong = play(text, tools={"make": [{"made": ""}, {"made": "u"}]})
    assert [args["name"] for _, args in wrong.world.calls] == ["one", "undo"]


def test_a_group_is_undone_as_one(play):
    run = play(
        """\
        steps:
          - do:
              - {call: make, id: a, with: {name: a}, compensate: [{call: make, id: ua, with: {name: undo a}}]}
              - {call: make, id: b, with: {name: b}, compensate: [{call: make, id: ub, with: {name: undo b}}]}
            compensate: [{call: make, id: both, with: {name: undo both}}]
          - fail: No.
            compensate: true
        """,
        tools={"make": MADE},
    )
    assert [args["name"] for _, args in run.world.calls] == ["a", "b", "undo both"]


def test_a_run_goes_on_from_its_state_alone_at_any_pause(play):
    run = play(
        """\
        events: {go: {n: {type: integer}}}
        steps:
          - set: {name: first}
          - {call: make, id: a, with: {name: "{{ vars.name }}"}, compensate: [{call: unmake}]}
          - parallel:
              left: [{wait: 1h}, {call: make, id: b, with: {name: b}}]
              right: [{receive: go}, {call: make, id: c, with: {name: "{{ steps.a.result.made }}"}}]
          - fail: Enough.
            compensate: true
        """,
        tools={"make": MADE, "unmake": [{"gone": True}]},
    )
    run.again()
    run.advance(600_000)
    run.send("go", {"n": 1})
    run.again()
    run.advance(3_000_000)
    assert run.state.status == "ended"
    assert [args.get("name") or args["made"] for _, args in run.world.calls] == [
        "first",
        "made first",
        "b",
        "made first",
    ]


def test_a_cancelled_run_finishes_the_effect_and_undoes_it_where_it_says_so(play):
    text = """\
    steps:
      - call: make
        with: {name: one}
        compensate: [{call: unmake}]
      - wait: 1d
    on_cancel: compensate
    """
    run = play(text, tools={"make": MADE, "unmake": [{"gone": True}]}, hold={"make"})
    run.cancel()
    assert run.state.status == "running"
    run.release()
    assert run.state.status == "cancelled"
    assert [tool for tool, _ in run.world.calls] == ["make", "unmake"]
    stopped = play(
        text.replace("compensate\n    ", "stop\n    ").replace("on_cancel: compensate", "on_cancel: stop"),
        tools={"make": MADE},
    )
    stopped.cancel()
    assert stopped.state.status == "cancelled"
    assert [tool for tool, _ in stopped.world.calls] == ["make"]


def test_a_deadline_ends_the_run(play):
    run = play("steps: [{wait: 2d}]\ndeadline: 1d\n")
    run.advance(86_400_000)
    assert (run.state.status, run.state.failure["kind"]) == ("ended", "timeout")


def test_a_run_that_nobody_retries_is_over(play):
    run = play(PAY + "park: 2d\n", GIVEN, {"pay": [(400, {})]})
    run.advance(2 * 86_400_000)
    assert run.state.status == "ended"


def test_a_missing_cell_stops_before_the_call(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - call: look
          - when: cells.look.state == 'shut'
            call: make
            with: {name: x}
          - call: unmake
        """,
        GIVEN,
        {"look": [{"id": "7", "state": "open"}]},
    )
    assert run.state.failure["kind"] == "missing"
    assert "cells.make.made" in run.state.failure["missing"][0]["reason"]
    assert [tool for tool, _ in run.world.calls] == ["look"]


CHILD = """\
steps:
  - call: make
    with: {name: inner}
    compensate: [{call: unmake}]
  - fail: It is Sunday.
"""
PARENT = """\
steps:
  - run: inner
    compensate: [{call: make, id: after, with: {name: repair}}]
on_failure: compensate
"""


READS_OR_MAKES = """\
input: {thing_id: {type: string}, makes: {type: boolean}}
steps:
  - call: look
  - when: input.makes
    call: make
    with: {name: inner}
"""
RUNS_IT = """\
input: {thing_id: {type: string}, makes: {type: boolean}}
steps:
  - run: inner
    with: {thing_id: "{{ input.thing_id }}", makes: "{{ input.makes }}"}
    compensate: [{call: make, id: after, with: {name: repair}}]
  - fail: It is Sunday.
    compensate: true
"""


def test_a_child_that_is_done_and_has_only_read_is_no_effect(play):
    tools = {"make": MADE, "look": [{"id": "7", "state": "open"}]}
    read = play(RUNS_IT, {"thing_id": "7", "makes": False}, tools, others={"inner": READS_OR_MAKES})
    assert [tool for tool, _ in read.world.calls] == ["look"]
    assert (read.state.status, read.state.effects, read.state.leaves) == ("ended", [], False)
    made = play(RUNS_IT, {"thing_id": "7", "makes": True}, tools, others={"inner": READS_OR_MAKES})
    assert [args.get("name") for _, args in made.world.calls] == [None, "inner", "repair"]


def test_a_child_whose_own_child_has_made_something_is_an_effect(play):
    tools = {"make": MADE, "look": [{"id": "7", "state": "open"}]}
    between = """\
        input: {thing_id: {type: string}, makes: {type: boolean}}
        steps: [{run: inner, with: {thing_id: "{{ input.thing_id }}", makes: "{{ input.makes }}"}}]
    """
    main = RUNS_IT.replace("run: inner", "run: between")
    for makes, left in ((True, ["between"]), (False, [])):
        main = main.replace("    compensate: [{call: make, id: after, with: {name: repair}}]\n", "")
        run = play(main, {"thing_id": "7", "makes": makes}, tools, others={"inner": READS_OR_MAKES, "between": between})
        assert run.state.effects == left


def test_a_child_that_fails_and_leaves_effects_behind_is_undone_by_its_parent(play):
    left = play(PARENT, tools={"make": MADE}, others={"inner": CHILD})
    assert [args["name"] for _, args in left.world.calls] == ["inner", "repair"]
    clean = play(
        PARENT,
        tools={"make": MADE, "unmake": [{"gone": True}]},
        others={"inner": CHILD + "    compensate: true\n"},
    )
    assert [tool for tool, _ in clean.world.calls] == ["make", "unmake"]
    harmless = play(PARENT, tools={"make": MADE}, others={"inner": "steps: [{fail: No.}]\n"})
    assert harmless.world.calls == []
