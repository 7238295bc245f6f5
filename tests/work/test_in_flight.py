"""What a cell was made from is what stood when its call's arguments were bound, whatever changes before the answer."""

import pytest

from interlock.interpreter.work.state import restored

MADE = [lambda args: {"made": f"made {args['name']}"}]
TEXT = """\
events: {go: {n: {type: integer}}}
steps:
  - set: {who: ann, other: x}
  - parallel:
      calls: [{call: make, with: {name: "{{ vars.who }}"}}]
      changes: [{receive: go}, {set: {NAME: bo}}]
  - call: unmake
"""


def test_a_branch_that_overwrites_a_source_while_the_call_is_in_flight_makes_its_cell_stale(play):
    run = play(TEXT.replace("NAME", "who"), tools={"make": MADE, "unmake": [{"gone": True}]}, hold={"make"})
    run.send("go", {"n": 1})
    run.release()
    assert (run.state.failure["step"], run.state.failure["kind"]) == ("unmake", "missing")
    assert "`vars.who` has changed since" in run.state.failure["missing"][0]["reason"]
    assert run.world.calls == [("make", {"name": "ann"})]


def test_it_does_so_after_the_answer_too(play):
    run = play(TEXT.replace("NAME", "who"), tools={"make": MADE, "unmake": [{"gone": True}]})
    run.send("go", {"n": 1})
    assert "`vars.who` has changed since" in run.state.failure["missing"][0]["reason"]


@pytest.mark.parametrize("hold", [{"make"}, set()])
def test_a_branch_that_overwrites_something_else_changes_nothing(play, hold):
    run = play(TEXT.replace("NAME", "other"), tools={"make": MADE, "unmake": [{"gone": True}]}, hold=hold)
    run.send("go", {"n": 1})
    run.release()
    assert run.state.status == "done"


def failed_once(play, name):
    """A run whose first call was lost; it was sent with the first value, and stands still."""
    tools = {"make": ["timeout", *MADE], "unmake": [{"gone": True}]}
    run = play(TEXT.replace("NAME", name), tools=tools, hold={"make"})
    run.send("go", {"n": 1})
    run.release()
    assert run.state.status == "failed"
    return run


@pytest.mark.parametrize(("name", "step"), [("who", "unmake"), ("other", None)])
def test_a_request_that_is_sent_again_is_made_from_what_it_was_first_bound_to(play, name, step):
    run = failed_once(play, name)
    run.retry()
    assert [args for tool, args in run.world.calls if tool == "make"] == [{"name": "ann"}] * 2
    assert (run.state.failure or {}).get("step") == step


def test_what_was_bound_is_kept_in_the_state_and_not_asked_of_one_of_a_version_before(play):
    run = failed_once(play, "who")
    state = run.state.as_json()
    sent = state["journal"]["make"]["sent"]
    assert sent["made_from"] == {"vars.who": "ann"}
    del sent["made_from"]
    sent["paths"] = ["vars.who"]
    run.state = restored(state)
    run.machine.state = run.state
    run.machine = type(run.machine)(run.program, run.state)
    run.machine.begin(run.now_ms)
    run.retry()
    assert run.state.status == "done"
