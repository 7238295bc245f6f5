"""Coverage of procedures: what acted in a suite, and what never did."""

import pytest

from interlock.authoring.reports import coverage_text
from tests.authoring.conftest import told
from tests.authoring.orders import FULL, HEAD, ORDER, case

THERE = "1 of 1 branches, 1 of 1 catches, 1 of 1 passes"


def unused(coverage):
    return {name for kind in coverage.kinds for name, _ in coverage.unused(kind)}


@pytest.mark.parametrize(
    ("chosen", "missing"),
    [
        ((0, 1, 2, 3), set()),
        (
            (0, 2, 3),
            {"step end", "branch 1 of step switch", "row 1 of care"},
        ),
        ((0, 1, 3), {"step fail", "catch 1 of step look"}),
        ((0, 1, 2), {"step unmake", "compensation of step make", "tool unmake"}),
        (
            (1, 2),
            {
                *("step wait", "pass of step for_each", "step make", "step unmake", "compensation of step make"),
                *(
                    "step approved",
                    "step post",
                    "row 2 of care",
                    "tool allowed",
                    "tool make",
                    "tool unmake",
                    "step for_each",
                ),
            },
        ),
    ],
)
def test_coverage_counts_what_acted(orders, chosen, missing):
    coverage = orders.run(*(FULL[index] for index in chosen)).coverage
    assert unused(coverage) == missing


def test_a_step_left_out_by_its_when_is_not_covered(orders):
    conditional = ORDER.replace("steps:\n", "steps:\n  - {id: gone, when: input.order_no == 'Z', wait: 1m}\n")
    assert unused(orders.run(*FULL, order=conditional).coverage) == {"step gone"}


def test_a_step_that_waits_is_covered_as_one_that_asks_is(orders):
    left = unused(orders.run(case("{advance: 20m}")).coverage)
    assert "step approved" not in left
    assert "step post" in left
    begun = unused(orders.run(case("{expect: {status: running}}")).coverage)
    assert not {"step wait", "step for_each", "pass of step for_each"} & begun


def test_an_empty_list_runs_no_pass(orders):
    nothing = HEAD.replace("items: [a, b]", "items: []")
    found = orders.run(case("{expect: {calls: [{tool: look}, {tool: make}]}}"), head=nothing)
    assert told(found) == []
    assert "pass of step for_each" in unused(found.coverage)


def test_coverage_is_told_by_kind_with_places(orders):
    found = orders.run(*FULL[:3])
    assert coverage_text("order", found.coverage).splitlines() == [
        f"coverage of order: 85% (9 of 10 steps, {THERE}, 0 of 1 compensations, 2 of 2 rows, 3 of 4 tools)",
        "    not covered: step unmake (order.yaml:54:18)",
        "    not covered: compensation of step make (order.yaml:53:5)",
        "    not covered: tool unmake (order.yaml:40:3)",
    ]
