"""A loop that looks a fact up and makes another call: the fact is stated from its receipt, and the other is told too."""

import pytest

from interlock.interpreter.machine import Machine
from interlock.interpreter.program import link
from interlock.interpreter.texts import ENGINE_TEXTS
from tests.facts.test_facts_and_prose import FACT, NOT_KNOWN
from tests.facts.world import choice

POST = """tools:
  post:
    description: What sending a box takes.
    http: GET /boxes/{box}
    server: desk
    effect: read
    input: {box: {type: string, from: slots.box}}
    requires: [{that: slots.box != 'HUGE', else: {en: Nothing huge is sent., zh: 不寄特大件。}}]
    output: {days: {type: string}}
"""
BESIDE = (
    ("servers:\n", "servers:\n  desk: {http: 'https://desk.example'}\n"),
    ("vocabularies:\n", "vocabularies:\n  boxes: {words: [BIG, HUGE]}\n"),
    ("slots:\n", "slots:\n  box: {vocabulary: boxes, ask: {en: Which box?, zh: 哪种箱子？}}\n"),
    ("tools:\n", POST),
    ("mounts:\n", "mounts:\n  - {call: post}\n"),
    ("act: {tools: [look_up], max_calls: 3}", "act: {tools: [look_up, post], max_calls: 3}"),
)


@pytest.fixture
def beside(changed, world):
    """Asks a ledger that sends boxes too, whose model chooses both calls in this order."""
    world.others["post"] = (200, {"days": "3 days"})
    world.text = "A box takes 3 days."

    def ask(text, names=("look_up", "post"), *changes):
        ask.ledger = changed(*BESIDE, *changes)
        world.chooses = [choice(name, more=True) for name in names]
        return ask.ledger.say(f"look at revenue of China in FY2025, {text}")

    return ask


@pytest.mark.parametrize("names", [("look_up", "post"), ("post", "look_up")])
def test_the_fact_is_stated_and_the_other_call_is_told_below_it(beside, world, names):
    reply = beside("and send a BIG box", names)
    assert reply["text"] == f"{FACT}\n\nA box takes 3 days."
    assert (reply["outcome"], reply["data"]["facts"][0]["status"]) == ("answer", "found")
    assert sorted(one["tool"] for one in reply["sources"]) == ["look_up", "post"]
    (asked,) = [one for one in world.asked if one.stage == "generation"]
    assert "is said already" in asked.messages[0]["content"]
    assert '"days": "3 days"' in asked.messages[-1]["content"]


def test_a_figure_from_nowhere_drops_the_prose_and_leaves_the_fact(beside, world):
    world.text = "A box takes 9 days."
    assert beside("and send a BIG box")["text"] == f"{FACT}\n\n{NOT_KNOWN}"


def test_what_was_not_found_is_named_beside_the_other_call(beside, world):
    world.rows = {}
    reply = beside("and send a BIG box")
    assert reply["text"] == "Nothing on revenue of China, FY2025.\n\nA box takes 3 days."
    assert reply["outcome"] == "answer"


def test_a_model_that_does_not_write_leaves_the_fact(beside, world):
    world.text = None
    reply = beside("and send a BIG box")
    assert (reply["text"], reply["outcome"]) == (f"{FACT}\n\nThe assistant is away.", "degraded")


def test_what_the_other_call_lacks_is_asked_for_below_the_fact(beside, world):
    reply = beside("and send a box")
    assert reply["text"] == f"{FACT}\n\nWhich box?"
    assert (reply["outcome"], reply["missing"]) == ("ask", ["box"])
    assert reply["data"]["missing_identifiers"] == ["box"]
    assert reply["data"]["facts"][0]["value"] == "112,908.4"
    assert not world.prose_was_asked_for


def test_why_the_other_call_was_refused_is_said_below_the_fact(beside, world):
    reply = beside("and send a HUGE box")
    assert (reply["text"], reply["outcome"]) == (f"{FACT}\n\nNothing huge is sent.", "answer")
    assert not world.prose_was_asked_for


@pytest.mark.parametrize("names", [("look_up",), ("post",)])
def test_one_of_them_alone_is_answered_as_ever(beside, names):
    reply = beside("and send a BIG box", names)
    assert reply["text"] == (FACT if names == ("look_up",) else "A box takes 3 days.")


def test_a_run_of_before_goes_by_its_rules(beside, world):
    beside("hello", ())
    stage = beside.ledger.stage
    stage._machine = Machine(link(stage.plan), stage.state, rules=1)
    world.chooses = [choice(name, more=True) for name in ("look_up", "post")]
    reply = beside.ledger.say("look at revenue of China in FY2025, and send a BIG box")
    assert reply["text"] == "A box takes 3 days."


def test_words_for_what_is_refused_are_the_engines_where_the_author_has_none(beside):
    reply = beside(
        "and send a HUGE box", ("look_up", "post"), (", else: {en: Nothing huge is sent., zh: 不寄特大件。}", "")
    )
    assert reply["text"] == f"{FACT}\n\n{ENGINE_TEXTS['requires']['en']}"
