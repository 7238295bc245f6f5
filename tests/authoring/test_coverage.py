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
            },
        ),
        (
            "late",
            {
                "route order",
                "step find of flow order",
                "catch 1 of step find of flow order",
                "step refuse of flow order",
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
    assert [coverage.counts(kind) for kind in KINDS] == [(1, 1), (2, 2), (6, 6), (1, 1), (1, 1), (2, 2)]


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
