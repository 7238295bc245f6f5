"""The suites that come with the project pass, and the payroll's use every part of it."""

from pathlib import Path

import pytest

from interlock.authoring.suites import run_suite
from interlock.compiler import compile_folder

SPECS = Path(__file__).parents[2] / "specs"


def located(suite):
    return lambda path: suite.key(*path)


@pytest.mark.parametrize(("name", "least"), [("logistics-support", 0.9), ("payroll", 1.0)])
def test_a_shipped_suite_passes_and_covers(name, least):
    bundle = compile_folder(SPECS / name)
    for suite in bundle.suites:
        plans = bundle.plans
        found = run_suite(suite.spec, plans[suite.spec.of], located(suite), plans=plans.values())
        assert [case.case for case in found.failed] == []
        assert found.coverage.share >= least
    assert bundle.suites
