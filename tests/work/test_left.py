"""What a run says of effects that remain: every one that has happened, or may have, and was not undone."""

import pytest

from interlock.interpreter.work.state import restored

GIVEN = {"thing_id": "007"}
MADE = [lambda args: {"made": f"made {args['name']}"}]
GONE = [{"gone": True}]
UNDONE = "{call: make, id: a, with: {name: a}, compensate: [{call: unmake}]}"
STAYS = "{call: make, id: b, with: {name: b}}"
FAIL = "{fail: Enough., compensate: true}"


def steps(*lines):
    return "steps:\n" + "".join(f"  - {line}\n" for line in lines)


def test_nothing_remains_where_all_of_it_was_undone(play):
    run = play(steps(UNDONE, FAIL), tools={"make": MADE, "unmake": GONE})
    assert [tool for tool, _ in run.world.calls] == ["make", "unmake"]
    assert (run.state.leaves, run.state.effects) == (False, [])


@pytest.mark.parametrize("answer", [{"made": "b"}, {"made": ""}, "timeout"])
def test_an_effect_that_no_step_undoes_remains_after_the_undoing(play, answer):
    run = play(steps(UNDONE, STAYS) + "on_failure: compensate\n", tools={"make": [*MADE, answer], "unmake": GONE})
    if run.state.status == "done":
        assert run.state.effects == ["b", "a"]
        return
    assert run.state.status == "ended"
    assert (run.state.leaves, run.state.effects) == (True, ["b"])


def test_an_effect_of_unknown_outcome_remains_until_somebody_says_that_it_did_not_happen(play):
    text = "input: {thing_id: {type: string}}\n" + steps("{call: pay}", "{fail: No.}")
    run = play(text, GIVEN, {"pay": ["timeout", (400, {})]})
    assert run.state.effects == ["pay"]
    run.retry(pay="did_not_happen")
    assert run.state.effects == []
    again = play(text, GIVEN, {"pay": ["timeout"]})
    again.retry(pay="happened")
    assert (again.state.status, again.state.effects) == ("ended", ["pay"])


def test_what_surely_had_no_effect_leaves_none(play):
    run = play(steps(STAYS) + "on_failure: compensate\n", tools={"make": [(400, {})]})
    assert (run.state.status, run.state.leaves) == ("ended", False)


def test_what_an_undoing_could_not_undo_remains_and_what_it_did_itself_does_not(play):
    run = play(
        steps(
            "{call: make, id: a, with: {name: a}, compensate: [{call: make, id: sorry, with: {name: s}}, {call: unmake}]}",
            FAIL,
        ),
        tools={"make": MADE, "unmake": [(500, {}), {"gone": True}]},
    )
    assert (run.state.status, run.state.effects) == ("failed", ["a"])
    run.retry()
    assert (run.state.status, run.state.effects) == ("ended", [])


def test_a_group_that_is_done_stands_for_what_is_in_it_and_one_that_is_not_does_not(play):
    group = f"do: [{STAYS}, {UNDONE}, {{call: look}}]\n    compensate: [{{call: make, id: both, with: {{name: undo}}}}]"
    text = "input: {thing_id: {type: string}}\n" + steps(group, FAIL) + "on_failure: compensate\n"
    tools = {"make": MADE, "unmake": GONE}
    done = play(text, GIVEN, {**tools, "look": [{"id": "1", "state": "open"}]})
    assert [args.get("name") for _, args in done.world.calls] == ["b", "a", None, "undo"]
    assert (done.state.status, done.state.effects) == ("ended", [])
    broken = play(text, GIVEN, {**tools, "look": [(500, {})]})
    assert [tool for tool, _ in broken.world.calls] == ["make", "make", "look", "unmake"]
    assert (broken.state.status, broken.state.effects) == ("ended", ["b"])


def test_a_group_that_has_changed_nothing_leaves_nothing(play):
    group = "do: [{call: look}]\n    compensate: [{call: make, id: both, with: {name: undo}}]"
    text = "input: {thing_id: {type: string}}\n" + steps(group, "{fail: No.}")
    run = play(text, GIVEN, {"look": [{"id": "1", "state": "open"}]})
    assert (run.state.status, list(run.state.undo), run.state.leaves) == ("ended", ["do"], False)


LOOP = """\
steps:
  - for_each:
      items: [a, b, c]
      as: it
      key: "{{ it }}"
      do:
        - {call: make, id: stays, with: {name: "{{ it }}"}}
        - call: make
          id: goes
          with: {name: "{{ it }}"}
          compensate: [{call: unmake}]
        - wait: 1h
  - fail: Enough.
    compensate: true
"""


def test_the_passes_of_a_loop_that_are_done_are_told_together_over_continue_as_new(play):
    run = play(LOOP, tools={"make": MADE, "unmake": GONE})
    run.again()
    assert run.state.effects == ["for_each[a]/stays", "for_each[a]/goes"]
    run.advance(2 * 3_600_000)
    run.again()
    assert run.state.left == {"for_each[*]/stays": 2, "for_each[c]/stays": 1}
    run.advance(3_600_000)
    assert run.state.status == "ended"
    assert [tool for tool, _ in run.world.calls].count("unmake") == 3
    assert run.state.left == {"for_each[*]/stays": 3}
    assert run.state.effects == ["for_each[*]/stays"]


def test_a_group_around_a_loop_stands_for_all_passes(play):
    loop = "for_each: {items: [a, b], as: it, key: '{{ it }}', do: [{call: make, with: {name: '{{ it }}'}}]}"
    group = f"do:\n      - {loop}\n    compensate: [{{call: make, id: all, with: {{name: undo}}}}]"
    run = play(steps(group, FAIL), tools={"make": MADE})
    assert [args["name"] for _, args in run.world.calls] == ["a", "b", "undo"]
    assert not run.state.leaves


def test_a_parent_hears_of_what_its_child_could_not_undo(play):
    parent = (
        steps("{run: inner, compensate: [{call: make, id: repair, with: {name: repair}}]}") + "on_failure: compensate\n"
    )
    run = play(parent, tools={"make": MADE, "unmake": GONE}, others={"inner": steps(UNDONE, STAYS, FAIL)})
    assert [args.get("name") or args["made"] for _, args in run.world.calls] == ["a", "b", "made a", "repair"]
    assert not run.state.leaves
    bare = play(steps("{run: inner}"), tools={"make": MADE, "unmake": GONE}, others={"inner": steps(STAYS, FAIL)})
    assert (bare.state.status, bare.state.effects) == ("failed", ["inner"])


def test_a_run_of_a_version_that_only_counted_says_that_something_remains(play):
    run = play(steps(UNDONE, STAYS, "{wait: 1d}"), tools={"make": MADE, "unmake": GONE})
    old = run.state.as_json()
    del old["left"]
    two = restored(old | {"effects": 2, "undone": False})
    assert (two.leaves, two.effects) == (True, ["?", "a"])
    one = restored(old | {"effects": 1, "undone": False})
    assert one.effects == ["a"]
    unknown = restored(old | {"effects": 2, "undone": False, "journal": old["journal"] | {"b": {"mark": "unknown"}}})
    assert unknown.effects == ["b", "a"]
    none = restored(old | {"effects": 0, "undone": False, "undo": {}})
    assert not none.leaves
