"""What is told of a run: the pass that has failed, the key in the file where no step has, and loops that are over."""

import pytest

from interlock_workflows import work_views

MADE = [lambda args: {"made": f"made {args['name']}"}]
LOOP = """\
input: {names: {type: list, items: {type: string}}, thing_id: {type: string}}
steps:
  - for_each:
      items: "{{ input.names }}"
      as: name
      key: "{{ name }}"
      on_failure: HOW
      do:
        - do: [{call: make, with: {name: "{{ name }}"}}]
          id: both
          CATCH
"""
GIVEN = {"names": ["a", "é/b", "c"], "thing_id": "7"}


def loop(how="stop", catch=""):
    return LOOP.replace("HOW", how).replace("          CATCH\n", catch)


def listed(run):
    shown = work_views.steps(run.machine, run.program.plan)
    return {one["id"]: one for one in shown}


@pytest.mark.parametrize("how", ["stop", "continue"])
def test_a_failure_names_the_pass_in_status_and_record(play, how):
    run = play(loop(how), GIVEN, {"make": [MADE[0], (400, {}), MADE[0]]})
    failure = run.state.failure
    assert failure["step"] == "for_each[%C3%A9%2Fb]/make"
    assert failure["at"] == "main.yaml:13:16"
    assert f"Failed at `{failure['step']}`" in work_views.details(run.machine, run.program.plan)
    noted = {one["step"]: one["error"]["step"] for one in run.state.records if one.get("outcome") == "failed"}
    assert noted == dict.fromkeys(
        ["for_each[%C3%A9%2Fb]/make", "for_each[%C3%A9%2Fb]/both", "for_each"], "for_each[%C3%A9%2Fb]/make"
    )
    assert listed(run)["make"]["state"] == "failed"


def test_a_failed_pass_keeps_its_name_in_a_run_that_goes_on_elsewhere(play):
    text = loop("continue").replace("do: [{call", "do: [{wait: 1h}, {call")
    run = play(text, GIVEN, {"make": [(400, {}), MADE[0]]})
    run.advance(3_600_000)
    run.again()
    run.advance(7_200_000)
    assert run.state.failure["step"] == "for_each[a]/make"


def test_a_handler_reads_the_id_of_the_step(play):
    text = loop(catch="          catch: [{do: [{call: make, id: late, with: {name: '{{ error.step }}'}}]}]\n")
    run = play(text, GIVEN, {"make": [(400, {}), MADE[0]]})
    assert [args["name"] for _, args in run.world.calls] == ["a", "make", "é/b", "c"]
    assert run.state.status == "done"


def test_a_fail_within_a_pass_names_it(play):
    text = "steps: [{for_each: {items: [x], as: one, key: '{{ one }}', do: [{fail: No.}]}}]\n"
    run = play(text)
    assert (run.state.status, run.state.failure["step"]) == ("ended", "for_each[x]/fail")


def test_a_loop_that_is_over_is_told_with_its_passes(play):
    run = play(loop(), GIVEN, {"make": MADE})
    assert listed(run)["for_each"] | {"at": ""} == {
        "id": "for_each",
        "action": "for_each",
        "at": "",
        "depth": 0,
        "state": "done",
        "items": 3,
        "passed": 3,
        "failed": 0,
    }


def test_a_loop_whose_failure_was_handled_is_told_with_what_failed(play):
    text = loop("continue") + "    catch: [{do: [{wait: 1h}]}]\n"
    run = play(text, GIVEN, {"make": [MADE[0], (400, {}), MADE[0]]})
    counts = {"items": 3, "passed": 2, "failed": 1}
    assert listed(run)["for_each"].items() >= {"state": "handling", **counts}.items()
    run.again()
    run.advance(3_600_000)
    assert listed(run)["for_each"].items() >= {"state": "done", **counts}.items()


def test_a_loop_that_has_not_begun_or_stands_still_is_told_as_before(play):
    run = play(loop() + "  - wait: 1h\n", GIVEN, {"make": [MADE[0], (400, {})]})
    assert listed(run)["for_each"].items() >= {"items": 3, "passed": 1, "failed": 1}.items()
    waiting = play("steps: [{wait: 1h}, {for_each: {items: [a], as: one, do: [{wait: 1s, id: inner}]}}]\n")
    assert listed(waiting)["for_each"].items() >= {"state": "pending", "items": None, "passed": 0}.items()


def test_a_result_that_is_missing_is_told_with_its_name_and_file(play):
    text = "input: {go: {type: boolean, default: false}}\nsteps: [{when: input.go, call: make, with: {name: a}}]\nresult: {fine: yes!, made: '{{ steps.make.result.made }}'}\n"
    run = play(text, tools={"make": MADE})
    failure = run.state.failure
    assert (failure["step"], failure["at"]) == ("result", "main.yaml")
    assert failure["message"].startswith("'made' of the result: ")


def test_a_deadline_is_told_with_its_file(play):
    run = play("deadline: 1h\nsteps: [{wait: 1d, id: deadline}]\n")
    run.advance(3_600_000)
    failure = run.state.failure
    assert (failure["kind"], failure["step"], failure["at"]) == ("timeout", "deadline", "main.yaml")
    assert listed(run)["deadline"]["state"] != "failed"
