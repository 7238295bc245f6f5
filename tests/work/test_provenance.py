"""Where values are from: followed through variables, results, templates, items and procedures, to the receipt."""

import json

import pytest

from interlock.authoring.auditing import Run, audited
from interlock.interpreter.provenance import beside
from interlock.plan.plan import from_json

LIBRARY = """\
servers:
  hr: {http: "https://hr.example"}
tools:
  find:
    http: GET /groups/{group_id}
    effect: read
    input: {group_id: {type: string, from: caller}}
    output:
      id: {type: string}
      secret: {type: string, sensitive: true}
      members: {type: list, items: {type: object, fields: {id: {type: string}}}}
    produces: {id: {at: id}, secret: {at: secret}, members: {at: members}}
  send:
    http: POST /send
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {target_id: {type: string, from: caller}, note: {type: string, from: caller, optional: true}}
    output: {done: {type: boolean}}
    ensures: [{that: result.done}]
"""

CHILD = {
    "child": """\
input: {target: {type: string}, secret: {type: string, sensitive: true, optional: true}}
servers:
  hr: {http: "https://hr.example"}
tools:
  give:
    http: POST /give
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {target_id: {type: string, from: input.target}}
    output: {done: {type: boolean}, given_id: {type: string}}
    produces: {given_id: {at: given_id}}
    ensures: [{that: result.done}]
steps:
  - call: give
result: {given_id: "{{ cells.give.given_id }}"}
"""
}

MEMBERS = [{"id": "01"}, {"id": "02"}]
ANSWERS = {
    "find": [{"id": "007", "secret": "s3cret", "members": MEMBERS}],
    "send": [{"done": True}],
    "give": [{"done": True, "given_id": "0099"}],
}
FIND = '  - {call: find, with: {group_id: "{{ input.g }}"}}\n'
RECEIPT = {"source": "cells.find.id", "receipt": "run-main/1"}


@pytest.fixture
def ran(play):
    def run(steps, rest="", more=(), answers=ANSWERS, **others):
        inputs = ", ".join(f"{name}: {{type: string}}" for name in ("g", *more))
        source = f"input: {{{inputs}}}\n{LIBRARY}steps:\n{steps}{rest}"
        return play(source, given=dict.fromkeys(more, "x") | {"g": "G-1"}, tools=dict(answers), **others)

    return run


def calls(run, tool="send"):
    return [call for record in run.state.records for call in record.get("calls", ()) if call["tool"] == tool]


def source(run, name="target_id", tool="send"):
    return calls(run, tool)[-1]["sources"][name]


def step(run, name):
    return next(record for record in run.state.records if record.get("step") == name)


def test_an_identifier_in_a_variable_goes_out_with_where_it_is_from(ran):
    run = ran(
        '  - set: {v: "{{ input.g }}"}\n'
        '  - {call: find, with: {group_id: "{{ vars.v }}"}}\n'
        '  - set: {id: "{{ cells.find.id }}"}\n'
        '  - {call: send, with: {target_id: "{{ vars.id }}"}}\n'
    )
    assert run.state.status == "done"
    assert run.world.calls == [("find", {"group_id": "G-1"}), ("send", {"target_id": "007"})]
    assert source(run, "group_id", "find") == {"by": "caller", "source": "vars.v", "made_of": [{"source": "input.g"}]}
    assert source(run) == {"by": "caller", "source": "vars.id", "made_of": [RECEIPT]}


def test_a_variable_keeps_the_receipt_that_it_was_made_of(ran):
    run = ran(
        FIND
        + '  - set: {first: "{{ cells.find.id }}"}\n'
        + '  - {call: find, id: again, with: {group_id: "{{ vars.first }}"}}\n'
        + '  - {call: send, with: {target_id: "{{ vars.first }}"}}\n'
    )
    assert source(run)["made_of"] == [RECEIPT]


def test_the_record_of_set_says_where_each_value_is_from(ran):
    run = ran(
        FIND
        + '  - {id: first, set: {v: "{{ cells.find.id }}"}}\n'
        + '  - {id: then, set: {w: "T-{{ vars.v }}-{{ input.g }}", one: 1}}\n'
    )
    assert step(run, "first")["sources"] == {"v": RECEIPT}
    assert step(run, "then")["sources"] == {
        "w": {"source": "value", "reads": ["input.g", "vars.v"], "made_of": [{"source": "input.g"}, RECEIPT]},
        "one": {"source": "value", "reads": []},
    }


def test_the_result_of_a_step_has_the_receipt_of_its_call(ran):
    run = ran(FIND + '  - {call: send, with: {target_id: "{{ steps.find.result.id }}"}}\n')
    assert source(run) == {"by": "caller", "source": "steps.find.result.id", "receipt": "run-main/1"}


def test_a_template_has_the_receipts_of_what_it_reads(ran):
    run = ran(FIND + '  - {call: send, with: {target_id: "T-{{ cells.find.id }}"}}\n')
    assert source(run) == {"source": "caller", "reads": ["cells.find.id"], "made_of": [RECEIPT]}


def test_what_a_template_does_without_is_no_end(ran):
    run = ran('  - set: {unset: null}\n  - {call: send, with: {target_id: "{{ vars.unset | default(input.g) }}"}}\n')
    assert source(run)["made_of"] == [{"source": "input.g"}]


def test_items_have_the_receipt_of_their_list(ran):
    run = ran(
        FIND
        + '  - for_each: {items: "{{ cells.find.members }}", as: one, key: "{{ one.id }}",'
        + ' do: [{call: send, with: {target_id: "{{ one.id }}"}}]}\n'
    )
    ends = [{"source": "cells.find.members", "receipt": "run-main/1"}]
    assert [call["sources"]["target_id"] for call in calls(run)] == [
        {"by": "caller", "source": "one.id", "made_of": ends}
    ] * 2


def test_what_came_with_an_event_names_it(ran):
    run = ran(
        '  - receive: told\n  - {call: send, with: {target_id: "{{ steps.told.result.id }}"}}\n',
        "events: {told: {id: {type: string}}}\n",
    )
    run.send("told", {"id": "08"}, "e7")
    assert source(run) == {"by": "caller", "source": "steps.told.result.id", "event": "e7"}


def test_what_a_table_copies_is_followed(ran):
    run = ran(
        FIND + '  - {call: send, with: {target_id: "T{{ decisions.whom.id }}"}}\n',
        "decisions:\n"
        "  whom:\n"
        "    hit: first\n"
        '    inputs: {group: {type: string, value: "{{ input.g }}"}}\n'
        "    outputs: {id: {type: string}}\n"
        "    rules:\n"
        '      - {group: G-1, id: "{{ cells.find.id }}"}\n'
        '      - {id: "000"}\n',
    )
    assert source(run)["made_of"] == [{"source": "decisions.whom.id"}, RECEIPT]


def test_of_many_ends_the_first_are_kept_and_the_rest_counted(ran):
    names = [f"i{number}" for number in range(20)]
    reads = "".join(f"{{{{ input.{name} }}}}" for name in names)
    run = ran(
        f'  - set: {{v: "{reads}"}}\n' + '  - {call: send, with: {target_id: "{{ vars.v }}"}}\n',
        more=names,
    )
    ends = source(run)["made_of"]
    assert (len(ends), ends[-1]) == (17, {"more": 4})


RUNS = (
    FIND
    + '  - set: {v: "{{ cells.find.id }}"}\n'
    + '  - {run: child, with: {target: "{{ vars.v }}", secret: "{{ cells.find.secret }}"}}\n'
    + '  - {call: send, with: {target_id: "{{ steps.child.result.given_id }}"}}\n'
)


def test_what_a_procedure_is_given_and_gives_back_is_linked_both_ways(ran):
    run = ran(RUNS, others=CHILD)
    ran_child = step(run, "child")
    assert ran_child["arguments"] == {"target": "007", "secret": "***"}
    assert ran_child["sources"]["target"] == {"source": "vars.v", "made_of": [RECEIPT]}
    assert ran_child["child"]["run"] == "run-child"
    child = run.children["child"]
    assert source(child, "target_id", "give") == {
        "source": "input.target",
        "given_by": {"run": "run-main", "step": "child"},
    }
    assert child.state.records[-1]["sources"] == {
        "given_id": {"source": "cells.give.given_id", "receipt": "run-child/1"}
    }
    assert source(run) == {"by": "caller", "source": "steps.child.result.given_id", "run": "run-child"}


def test_all_of_it_stands_after_the_run_continues_as_new(ran):
    run = ran(
        FIND
        + '  - set: {v: "{{ cells.find.id }}"}\n'
        + "  - {receive: told}\n"
        + '  - {call: send, with: {target_id: "{{ vars.v }}"}}\n'
        + '  - {call: send, id: more, with: {target_id: "{{ steps.find.result.id }}"}}\n',
        "events: {told: {id: {type: string}}}\n",
    )
    run.again()
    run.send("told", {"id": "08"})
    assert [call["sources"]["target_id"] for call in calls(run)] == [
        {"by": "caller", "source": "vars.v", "made_of": [RECEIPT]},
        {"by": "caller", "source": "steps.find.result.id", "receipt": "run-main/1"},
    ]


@pytest.mark.parametrize(("value", "sent"), [("{{ input.g }}", True), ("T-{{ input.g }}", False)])
def test_a_variable_that_an_older_version_has_set_is_held_against_what_is_known(ran, value, sent):
    run = ran(
        f'  - set: {{v: "{value}"}}\n'
        "  - {receive: told}\n"
        '  - {call: send, with: {target_id: "{{ vars.v }}"}}\n',
        "events: {told: {id: {type: string}}}\n",
    )
    del run.state.vars[beside("v")]
    run.again()
    run.send("told", {"id": "08"})
    assert [tool for tool, _ in run.world.calls] == ["send"] * sent
    assert source(run) == {"by": "caller", "source": "vars.v"}


def test_what_an_error_says_is_no_identifier_even_under_a_plan_that_was_never_checked(ran):
    run = ran(
        '  - call: find\n    with: {group_id: "{{ input.g }}"}\n'
        "    catch: [{do: [{call: send, with: {target_id: 'E {{ input.g }}'}}]}]\n",
        answers=ANSWERS | {"find": ["error"]},
    )
    assert run.world.calls[-1] == ("send", {"target_id": "E G-1"})
    text = run.program.plan.canonical().replace("E {{ input.g }}", "{{ error.message }}")
    world = type(run.world)({"main": from_json(text)}, ANSWERS | {"find": ["error"]})
    again = type(run)(world, "main", {"g": "G-1"})
    assert [tool for tool, _ in world.calls] == ["find"]
    (block,) = calls(again)[0]["blocks"]
    assert (block["argument"], block["why"]) == ("target_id", "untraceable")


# -- the audit follows it --------------------------------------------------------------------------------------------


def taken(run):
    records = json.loads(json.dumps(run.state.records))
    return Run(run.state.run_id, run.name, run.state.run_id, records)


def figure(*runs, known=()):
    audit = audited(map(taken, runs), {})
    for one in known:
        assert audit.wanted == {one.state.run_id}
        audit.know(taken(one))
    assert not known or audit.wanted == set()
    share = dict(audit.shares())["arguments of writes with provenance"]
    return share.part, share.whole, share.others


def test_the_audit_follows_values_into_procedures_and_out_of_them(ran):
    run = ran(RUNS, others=CHILD)
    assert figure(run.children["child"], run) == (2, 2, [])


def test_the_audit_says_what_it_cannot_follow(ran):
    run = ran(RUNS, others=CHILD)
    child = run.children["child"]
    assert figure(run)[:2] == (0, 1)
    assert figure(run)[2] == [
        "run-main send: send.target_id: steps.child.result.given_id is from run run-child, which is not among these runs"
    ]
    (alone,) = figure(child)[2]
    assert alone.endswith("input.target was given by run run-main, which is not among these runs")
    assert figure(child, known=[run]) == (1, 1, [])
    del step(run, "child")["sources"]
    (silent,) = figure(run, child)[2]
    assert silent.endswith("input.target was given by run run-main, whose record does not say where it is from")


def test_a_receipt_of_no_known_call_is_no_end(ran):
    run = ran(FIND + '  - {call: send, with: {target_id: "T-{{ cells.find.id }}"}}\n')
    step(run, "send")["calls"][0]["sources"]["target_id"]["made_of"][0]["receipt"] = "other/1"
    assert figure(run) == (0, 1, ["run-main send: send.target_id: cells.find.id has the receipt of no known call"])


def test_a_record_that_names_only_the_variable_is_not_counted(ran):
    run = ran('  - set: {v: "{{ input.g }}"}\n  - {call: send, with: {target_id: "{{ vars.v }}"}}\n')
    del step(run, "send")["calls"][0]["sources"]["target_id"]["made_of"]
    assert figure(run) == (0, 1, ["run-main send: send.target_id: vars.v has no source that is known"])
