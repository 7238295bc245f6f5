"""The tests catch defects planted in our own code: a sample here, all of them in the long run."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("seeded_defects.py")
SAMPLE = 4


@pytest.fixture(scope="session")
def defects(load):
    """All of them."""
    return load(SCRIPT)


def test_every_defect_can_be_planted(defects):
    assert {defect.name: defects.stands(defect) for defect in defects.DEFECTS if defects.stands(defect) != 1} == {}


@pytest.mark.slow
def test_seeded_defects_are_caught(row, defects):
    arguments = [] if row.long else [str(row.seed), str(SAMPLE)]
    got = subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)
    results = [line.split("\t") for line in got.stdout.splitlines()]
    row.injected["defects"] += len(results)
    row.hit.update(Counter(result for result, _ in results if result == "caught"))
    missed = [(name, result) for result, name in results if result != "caught"]
    row.expect(
        len(results) == (len(defects.DEFECTS) if row.long else SAMPLE),
        "not all were tried",
        len(results),
        got.stderr[-500:],
    )
    row.expect(len(missed) <= len(results) * 0.05, "not caught", missed)
