"""Screens: over the raw text, longest first against what is allowed, and nothing reads what they have found."""

import pytest


@pytest.fixture
def desk(talk):
    def build(screen, **parts):
        base = {
            "languages": ("zh", "en"),
            "vocabularies": {
                "rivals": talk.words("中国平安", "Aon", "Acme Red"),
                "entities": talk.words("中国", "平安夜", HOME=("中国人寿",)),
                "colours": talk.words("Red", "红"),
                "others": talk.words("Zurich"),
            },
            "slots": {"entity": talk.slot(vocabulary="entities"), "colour": talk.slot(vocabulary="colours")},
            "flows": {
                "talk": [
                    talk.reply("entity {{ slots.entity | default('-') }} colour {{ slots.colour | default('-') }}")
                ]
            },
        }
        gates = [{"id": "rivals", "screen": "rivals", "text": {"*": "no"}, "verdict": "refuse", **screen}]
        return talk.Talk(
            talk.plan(gates=gates + parts.pop("more", []), **{**base, **parts}), user=parts.pop("user", {})
        )

    return build


def test_a_longer_allowed_phrase_lets_a_shorter_rival_through_and_not_the_other_way(desk):
    talk = desk({"allow": ["entities"]})
    assert talk.say("中国的营收")["text"].startswith("entity 中国 ")
    assert talk.say("中国平安的营收")["outcome"] == "refuse"
    assert talk.say("中国人寿的营收")["text"].startswith("entity HOME ")


def test_latin_aliases_match_at_word_edges_only(desk):
    talk = desk({})
    assert talk.say("as a one-off")["outcome"] == "answer"
    assert talk.say("what about Aon?")["outcome"] == "refuse"


def test_the_record_holds_what_was_found_and_where(desk):
    talk = desk({})
    talk.say("和 中国 平安 比呢")
    assert talk.record["gates"][0]["hits"] == [["中国 平安", 2, 7]]


def test_what_a_screen_found_is_masked_for_slots_when_the_turn_goes_on(desk):
    talk = desk({"verdict": "assume", "text": None, "assume": {"colour": "红"}})
    assert talk.say("Acme Red is fine")["text"].startswith("entity - colour 红")
    assert talk.say("Red is fine")["text"].startswith("entity - colour Red")


def test_a_refused_message_leaves_no_slot_intent_or_identifier_behind(desk):
    talk = desk({})
    talk.say("Red 中国平安")
    assert talk.record["slots"] == {}
    assert "中国平安" not in talk.state.messages[-1]["text"]
    assert talk.state.messages[-1]["intents"] == []


def test_a_screen_with_a_condition_counts_only_when_it_holds(desk):
    talk = desk({"when": "message.type == 'user_chat'"})
    assert talk.say("中国平安", type="rule")["text"].startswith("entity 中国 ")
    assert talk.say("中国平安")["outcome"] == "refuse"


def test_a_condition_of_a_screen_that_reads_the_message_sees_it_masked(desk):
    talk = desk({"when": "not slots.colour"})
    assert talk.say("Acme Red")["outcome"] == "refuse"
    assert talk.say("Acme Red, Red")["text"].startswith("entity - colour Red")


def test_two_screens_with_different_allowed_words_do_not_disturb_each_other(desk):
    other = {"id": "others", "screen": "others", "verdict": "refuse", "text": {"*": "other"}, "at": "agent.yaml:9:9"}
    talk = desk({"allow": ["entities"]}, more=[other])
    assert talk.say("Zurich")["text"] == "other"
    assert talk.say("中国平安")["text"] == "no"
