"""What a run says of effects that nobody knows of, and what an undoing knows of the call that it undoes."""

import pytest

from interlock.interpreter.work.state import restored

GIVEN = {"thing_id": "007"}
GONE = [{"gone": True}]
REFUSED, LOST = (400, {}), "timeout"
UNMAKE = "{call: make, with: {name: a}, compensate: [{call: unmake}]}"
PAY = "input: {thing_id: {type: string}}\nsteps:\n  - call: pay\n"
MANY = """\
steps:
  - for_each:
      items: [a, b]
      as: it
      key: "{{ it }}"
      do:
        - {call: make, with: {name: "{{ it }}"}, catch: [{errors: [timeout]}]}
  - wait: 1h
"""


def steps(*lines):
    return "steps:\n" + "".join(f"  - {line}\n" for line in lines)


def test_a_write_with_a_key_that_is_lost_is_unknown_and_may_be_retried_without_a_word(play):
    run = play(steps("{call: make, with: {name: a}}"), tools={"make": [LOST, REFUSED, {"made": "1"}]})
    assert (list(run.state.unknown), run.state.effects) == (["make"], ["make"])
    run.retry()
    assert run.state.status == "failed"
    assert list(run.state.unknown) == ["make"], "that the second request was refused says nothing of the first"
    run.again()
    run.retry()
    assert (run.state.status, run.state.unknown, run.state.effects) == ("done", {}, ["make"])
    assert run.world.again == [False, True, True]


def test_an_effect_of_a_failed_check_is_known_and_yet_not_repeated_unasked(play):
    run = play(PAY, GIVEN, {"pay": [{"paid": False}, {"paid": True}]})
    assert (run.state.unknown, run.state.effects) == ({}, ["pay"])
    run.retry(pay="did_not_happen")
    assert run.state.status == "done"


@pytest.mark.parametrize(("said", "effects"), [("happened", ["pay"]), ("did_not_happen", [])])
def test_what_somebody_has_said_is_unknown_no_more(play, said, effects):
    run = play(PAY, GIVEN, {"pay": [LOST, REFUSED]})
    assert list(run.state.unknown) == ["pay"]
    run.retry(pay=said)
    assert (run.state.unknown, run.state.effects) == ({}, effects)


def test_what_was_undone_is_unknown_no_more(play):
    inner = steps("{call: make, id: b, with: {name: b}}", "{fail: No.}")
    parent = steps(
        "{run: inner, compensate: [{call: make, id: repair, with: {name: r}}]}", "{call: make, with: {name: c}}"
    )
    parked = play(parent, tools={"make": [{"made": "b"}]}, others={"inner": inner})
    assert (list(parked.state.unknown), parked.state.effects) == (["inner"], ["inner"])
    undone = play(parent + "on_failure: compensate\n", tools={"make": [{"made": "b"}]}, others={"inner": inner})
    assert (undone.state.status, undone.state.unknown, undone.state.effects) == ("ended", {}, [])


def test_an_undoing_that_is_lost_is_unknown_and_found_out(play):
    text = steps(UNMAKE, "{fail: No., compensate: true}")
    run = play(text, tools={"make": [{"made": "1"}], "unmake": [LOST, *GONE]})
    assert (list(run.state.unknown), run.state.effects) == (["unmake"], ["make"])
    run.retry()
    assert (run.state.status, run.state.unknown, run.state.effects) == ("ended", {}, [])


def test_what_was_caught_stays_unknown_and_those_of_the_passes_of_a_loop_stand_together(play):
    run = play(MANY, tools={"make": [LOST, {"made": "b"}]})
    run.again()
    assert run.state.unknown == {"for_each[*]/make": 1}
    assert run.state.left == {"for_each[*]/make": 2}


def test_a_group_stands_for_what_is_unknown_in_it(play):
    group = "do: [{call: make, with: {name: a}, catch: [{errors: [timeout]}]}]\n    compensate: [{call: make, id: undo, with: {name: u}}]"
    run = play(steps(group, "{wait: 1h}"), tools={"make": [LOST, {"made": "u"}]})
    assert (list(run.state.unknown), run.state.effects) == (["do"], ["do"])
    run = play(steps(group, "{fail: No., compensate: true}"), tools={"make": [LOST, {"made": "u"}]})
    assert (run.state.unknown, run.state.effects) == ({}, [])


def test_a_state_that_does_not_name_them_takes_them_from_its_journal(play):
    run = play(PAY, GIVEN, {"pay": [LOST]})
    old = run.state.as_json()
    del old["unknown"]
    assert restored(old).unknown == {"pay": 1}


def test_what_failed_its_check_is_undone_with_what_it_answered_and_fills_nothing(play):
    run = play(steps(UNMAKE) + "on_failure: compensate\n", tools={"make": [{"made": ""}], "unmake": GONE})
    assert run.world.calls == [("make", {"name": "a"}), ("unmake", {"made": ""})]
    assert (run.state.status, run.state.effects, run.state.cells) == ("ended", [], {})


def test_an_answer_that_is_not_as_declared_gives_an_undoing_nothing(play):
    run = play(steps(UNMAKE) + "on_failure: compensate\n", tools={"make": [{"made": 1}], "unmake": GONE})
    assert [tool for tool, _ in run.world.calls] == ["make"]
    assert (run.state.status, run.state.effects) == ("failed", ["make"])
    assert "has filled `cells.make.made`" in run.state.undo_failures[0]["message"]


def test_what_a_request_has_brought_once_undoes_it_when_it_is_sent_again_and_lost(play):
    run = play(steps(UNMAKE) + "on_cancel: compensate\n", tools={"make": [{"made": ""}, LOST], "unmake": GONE})
    run.retry()
    assert run.state.unknown == {}, "it is known to have happened"
    run.cancel()
    assert run.world.calls[-1] == ("unmake", {"made": ""})
    assert (run.state.status, run.state.effects) == ("cancelled", [])


def test_what_an_older_worker_has_told_is_taken_as_it_was_then(play):
    text = steps(UNMAKE) + "on_failure: compensate\n"
    refused = play(text, tools={"make": ["error 503"], "unmake": GONE}, rules=1)
    assert (refused.state.status, [tool for tool, _ in refused.world.calls]) == ("ended", ["make"])
    lost = play(text, tools={"make": ["error 502"], "unmake": GONE}, rules=1)
    assert (lost.state.status, lost.state.effects) == ("failed", ["make"])
    unchecked = play(text, tools={"make": [{"made": ""}], "unmake": GONE}, rules=1)
    assert [tool for tool, _ in unchecked.world.calls] == ["make"], "nothing was sent to undo it"
    misread = play(PAY, GIVEN, {"pay": ["error 201"]}, rules=1)
    assert misread.state.failure["kind"] == "unknown"
