"""Models beside facts: whatever they write, a fact answer has no figure that stands in no receipt."""

import pytest

from interlock.interpreter.texts import ENGINE_TEXTS
from tests.facts.world import choice, passage

NOT_KNOWN = ENGINE_TEXTS["not_known"]["en"]
FACT = "revenue of China, FY2025: 112,908.4 CNY m (AR2025)"
STRICT = ('grounding: {mode: "off"}', "grounding: {mode: strict}")


def test_the_narrative_part_is_added_behind_the_facts(ledger, world):
    world.passages = [passage("Demand rose by 12%."), passage("Agents sold more.", "Other", "o.md")]
    world.text = "Demand rose by 12% [1]."
    reply = ledger.say("why did revenue of China rise in FY2025")
    head, prose, sources = reply["text"].split("\n\n")
    assert (head, prose) == (FACT, world.text)
    assert sources == "Sources:\n- Other (o.md, line 3)"
    assert ledger.record["response_source"] == "narrative"
    assert reply["data"]["facts"][0]["status"] == "found"
    assert [one.get("document", one.get("tool")) for one in reply["sources"]] == ["look_up", "ar.md", "o.md"]


@pytest.mark.parametrize(
    "text",
    [
        "Revenue was 999.",
        "It rose by 8.2%.",
        "营收为九百九十九亿元。",
        "Revenue was ９９９.",
        "It fell by seventy percent.",
        "Nine hundred and ninety-nine million.",
        "As you say, 112,908.5.",
        "1,129,084",
        "The source is AR2026 [1].",
        "We have 7 seas.",
    ],
)
@pytest.mark.parametrize("mode", [(), (STRICT,)])
def test_prose_beside_facts_with_a_figure_from_nowhere_is_dropped(changed, world, text, mode):
    ledger = changed(*mode)
    world.passages = [passage("Demand rose by 12%.")]
    world.text = text
    reply = ledger.say("why did revenue of China rise in FY2025 to 112,908.5 and 999")
    assert reply["text"].startswith(f"{FACT}\n\n{NOT_KNOWN}")
    assert reply["outcome"] == "answer"
    assert ledger.record["guard_flags"]["prose_dropped"]
    assert ledger.record["guard_flags"]["unsourced_figures"]
    assert ledger.record["response_source"] == "facts"


def test_a_figure_of_the_receipt_may_be_said_again(ledger, world):
    world.text = "The 112,908.4 of FY2025 rest on new business."
    assert world.text in ledger.say("why revenue of China FY2025")["text"]


def test_a_fact_that_is_missing_is_no_evidence_for_prose(changed, world):
    ledger = changed(STRICT)
    world.text = "It was a good year."
    reply = ledger.say("why revenue of China in FY2024")
    assert "It was a good year." not in reply["text"]
    assert reply["text"].startswith("Nothing on revenue of China, FY2024.")


def test_a_model_that_does_not_answer_leaves_the_facts(ledger, world):
    world.text = None
    reply = ledger.say("why revenue of China FY2025")
    assert reply["text"] == f"{FACT}\n\nThe assistant is away."
    assert reply["outcome"] == "degraded"


# -- a model chooses the look-up --------------------------------------------------------------------------------------


def test_what_was_looked_up_is_stated_and_no_model_is_asked_to_write(ledger, world):
    world.chooses = [choice("look_up")]
    reply = ledger.say("look at revenue of China in FY2025")
    assert (reply["text"], reply["outcome"]) == (FACT, "answer")
    assert not world.prose_was_asked_for
    assert ledger.record["response_source"] == "facts"


def test_what_was_looked_for_and_not_found_is_refused(ledger, world):
    world.chooses = [choice("look_up")]
    reply = ledger.say("look at revenue of China in FY2024")
    assert (reply["outcome"], reply["reason"]) == ("decline", "not_found")
    assert ledger.record["guard_triggered"] is True
    assert not world.prose_was_asked_for


@pytest.mark.parametrize("text", ["Revenue was 999.", "营收是三亿。", "We have 7 seas."])
def test_without_a_look_up_a_figure_from_nowhere_is_refused(ledger, world, text):
    world.text = text
    reply = ledger.say("look, how was it?")
    assert (reply["outcome"], reply["text"]) == ("decline", NOT_KNOWN)
    assert ledger.record["guard_triggered"] is False
    assert ledger.record["guard_flags"]["prose_dropped"]


@pytest.mark.parametrize("text", ["Which year do you mean?", "You said 42."])
def test_without_a_look_up_a_text_without_one_is_said(ledger, world, text):
    world.text = text
    assert ledger.say("look, was it 42?")["text"] == text


def test_a_look_up_that_failed_is_no_result_either(ledger, world):
    world.chooses, world.text = [choice("look_up")], "It was 999."
    world.endings["REVENUE", "CN", "FY2025"] = "timeout"
    assert "999" not in ledger.say("look at revenue of China in FY2025")["text"]


def test_keep_says_it_all_the_same(changed, world):
    kept = "max_calls: 3}\n    - generate: auto", "max_calls: 3}\n    - generate: auto\n      no_result: keep"
    world.text = "Revenue was 999."
    ledger = changed(kept)
    assert ledger.say("look, how was it?")["text"] == world.text
    assert ledger.record["guard_flags"]["unsourced_figures"] == ["999"]
