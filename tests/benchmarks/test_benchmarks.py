"""Every benchmark runs and prints its rows; what they measure is not looked at here."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORK = {
    "conditions": ["one condition, small context", "one condition, 17 kB context"],
    "tables": ["first-match table, 1,000 rules", "first-match table, 10,000 rules"],
    "words": ["1,000 phrases", "100,000 phrases", "50 identifier patterns"],
    "retrieval": ["index of 600 passages", "a question to 600 passages", "Chinese questions", "English questions"],
    "turns": ["decision of a turn", "the same turn through the machine", "turn of six steps"],
    "check": ["`check` of 30 specs of 200 lines, cold", "`check` of 30 specs of 200 lines, unchanged"],
    "start": ["start of `interlock --help`"],
}
ON_A_SERVER = [
    "turn of one gate: latency",
    "turn with one call",
    "16 callers",
    "latency beside 3 open sessions",
    "latency beside 6 idle sessions",
    "message to one of 6 idle sessions",
    "latency at turn 3 over",
    "an item of two calls through the machine",
    "state at item 6 above",
    "an item among the last 3 over one among the first",
    "a step of a procedure: history",
    "8 items in one procedure: runs",
    "a gate alone: events",
    "chosen by a model that proposes a text: activities",
    "a procedure of one call, with what is said later: events",
]


def table(*arguments: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments, "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def assert_rows(rows: list[list[str]], wanted: list[str]) -> None:
    assert all(any(row[0].startswith(work) or work in row[0] for row in rows) for work in wanted), rows
    assert all(len(row) == 5 and row[1] and row[3] in {"yes", "as a ratio", "no", ""} for row in rows), rows


@pytest.mark.parametrize("name", WORK)
def test_a_benchmark_prints_its_rows(name):
    assert_rows(table(name), WORK[name])


@pytest.mark.server
@pytest.mark.slow
def test_the_benchmarks_on_a_server_print_their_rows():
    rows = table("durable", "costs", "growing", "procedure")
    assert_rows(rows, ON_A_SERVER)
    assert {row[0]: row[1] for row in rows}["turn of one gate: history"] == "5 events"
    assert {row[0]: row[3] for row in rows}["a step of a procedure: history"] == "yes"


def test_a_name_that_is_no_benchmark_is_answered_with_those_there_are():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "conditons"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no benchmark 'conditons'; there are: conditions, tables" in done.stderr
