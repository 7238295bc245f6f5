"""What the source says of the arguments of tools, statement by statement, on a laboratory that it does not know."""

from pathlib import Path

import pytest

from interlock.authoring.stage import Stage
from interlock.authoring.suites import run_suite
from interlock.compiler import compile_folder

HERE = Path(__file__).with_name("laboratory")


@pytest.fixture(scope="module")
def lab():
    found = compile_folder(HERE)
    assert [str(one) for one in found.diagnostics] == []
    return found


def test_every_statement_holds(lab):
    (suite,) = lab.suites
    found = run_suite(suite.spec, lab.plans["lab"], lambda path: suite.key(*path), plans=lab.plans.values())
    assert [(case.case, [(one.turn, str(one.mismatch)) for one in case.failures]) for case in found.failed] == []


def test_every_statement_has_a_case(lab):
    (suite,) = lab.suites
    assert [case.id[:3] for case in suite.spec.cases] == [f"s{number:02}" for number in range(1, 32)]


def test_the_record_tells_what_was_stopped_from_what_was_left_out(lab, model):
    stage = Stage(lab.plans["lab"], model, user={"id": "u1"}, now_ms=0)
    for text in ("good morning", "track sample", "track sample LS000111 LS000333"):
        model.choose("no_tool")
        model.reply("Noted.")
        stage.say(text)
    left_out, missing, several = stage.state.records
    assert [one["tool"] for one in left_out["selections"][0]["left_out"]] == ["sample_state9", "measure_again", "menu"]
    assert (left_out["calls"], left_out["outcome"]) == ([], "answer")
    assert [(one["tool"], one["outcome"]) for one in missing["calls"]] == [("sample_state9", "missing")]
    assert missing["calls"][0]["pre_gate"]["words"] == "intent, and no identifier"
    assert [(one["tool"], one["outcome"]) for one in several["calls"]] == [("sample_state9", "ambiguous")]
    assert {one.stage for one in model.questions} == {"selection", "generation"}
