"""What does not fit the agent is refused before anything changes, and the session stays usable."""

import pytest

from interlock.interpreter.machine import InvalidMessage


@pytest.fixture
def plan(talk):
    return talk.plan(
        message={
            "types": ("user_chat", "form"),
            "metadata": {"order": {"type": "integer", "optional": True}, "shop": {"type": "string", "default": "main"}},
        },
        user={"tier": {"type": "string", "enum": ["basic", "vip"], "optional": True}},
        gates=[
            {"id": "vip", "when": "user.tier == 'vip'", "verdict": "reply", "text": {"*": "VIP"}},
            {
                "id": "shop",
                "when": "message.metadata.order > 3",
                "verdict": "reply",
                "text": {"*": "{{ message.metadata.shop }}"},
            },
        ],
    )


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"type": "letter"}, "unknown-message-type"),
        ({"metadata": {"colour": "red"}}, "unknown-metadata"),
        ({"metadata": {"order": "seven"}}, "wrong-metadata"),
        ({"metadata": {"shop": 3}}, "wrong-metadata"),
    ],
)
def test_a_message_that_does_not_fit_changes_nothing(talk, plan, parts, code):
    desk = talk.Talk(plan)
    before = desk.state.as_json()
    with pytest.raises(InvalidMessage) as raised:
        desk.say("hello", **parts)
    assert raised.value.code == code
    assert str(raised.value) == raised.value.message
    assert desk.state.as_json() == before
    assert desk.say("hello")["outcome"] == "answer"


def test_metadata_is_typed_and_has_its_defaults(talk, plan):
    desk = talk.Talk(plan)
    assert desk.say("hello", metadata={"order": 4})["text"] == "main"
    assert desk.say("hello", metadata={"order": 4, "shop": "east"})["text"] == "east"
    assert desk.say("hello", metadata={"order": 3})["text"] == "Hello."
    assert desk.say("hello")["text"] == "Hello."


def test_messages_of_colleagues_are_not_held_to_the_users_fields(talk, plan):
    assert talk.Talk(plan).say("hi", role="agent", type="note", metadata={"by": "lin"})["outcome"] == "empty"


@pytest.mark.parametrize(
    ("user", "code"),
    [
        ({"tier": "gold"}, "wrong-user"),
        ({"level": 1}, "unknown-user"),
        ({"id": 7}, "wrong-user"),
        ({"groups": "ops"}, "wrong-user"),
    ],
)
def test_a_user_who_does_not_fit_opens_no_session(talk, plan, user, code):
    with pytest.raises(InvalidMessage) as raised:
        talk.Talk(plan, user=user)
    assert raised.value.code == code


def test_the_user_is_who_the_service_said_and_has_every_declared_attribute(talk, plan):
    assert talk.Talk(plan, user={"tier": "vip", "id": "u"}).say("hello")["text"] == "VIP"
    assert talk.Talk(plan).state.user == {"id": None, "groups": [], "tenant": None, "locale": None, "tier": None}


@pytest.mark.parametrize(
    ("locale", "text", "expected"),
    [
        ("zh-CN", "hello", "您好"),
        ("en_GB", "您好吗", "Hello"),
        ("fr", "您好吗", "您好"),
        (None, "hello", "Hello"),
        (None, "12345", "您好"),
        (None, "您好 hello", "您好"),
    ],
)
def test_the_language_is_the_users_locale_else_the_script_else_the_first(talk, locale, text, expected):
    plan = talk.plan(languages=("zh", "en"), flows={"talk": [talk.step("reply", text={"zh": "您好", "en": "Hello"})]})
    assert talk.Talk(plan, user={"locale": locale} if locale else {}).say(text)["text"] == expected


def test_an_agent_in_another_language_says_its_own_texts_and_the_engines_in_english(talk):
    plan = talk.plan(
        languages=("fr",),
        flows={"talk": [talk.step("call", tool="t")]},
        tools={"t": talk.tool()},
        mounts=[{"call": "t"}],
    )
    reply = talk.Talk(plan, {"t": {"end": {"ending": "timeout"}}}).say("bonjour")
    assert reply["text"].startswith("Sorry")
