"""Runs that go on from their state, are stopped, or are retried at an awkward moment."""

import pytest

from interlock.interpreter.events import TimerDue
from interlock.interpreter.opening import InvalidMessage
from interlock.interpreter.work.state import EVENTS_KEPT, MAILBOX_BYTES

GIVEN = {"thing_id": "007"}
MADE = [lambda args: {"made": f"made {args['name']}"}]
GONE = [{"gone": True}]


def names(run):
    """The names that things were made by."""
    return [args["name"] for tool, args in run.world.calls if tool == "make"]


def test_a_failed_item_is_not_tried_again_by_a_run_that_goes_on(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        events: {go: {n: {type: integer, default: 1}}}
        steps:
          - for_each:
              items: [a, b]
              as: it
              key: "{{ it }}"
              max_parallel: 2
              on_failure: continue
              do:
                - switch:
                    - when: it == 'a'
                      do: [{call: pay}]
                    - do: [{receive: go}, {call: make, with: {name: "{{ it }}"}}]
        """,
        GIVEN,
        {"pay": [(400, {})], "make": MADE},
    )
    run.again()
    run.send("go", {})
    assert [tool for tool, _ in run.world.calls] == ["pay", "make"]
    assert run.state.failure["step"] == "for_each[a]/pay"
    run.world.tools["pay"] = [{"paid": True}]
    run.retry()
    assert run.state.status == "done"


def test_a_write_without_a_key_is_not_repeated_unasked_when_its_post_check_fails(play):
    run = play("input: {thing_id: {type: string}}\nsteps: [{call: pay}]\n", GIVEN, {"pay": [{"paid": False}]})
    assert run.state.failure["kind"] == "ensures"
    with pytest.raises(InvalidMessage, match="must be said first"):
        run.retry()
    run.retry(pay="happened")
    assert run.state.status == "done"
    assert len(run.world.calls) == 1


def test_what_did_not_happen_is_not_undone(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - call: pay
            compensate: [{call: make, with: {name: undo}}]
        on_cancel: compensate
        """,
        GIVEN,
        {"pay": ["timeout", (400, {})], "make": MADE},
    )
    run.retry(pay="did_not_happen")
    assert run.state.status == "failed"
    assert not run.state.leaves
    run.cancel()
    assert run.state.status == "cancelled"
    assert names(run) == []


def test_a_cancelled_run_is_stopped_although_it_is_about_to_go_on_elsewhere(play):
    run = play(
        """\
        steps:
          - {call: make, with: {name: a}, compensate: [{call: unmake}]}
          - wait: 1h
          - {call: make, id: late, with: {name: late}}
        on_cancel: compensate
        """,
        tools={"make": MADE, "unmake": GONE},
    )
    run.take(run.machine.pause())
    run.advance(3_600_000)
    assert run.machine.can_leave
    run.cancel()
    assert run.state.status == "undoing"
    run.again()
    assert run.state.status == "cancelled"
    assert [tool for tool, _ in run.world.calls] == ["make", "unmake"]


def test_a_run_that_stays_after_all_goes_on_where_it_paused(play):
    run = play(
        "steps: [{wait: 1h}, {call: make, with: {name: a}}]\n",
        tools={"make": MADE},
    )
    run.take(run.machine.pause())
    run.advance(3_600_000)
    assert names(run) == []
    run.take(run.machine.resume())
    assert run.state.status == "done"


def test_a_cancelled_run_ends_although_what_was_under_way_fails(play):
    run = play("input: {thing_id: {type: string}}\nsteps: [{call: pay}]\n", GIVEN, {"pay": ["timeout"]}, hold={"pay"})
    run.cancel()
    run.release()
    assert run.state.status == "cancelled"
    assert run.state.failure["kind"] == "unknown"


LOOP = "steps: [{for_each: {items: [a, b], as: one, key: '{{ one }}', max_parallel: MOST, do: [{call: make, with: {name: '{{ one }}'}}]}}]\n"


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("ended", ["cancelled", "deadline"])
def test_a_stopped_run_is_not_done_where_the_items_under_way_fail(play, most, ended):
    text = LOOP.replace("MOST", str(most)) + ("deadline: 1h\n" if ended == "deadline" else "")
    run = play(text, tools={"make": [(400, {})]}, hold={"make"})
    run.cancel() if ended == "cancelled" else run.advance(3_600_000)
    run.release()
    assert len(run.world.calls) == most
    assert run.state.status == ("cancelled" if ended == "cancelled" else "ended")
    assert run.state.result is None


def test_a_failed_undoing_is_not_tried_again_by_a_run_that_goes_on_and_can_be_given_up(play):
    run = play(
        """\
        steps:
          - call: make
            id: a
            with: {name: a}
            compensate: [{wait: 1h}, {call: make, id: ua, with: {name: undo a}}]
          - {call: make, id: b, with: {name: b}, compensate: [{call: unmake}]}
          - wait: 1d
        on_cancel: compensate
        """,
        tools={"make": MADE, "unmake": [(400, {})]},
    )
    run.cancel()
    run.again()
    run.advance(3_600_000)
    assert [tool for tool, _ in run.world.calls] == ["make", "make", "unmake", "make"]
    assert (run.state.status, list(run.state.undo)) == ("failed", ["b"])
    run.cancel()
    assert run.state.status == "cancelled"


def test_an_undoing_reads_the_results_of_a_pass_that_is_done(play):
    run = play(
        """\
        steps:
          - for_each:
              items: [a, b]
              as: it
              key: "{{ it }}"
              do:
                - call: make
                  with: {name: "{{ it }}"}
                  compensate: [{call: make, id: undo, with: {name: "undo {{ steps.make.result.made }}"}}]
          - fail: No.
            compensate: true
        """,
        tools={"make": MADE},
    )
    assert names(run) == ["a", "b", "undo made b", "undo made a"]


def test_a_loop_has_the_same_items_whenever_it_is_taken_up_again(play):
    run = play(
        """\
        events: {go: {n: {type: integer, default: 1}}}
        steps:
          - set: {list: [a, b]}
          - parallel:
              one:
                - for_each:
                    items: "{{ vars.list }}"
                    as: it
                    key: "{{ it }}"
                    do: [{wait: 1h}, {call: make, with: {name: "{{ it }}"}}]
              two: [{set: {list: [x]}, id: other}]
        """,
        tools={"make": MADE},
    )
    run.again()
    run.advance(4 * 3_600_000)
    assert names(run) == ["a", "b"]


def test_a_list_that_is_missing_fails_the_loop(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - {call: look, when: input.thing_id == 'x'}
          - for_each: {items: ["{{ cells.look.id }}"], as: it, key: "{{ it }}", do: [{call: make, with: {name: "{{ it }}"}}]}
        """,
        GIVEN,
        {"look": [], "make": MADE},
    )
    assert (run.state.status, run.state.failure["kind"]) == ("failed", "missing")


def test_a_poll_goes_on_with_its_pause(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps: [{call: look, repeat: {until: result.state == 'shut', every: 1m, timeout: 10m}}]
        """,
        GIVEN,
        {"look": [{"id": "7", "state": "open"}]},
    )
    run.again()
    assert len(run.world.calls) == 1
    run.advance(60_000)
    assert len(run.world.calls) == 2


def test_a_poll_beside_a_failed_branch_waits_no_more(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - parallel:
              one: [{call: look, repeat: {until: result.state == 'shut', every: 1m, timeout: 10m}}]
              two: [{call: pay}]
        """,
        GIVEN,
        {"look": [{"id": "7", "state": "open"}], "pay": [(400, {})]},
        hold={"look"},
    )
    run.release()
    assert run.state.status == "failed"


def test_a_retried_step_has_its_whole_time_again(play):
    run = play(
        """\
        events: {go: {n: {type: integer, default: 1}}}
        steps: [{receive: go, timeout: 1h}]
        """
    )
    run.advance(3_600_000)
    assert run.state.failure["kind"] == "timeout"
    run.advance(86_400_000)
    run.retry()
    run.advance(1_800_000)
    assert run.state.status == "running"
    run.send("go", {})
    assert run.state.status == "done"


def test_who_has_waited_longest_receives_first_after_a_pause_too(play):
    run = play(
        """\
        events: {go: {n: {type: integer, default: 1}}}
        steps:
          - parallel:
              one: [{wait: 1h}, {receive: go}, {call: make, with: {name: one}}]
              two: [{receive: go, id: second}, {call: make, id: b, with: {name: two}}]
        """,
        tools={"make": MADE},
    )
    run.advance(3_600_000)
    run.again()
    run.send("go", {})
    assert names(run) == ["two"]


def test_an_end_in_a_pass_ends_the_procedure_whatever_the_others_do(play):
    run = play(
        """\
        steps:
          - for_each:
              items: [a, b]
              as: it
              key: "{{ it }}"
              max_parallel: 2
              on_failure: continue
              do:
                - switch:
                    - when: it == 'a'
                      do: [{end: {ended: by a}}]
                    - do: [{wait: 1h}]
        """
    )
    assert run.state.result == {"ended": "by a"}


def test_nothing_that_waits_is_dropped_for_something_newer(play):
    run = play("events: {go: {n: {type: integer}}, big: {x: {type: string}}}\nsteps: [{wait: 1d}]\n")
    for number in range(EVENTS_KEPT):
        run.send("go", {"n": number}, f"e{number}")
    with pytest.raises(InvalidMessage) as full:
        run.send("go", {"n": -1}, "one more")
    assert full.value.code == "mailbox-full"
    assert [one["data"]["n"] for one in run.state.mailbox["go"]] == list(range(EVENTS_KEPT))
    large = play("events: {big: {x: {type: string}}}\nsteps: [{wait: 1h}, {receive: big}, {receive: big, id: b}]\n")
    large.send("big", {"x": "x" * (MAILBOX_BYTES * 2 // 3)}, "1")
    with pytest.raises(InvalidMessage, match="no more room"):
        large.send("big", {"x": "x" * (MAILBOX_BYTES * 2 // 3)}, "2")
    large.advance(3_600_000)
    large.send("big", {"x": "x" * (MAILBOX_BYTES * 2 // 3)}, "2")
    assert large.state.status == "done"


def test_a_timer_of_an_earlier_stand_still_ends_nothing(play):
    text = "input: {thing_id: {type: string}}\nsteps: [{call: look}, {wait: 3d}, {call: look, id: again}]\npark: 2d\n"
    run = play(text, GIVEN, {"look": [(400, {}), {"id": "7", "state": "open"}, (400, {})]})
    run.retry()
    run.advance(3 * 86_400_000)
    assert run.state.status == "failed"
    run.machine._timers.pop("!park")
    run.take(run.machine.handle(TimerDue("!park", run.now_ms)))
    assert run.state.status == "failed"


def test_a_child_that_left_effects_is_run_again_only_when_somebody_says_so(play):
    other = "steps: [{call: make, with: {name: a}}, {fail: No.}]\n"
    run = play("steps: [{run: other}]\n", tools={"make": MADE}, others={"other": other})
    assert run.state.failure["kind"] == "error"
    with pytest.raises(InvalidMessage, match="must be said first"):
        run.retry()
    run.retry(other="happened")
    assert run.state.status == "done"
    assert names(run) == ["a"]


def test_a_call_does_not_go_out_when_the_run_was_stopped_during_its_checks(play):
    run = play(
        "input: {thing_id: {type: string}}\nsteps: [{call: careful}]\n",
        GIVEN,
        {"look": [{"id": "7", "state": "open"}], "careful": [{"made": "x"}]},
        hold={"look"},
    )
    run.cancel()
    run.release()
    assert run.state.status == "cancelled"
    assert [tool for tool, _ in run.world.calls] == ["look"]
