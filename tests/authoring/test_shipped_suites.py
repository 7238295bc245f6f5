"""The suites that come with the project pass, and most use every part of what they test."""

from pathlib import Path

import pytest

from interlock.authoring.suites import run_suite
from interlock.compiler import compile_folder

SPECS = Path(__file__).parents[2] / "specs"


def located(suite):
    return lambda path: suite.key(*path)


@pytest.mark.parametrize(("name", "least"), [("logistics-support", 0.9), ("payroll", 1.0), ("finance-facts", 1.0)])
def test_the_shipped_suites_pass_and_cover(name, least):
    bundle = compile_folder(SPECS / name)
    covered = {}
    for suite in bundle.suites:
        plans = bundle.plans
        found = run_suite(suite.spec, plans[suite.spec.of], located(suite), plans=plans.values())
        assert [case.case for case in found.failed] == []
        covered.setdefault(suite.spec.of, found.coverage).merge(found.coverage)
    assert covered
    assert {of: coverage.share >= least for of, coverage in covered.items()} == dict.fromkeys(covered, True)
