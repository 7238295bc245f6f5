"""Reading intents: from the words of the message, or as a short follow-up to a trusted message that showed them."""

import pytest


@pytest.fixture
def desk(talk):
    return talk.Talk(
        talk.plan(
            languages=("zh", "en"),
            vocabularies={"more": talk.words("那个呢", "查一下", "and that")},
            intents={
                "track": talk.placed(keywords=("track", "查询货物"), follow_up="more"),
                "order": talk.placed(keywords=("my order", "track my order")),
                "why": talk.placed(patterns=(r"(?i)\bwhy\b", "为什么")),
            },
        )
    )


def intents(desk, text, **parts):
    desk.say(text, **parts)
    return desk.record["intents"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Track it", ["track"]),
        ("查 询 货 物", ["track"]),
        ("WHY?", ["why"]),
        ("为什么查询货物", ["track", "why"]),
        ("whyever", []),
        ("tracking", []),
        ("hello", []),
    ],
)
def test_keywords_and_patterns(desk, text, shown):
    assert intents(desk, text) == shown


def test_a_longer_keyword_of_one_intent_does_not_hide_a_shorter_one_of_another(desk):
    assert intents(desk, "track my order") == ["track", "order"]


@pytest.mark.parametrize("text", ["那个呢", "那个呢？", "请帮我查一下吧", "and that please", "OK, and that"])
def test_a_follow_up_counts_after_a_message_that_showed_the_intent(desk, text):
    intents(desk, "track")
    assert intents(desk, text) == ["track"]


@pytest.mark.parametrize("text", ["查一下天气", "and that film was great"])
def test_a_phrase_among_other_words_is_no_follow_up(desk, text):
    intents(desk, "track")
    assert intents(desk, text) == []


def test_a_follow_up_without_history_is_none(desk):
    assert intents(desk, "那个呢") == []


def test_a_chain_of_follow_ups_holds_and_breaks_with_the_window(desk):
    intents(desk, "track")
    assert [intents(desk, "那个呢") for _ in range(4)] == [["track"]] * 4
    for _ in range(3):
        intents(desk, "hello")
    assert intents(desk, "那个呢") == []


def test_only_a_chat_message_follows_up(desk):
    intents(desk, "track")
    assert intents(desk, "那个呢", type="rule") == []


def test_history_that_the_caller_hands_in_shows_nothing(desk):
    assert intents(desk, "那个呢", history=({"role": "user", "content": "track"},)) == []


def test_what_a_colleague_said_shows_nothing(desk):
    desk.act("takeover")
    desk.say("track", role="agent")
    desk.act("release")
    assert intents(desk, "那个呢") == []
