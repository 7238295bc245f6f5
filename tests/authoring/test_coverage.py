"""Coverage: each kind of part counts when a turn used it, and only then."""

import pytest

from interlock.authoring.coverage import KINDS, Coverage

STUBS = """
stubs:
  tools:
    find:
      - {when: args.no == 'B0001', payload: {state: PAID}}
      - {when: args.no == 'B0002', payload: {state: LOST}}
      - {outcome: timeout}
cases:
"""
CASES = {
    "form": "{message: {text: x, type: form}}",
    "help": "{user: hello}",
    "paid": "{user: where is B0001}",
    "lost": "{user: where is B0002}",
    "late": "{user: where is B0009}",
}


def run(desk, *names, agent=None):
    suite = STUBS + "".join(f"  - id: {name}\n    turns: [{CASES[name]}]\n" for name in names)
    return (desk.run(suite, agent) if agent else desk.run(suite)).coverage


def unused(coverage):
    return {name for kind in KINDS for name, _ in coverage.unused(kind)}


EVERYTHING = {
    "gate form",
    "route order",
    "route other",
    "step find of flow order",
    "step switch of flow order",
    "step handoff of flow order",
    "step refuse of flow order",
    "step reply of flow order",
    "step reply of flow help",
    "branch 1 of step switch of flow order",
    "catch 1 of step find of flow order",
    "row 1 of care",
    "row 2 of care",
    "mount find",
    "tool find",
}


def test_a_plan_that_nothing_has_used_is_uncovered(desk):
    coverage = Coverage(desk.plan())
    assert unused(coverage) == EVERYTHING
    assert coverage.share == 0


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("form", {"gate form"}),
        ("help", {"route other", "step reply of flow help"}),
        (
            "paid",
            {
                "route order",
                "step find of flow order",
                "step switch of flow order",
                "step reply of flow order",
                "row 2 of care",
                "mount find",
                "tool find",
            },
        ),
        (
            "lost",
            {
                "route order",
                "step find of flow order",
                "step switch of flow order",
                "branch 1 of step switch of flow order",
                "step handoff of flow order",
                "row 1 of care",
                "mount find",
                "tool find",
            },
        ),
        (
            "late",
            {
                "route order",
                "step find of flow order",
                "catch 1 of step find of flow order",
                "step refuse of flow order",
                "mount find",
                "tool find",
            },
        ),
    ],
)
def test_a_turn_covers_what_it_used(desk, name, used):
    coverage = run(desk, name)
    assert EVERYTHING - unused(coverage) == used
    assert coverage.share == len(used) / len(EVERYTHING)


def test_all_cases_together_cover_everything(desk):
    coverage = run(desk, *CASES)
    assert unused(coverage) == set()
    assert coverage.share == 1
    assert [coverage.counts(kind) for kind in KINDS] == [
        *[(1, 1), (2, 2), (6, 6), (1, 1), (1, 1), (2, 2)],
        *[(1, 1), (0, 0), (1, 1)],
    ]


def test_what_several_suites_covered_counts_together(desk):
    one, other = run(desk, "form", "paid"), run(desk, "help", "paid")
    one.merge(other)
    assert unused(one) == unused(run(desk, "form", "paid", "help"))


def test_a_step_left_out_by_its_when_is_not_covered(desk, agent):
    conditional = agent.replace(
        "    - reply: Ask about an order.",
        "    - {id: gone, when: user.tier == 'vip', reply: Dear.}\n    - reply: Ask.",
    )
    assert "step gone of flow help" in unused(run(desk, *CASES, agent=conditional))


def test_a_question_covers_the_step_that_asks_and_the_answer_what_follows(desk, agent):
    asking = agent.replace("    - call: find\n", "    - collect: [no]\n    - call: find\n")
    asked = STUBS + "  - id: one\n    turns: [{user: my order}]\n"
    before = unused(desk.run(asked, asking).coverage)
    assert "step collect of flow order" not in before
    assert "step find of flow order" in before
    after = unused(desk.run(asked.replace("}]", "}, {user: B0001}]"), asking).coverage)
    assert "step find of flow order" not in after


def test_unused_parts_have_their_place(desk):
    lines = None
    for name, place in run(desk, "help").unused("gates"):
        file, line, column = place.split(":")
        lines = (desk.folder / file).read_text().splitlines()
        assert name == "gate form"
        assert "id: form" in lines[int(line) - 1][int(column) - 1 :]
    assert lines


def test_an_agent_without_any_part_of_a_kind_is_covered_there(desk, agent):
    bare = agent.replace("gates:\n  - {id: form, when: message.type == 'form', reply: Noted.}\n", "")
    coverage = run(desk, "help", agent=bare)
    assert coverage.counts("gates") == (0, 0)
    assert coverage.unused("gates") == []


def test_a_call_that_did_not_go_out_covers_neither_mount_nor_tool(desk):
    asked = STUBS + "  - id: one\n    turns: [{user: my order}]\n"
    assert {"mount find", "tool find"} <= unused(desk.run(asked).coverage)


RESPONSES = """
responses:
  brief: {fields: [state]}
  whole: {raw: true}
  words: {text: "It is {{ result.state }}."}
"""
STEPS = """
    - {when: steps.find.result is not defined, flow: help}
    - {when: user.tier == 'vip', respond: words}
"""


def answering(agent):
    """The agent with a response for its mount, for a gate that calls, and for a step."""
    return (
        agent.replace("{call: find, intent: order}", "{call: find, intent: order, respond: brief}")
        .replace("routes:", "  - {id: quick, prefix: '#o', fills: no, call: find, respond: whole}\nroutes:", 1)
        .replace('    - reply: "It is {{ steps.find.result.state }}."\n', STEPS)
        + RESPONSES
    )


@pytest.mark.parametrize(
    ("case", "used"),
    [
        ("turns: [{user: where is B0001}]", "brief"),
        ("turns: [{user: '#o B0001'}]", "whole"),
        ("session: {user: {tier: vip}}\n    turns: [{user: where is B0001}]", "words"),
    ],
)
def test_a_response_is_covered_by_the_mount_gate_or_step_that_answers_with_it(desk, agent, case, used):
    coverage = desk.run(STUBS + f"  - id: one\n    {case}\n", answering(agent)).coverage
    names = {"response brief", "response whole", "response words"}
    assert unused(coverage) & names == names - {f"response {used}"}


def test_a_gates_own_text_covers_no_response_of_the_same_name(desk, agent):
    named = answering(agent).replace("{id: form,", "{id: whole,")
    coverage = run(desk, "form", agent=named)
    assert "gate whole" not in unused(coverage)
    assert "response whole" in unused(coverage)


CHECKED = """
conditions:
  open: {call: state_of, with: {no: "{{ args.no }}"}, that: result.state == 'OPEN'}
"""


def test_a_tool_that_only_a_check_calls_needs_no_mount(desk, agent):
    checked = agent.replace(
        "    outcomes:\n",
        "    requires: [{condition: open}]\n    outcomes:\n",
    ).replace(
        "decisions:\n",
        "  state_of:\n    http: GET /states/{no}\n    effect: read\n    input: {no: {type: string, from: caller}}\n"
        "    output: {state: {type: string}}\ndecisions:\n",
    )
    stubs = STUBS.replace("    find:", "    state_of: [{payload: {state: OPEN}}]\n    find:", 1)
    coverage = desk.run(stubs + "  - id: one\n    turns: [{user: B0001}]\n", checked + CHECKED).coverage
    assert coverage.counts("tools") == (2, 2)
    assert coverage.counts("mounts") == (1, 1)
    assert "tool state_of" in unused(run(desk, "help", agent=checked + CHECKED))
