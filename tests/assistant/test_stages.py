"""What a turn says that it goes through: stages in order, each ended within the one around it, without anybody's words."""

import json

import pytest


def stages(desk):
    """The stages of the last turn as lines: `> name` begins, `< name` ends, the rest is passed."""
    signs = {"begins": "> ", "ends": "< ", "passes": ""}
    return [signs[one.moment] + one.name for one in machine(desk).stages.fresh()]


def machine(desk):
    return desk.stage._machine


ROUND = ["> tool-selection-decision", "< tool-selection-decision"]


def test_a_round_decides_gates_and_verifies_within_its_loop(desk, model):
    model.reply("It is SENT.")
    desk("where is B1234")
    assert stages(desk) == [
        "> tool-loop",
        *ROUND,
        "pre-generation-gate",
        "argument-verification",
        "< tool-loop",
    ]
    assert stages(desk) == []


def test_a_call_that_is_held_or_lacks_something_ends_the_loop(desk, model):
    model.reply("Which one?", kind="ask_for_clarification")
    desk("hold B1234 or B1235")
    fresh = machine(desk).stages.fresh()
    assert [one.name for one in fresh][-2:] == ["pre-generation-gate", "tool-loop"]
    assert fresh[-2].facts["verdict"] == "ask_which"


def test_facts_hold_no_words_of_a_person_and_texts_are_kept_apart(desk, model):
    model.propose(reason="late-by-Tuesday")
    model.reply("It is held.")
    desk("hold B1234")
    fresh = machine(desk).stages.fresh()
    facts = json.dumps([one.facts for one in fresh])
    assert [word for word in ("B1234", "late-by-Tuesday") if word in facts] == []
    (verified,) = [one for one in fresh if one.name == "argument-verification"]
    assert verified.texts == {"arguments": {"no": "B1234", "reason": "late-by-Tuesday"}}
    assert verified.facts == {"tool": "hold", "verdict": "passed", "blocked": []}


@pytest.mark.parametrize("text", ["where is B1234", "你好"])
def test_a_turn_keeps_none_of_those_before_it(desk, model, text):
    model.reply("It is SENT.")
    desk("where is B1234")
    before = len(stages(desk))
    desk(text)
    assert len(machine(desk).stages.fresh()) <= before
