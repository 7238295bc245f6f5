"""Steps of a procedure: in order, by condition, in branches, for each item, and what they leave behind."""

import pytest

from interlock.interpreter.opening import InvalidMessage

INPUT = "input: {thing_id: {type: string}}\n"
GIVEN = {"thing_id": "007"}
LOOK = [{"id": "007", "state": "open"}]
MADE = [lambda args: {"made": f"made {args['name']}"}]


def test_steps_run_in_order_and_give_a_result(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - call: look
          - set: {name: "thing {{ cells.look.id }}"}
          - call: make
            with: {name: "{{ vars.name }}"}
        result: {made: "{{ cells.make.made }}", state: "{{ steps.look.result.state }}"}
        """,
        GIVEN,
        {"look": LOOK, "make": [{"made": "m-1"}]},
    )
    assert run.state.status == "done"
    assert run.state.result == {"made": "m-1", "state": "open"}
    assert run.world.calls == [("look", {"thing_id": "007"}), ("make", {"name": "thing 007"})]
    assert run.world.keys == ["", "run-main:make"]
    assert run.outcomes() == {"look": "done", "set": "done", "make": "done"}


def test_a_call_copies_what_a_table_or_a_condition_says(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        conditions: {known: {that: "input.thing_id == '007'"}}
        decisions:
          names:
            hit: first
            inputs: {thing: {type: string, value: "{{ input.thing_id }}"}}
            outputs: {name: {type: string}}
            rules: [{thing: "007", name: bond}]
        tools:
          note:
            http: POST /notes
            effect: write
            idempotency: {header: Idempotency-Key}
            input: {name: {type: string, from: caller}, known: {type: boolean, from: caller}}
            output: {done: {type: boolean}}
            ensures: [{that: result.done}]
        steps:
          - {call: note, with: {name: "{{ decisions.names.name }}", known: "{{ conditions.known }}"}}
        """,
        GIVEN,
        {"note": [{"done": True}]},
    )
    assert run.world.calls == [("note", {"name": "bond", "known": True})]


@pytest.mark.parametrize(("state", "made"), [("open", ["a"]), ("shut", ["b"]), ("lost", ["c"])])
def test_a_switch_takes_the_first_branch_that_holds(play, state, made):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - call: look
          - switch:
              - when: cells.look.state == 'open'
                do: [{call: make, id: a, with: {name: a}}]
              - when: cells.look.state == 'shut'
                do: [{call: make, id: b, with: {name: b}}]
              - do: [{call: make, id: c, with: {name: c}}]
        """,
        GIVEN,
        {"look": [{"id": "7", "state": state}], "make": MADE},
    )
    assert [args["name"] for tool, args in run.world.calls if tool == "make"] == made


def test_a_step_whose_condition_does_not_hold_is_left_out_and_said_so(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - call: look
          - when: cells.look.state == 'shut'
            call: make
            with: {name: x}
        """,
        GIVEN,
        {"look": LOOK},
    )
    assert run.outcomes() == {"look": "done", "make": "skipped"}


def test_branches_go_on_while_another_waits(play):
    run = play(
        """\
        steps:
          - parallel:
              slow: [{wait: 1h}, {call: make, id: late, with: {name: late}}]
              quick: [{call: make, id: soon, with: {name: soon}}]
          - call: make
            id: after
            with: {name: after}
        """,
        tools={"make": MADE},
    )
    assert [args["name"] for _, args in run.world.calls] == ["soon"]
    run.advance(3_600_000)
    assert [args["name"] for _, args in run.world.calls] == ["soon", "late", "after"]
    assert run.state.status == "done"


def test_a_failing_branch_lets_effects_finish_and_starts_no_more(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - parallel:
              one: [{call: make, with: {name: a}}, {call: make, id: never, with: {name: b}}]
              two: [{call: look}]
              three: [{wait: 3h}, {call: make, id: nor, with: {name: c}}]
        """,
        GIVEN,
        {"make": MADE, "look": [(404, {})]},
        hold={"make"},
    )
    assert run.state.status == "running"
    run.release()
    assert run.state.status == "failed"
    assert run.state.failure["step"] == "look"
    assert run.world.calls[-1] == ("make", {"name": "a"})
    assert run.outcomes()["make"] == "done"
    assert run.timers.keys() == {"!park"}


def test_each_item_has_a_key_cells_and_results_of_its_own(play):
    run = play(
        """\
        input: {names: {type: list, items: {type: string}}}
        steps:
          - for_each:
              items: "{{ input.names }}"
              as: name
              key: "{{ name }}"
              max_parallel: 2
              do:
                - call: make
                  with: {name: "{{ name }}"}
                - call: unmake
        """,
        {"names": ["x/1", "钥匙", "z"]},
        {"make": MADE, "unmake": [{"gone": True}]},
    )
    assert run.state.status == "done"
    assert [args for tool, args in run.world.calls if tool == "unmake"] == [
        {"made": "made x/1"},
        {"made": "made 钥匙"},
        {"made": "made z"},
    ]
    assert len(set(run.world.keys)) == 6
    assert "run-main:for_each[x%2F1]/make" in run.world.keys
    assert run.state.cells == {}
    assert run.state.passes == {}
    assert list(run.state.journal) == ["for_each"]


def test_two_items_of_one_key_stop_before_any_pass(play):
    run = play(
        """\
        input: {names: {type: list, items: {type: string}}}
        steps:
          - for_each: {items: "{{ input.names }}", as: name, key: "{{ name }}", do: [{call: make, with: {name: "{{ name }}"}}]}
        """,
        {"names": ["x", "x"]},
        {"make": MADE},
    )
    assert run.world.calls == []
    assert "one of them would be lost" in run.state.failure["message"]


def test_items_go_on_past_a_failure_where_that_is_said_and_the_step_fails_at_the_end(play):
    run = play(
        """\
        input: {names: {type: list, items: {type: string}}}
        steps:
          - for_each:
              items: "{{ input.names }}"
              as: name
              key: "{{ name }}"
              on_failure: continue
              do: [{call: make, with: {name: "{{ name }}"}}]
        """,
        {"names": ["a", "b", "c"]},
        {"make": [{"made": "1"}, (400, {}), {"made": "3"}, {"made": "2"}]},
    )
    assert len(run.world.calls) == 3
    assert run.state.status == "failed"
    run.retry()
    assert run.state.status == "done"
    assert [args["name"] for _, args in run.world.calls] == ["a", "b", "c", "b"]
    assert run.world.keys[1] == run.world.keys[3]


def test_a_call_repeats_until_it_is_enough(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - call: look
            repeat: {until: result.state == 'shut', every: 1m, timeout: 10m}
        result: {state: "{{ cells.look.state }}"}
        """,
        GIVEN,
        {"look": [{"id": "7", "state": "open"}, {"id": "7", "state": "open"}, {"id": "7", "state": "shut"}]},
    )
    run.advance(60_000)
    assert len(run.world.calls) == 2
    run.advance(60_000)
    assert run.state.result == {"state": "shut"}


def test_a_call_that_repeats_for_too_long_fails_with_timeout(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - call: look
            repeat: {until: result.state == 'shut', every: 1m, timeout: 3m}
            catch: [{errors: [timeout], do: [{end: {gave: up}}]}]
        """,
        GIVEN,
        {"look": LOOK},
    )
    run.advance(600_000)
    assert len(run.world.calls) == 4
    assert run.state.result == {"gave": "up"}


def test_an_event_is_received_whether_it_comes_before_or_after(play):
    text = """\
        events:
          decided: {by: {type: string}}
        steps:
          - wait: 1h
          - receive: decided
        result: {by: "{{ steps.decided.result.by }}"}
        """
    early = play(text)
    early.send("decided", {"by": "ann"})
    early.advance(3_600_000)
    assert early.state.result == {"by": "ann"}
    late = play(text)
    late.advance(3_600_000)
    assert late.state.status == "running"
    late.send("decided", {"by": "bo"})
    assert late.state.result == {"by": "bo"}


def test_an_event_counts_once_and_only_as_declared(play):
    run = play(
        """\
        events: {said: {n: {type: integer}}}
        steps: [{receive: said}, {receive: said, id: again}]
        """
    )
    run.send("said", {"n": 1}, "e1")
    run.send("said", {"n": 1}, "e1")
    assert run.state.status == "running"
    for name, data, event in (
        ("said", {"n": 2}, "e1"),
        ("sung", {}, "e2"),
        ("said", {"n": "x"}, "e3"),
        ("said", {}, "e4"),
    ):
        with pytest.raises(InvalidMessage):
            run.send(name, data, event)
    run.send("said", {"n": 2}, "e5")
    assert run.state.status == "done"


def test_a_receive_is_bounded_by_its_timeout(play):
    run = play(
        """\
        events: {revoke: {by: {type: string}}}
        steps:
          - receive: revoke
            timeout: 30d
            catch: [{errors: [timeout], do: [{end: {ended: by time}}]}]
        result: {ended: "{{ steps.revoke.result.by }}"}
        """
    )
    run.advance(30 * 86_400_000)
    assert run.state.result == {"ended": "by time"}


def test_a_group_out_of_time_finishes_what_has_begun(play):
    run = play(
        """\
        steps:
          - do:
              - call: make
                with: {name: a}
              - call: make
                id: never
                with: {name: b}
            timeout: 1m
            catch: [{errors: [timeout], do: [{end: {out: "of time"}}]}]
        """,
        tools={"make": MADE},
        hold={"make"},
    )
    run.advance(60_000)
    assert run.state.status == "running"
    run.release()
    assert run.state.result == {"out": "of time"}
    assert [args["name"] for _, args in run.world.calls] == ["a"]


def test_a_wait_until_a_time(play):
    run = play(
        """\
        input: {at: {type: datetime}}
        steps: [{wait: "{{ input.at }}"}]
        """,
        {"at": "2026-06-01T00:00:00Z"},
    )
    assert run.timers["wait!wait"] == 1_780_272_000_000


def test_another_procedure_runs_as_a_child_and_gives_its_result(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        steps:
          - run: other
            with: {thing_id: "{{ input.thing_id }}"}
        result: {found: "{{ steps.other.result.state }}"}
        """,
        GIVEN,
        {"look": LOOK},
        {
            "other": 'input: {thing_id: {type: string}}\nsteps: [{call: look}]\nresult: {state: "{{ cells.look.state }}"}\n'
        },
    )
    assert run.state.result == {"found": "open"}


def test_the_failure_of_a_child_fails_its_step(play):
    run = play(
        'steps: [{run: other, catch: [{errors: [error], do: [{end: {why: "{{ error.message }}"}}]}]}]\n',
        others={"other": "steps: [{fail: It is Sunday.}]\n"},
    )
    assert run.state.result == {"why": "It is Sunday."}


@pytest.mark.parametrize("given", [{}, {"thing_id": 7}, {"thing_id": "7", "other": 1}])
def test_an_input_that_is_not_as_declared_starts_nothing(play, given):
    with pytest.raises(InvalidMessage):
        play("input: {thing_id: {type: string}}\nsteps: [{call: look}]\n", given, {"look": LOOK})


def test_a_result_is_said_in_the_outbox_also_after_a_pause(play):
    run = play(
        """\
        input: {thing_id: {type: string}}
        responses: {told: {text: "It is {{ result.state }}."}}
        steps:
          - call: look
          - wait: 1h
          - respond: told
            result: steps.look.result
        """,
        GIVEN,
        {"look": LOOK},
    )
    run.again()
    run.advance(3_600_000)
    assert [one["text"] for one in run.state.said] == ["It is open."]
