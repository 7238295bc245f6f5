"""A conversation in the terminal: commands, refusals, and what is shown of each turn."""

import asyncio

import pytest

from interlock.cli.conversation import HELP, Conversation
from interlock.client.errors import NoSuchSessionError, RejectedError, UnknownAgentError

REPLY = {"turn": 1, "text": "hi", "outcome": "answer", "reason": "", "options": []}


class Desk:
    """Stands for the client: answers everything, and keeps what it was asked."""

    def __init__(self):
        self.asked = []
        self.fails = None
        self.reply = REPLY
        self.turns = 0

    def _keep(self, *asked):
        self.asked.append(asked)
        if self.fails:
            raise self.fails

    async def send(self, agent, session, text, *, user, **more):
        named = [more["model"]] if more["model"] else []
        self._keep("send", agent, session, text, user, *named, more["type"])
        return self.reply

    async def open(self, agent, session, *, user, model):
        self._keep("open", agent, session, user, model)
        return {"turn": self.turns, "run": "r1"}

    async def agent_message(self, agent, session, text, *, by):
        self._keep("agent_message", text, by)
        return {**REPLY, "text": text}

    async def takeover(self, agent, session, *, by):
        self._keep("takeover", by)
        return {"status": "human_active"}

    async def release(self, agent, session, *, by):
        self._keep("release", by)
        return {"status": "ai_active"}

    async def close(self, agent, session, *, by):
        self._keep("close", by)
        return {"status": "closed"}

    async def record(self, agent, session, turn):
        return {"turn": turn, "response_source": "fixed_reply"}


@pytest.fixture
def desk():
    return Desk()


@pytest.fixture
def talk(desk, capsys):
    """What is shown when these lines are typed."""

    def talk(*typed, why=False, model=None):
        async def run():
            lines = asyncio.Queue()
            for line in (*typed, None):
                lines.put_nowait(line)
            await Conversation("agent", "s1", {"id": "u"}, why=why, model=model).talk(desk, lines)

        asyncio.run(run())
        return capsys.readouterr().out

    return talk


def test_lines_are_messages_and_replies_are_shown(talk, desk):
    assert talk("hello", "", "你好") == "hi\nhi\n"
    assert desk.asked == [("send", "agent", "s1", text, {"id": "u"}, "user_chat") for text in ("hello", "你好")]


def test_it_ends_at_the_end_of_the_lines_or_when_the_reader_quits(talk, desk):
    talk("one", "/quit", "two")
    assert [asked[3] for asked in desk.asked] == ["one"]


def test_the_reasons_are_shown_with_each_turn_or_hidden(talk):
    said = talk("x", "/why", "x", "/why", "x", why=True)
    assert said.count("outcome  answer by fixed_reply") == 2
    assert said.index("  what decided each turn is hidden\nhi\n") < said.index("  what decided each turn is shown\n")


def test_people_take_over_write_and_give_back(talk, desk):
    said = talk("/takeover", "/agent I am here", "/release", "/close")
    assert said == "  status: human_active\nI am here\n  status: ai_active\n  status: closed\n"
    assert desk.asked == [
        ("takeover", "chat"),
        ("agent_message", "I am here", "chat"),
        ("release", "chat"),
        ("close", "chat"),
    ]


def test_messages_have_the_type_that_was_set(talk, desk):
    talk("/type form", "a=1")
    assert desk.asked[-1][-1] == "form"


def test_the_session_is_opened_with_the_model_that_is_named(talk, desk):
    talk("hello", model={"model": "large"})
    assert desk.asked[0] == ("open", "agent", "s1", {"id": "u"}, {"model": "large"})
    assert desk.asked[1][0] == "send"


def test_a_session_that_has_begun_keeps_the_models_it_has(talk, desk):
    desk.turns = 1
    with pytest.raises(RejectedError, match="has begun without `--model`"):
        talk("hello", model={"model": "large"})


def test_messages_name_the_model_that_was_set_and_none_again(talk, desk):
    said = talk('/model {"model": "large"}', "one", "/model large", "two", "/model {}", "three")
    assert [asked[5:-1] for asked in desk.asked] == [({"model": "large"},)] * 2 + [()]
    told = [line for line in said.splitlines() if line != "hi"]
    assert told[0] == '  messages name {"model": "large"} now'
    assert told[1].startswith("  /model is not JSON as a run takes it")
    assert told[2] == "  messages name no model now"


def test_the_last_record_is_shown_whole(talk, desk):
    assert talk("/record") == "  there is no record yet\n"
    assert talk("x", "/record") == 'hi\n{\n  "turn": 1,\n  "response_source": "fixed_reply"\n}\n'
    desk.reply = {**REPLY, "turn": None, "text": "", "outcome": "closed"}
    assert talk("x", "/record") == "(closed)\n  there is no record yet\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/help", HELP),
        ("/tkaeover", f"  no such command: /tkaeover\n{HELP}"),
        ("/agent", "  /agent needs a text"),
        ("/type  ", "  /type needs the name of a type"),
    ],
)
def test_wrong_commands_say_what_there_is(talk, desk, line, said):
    assert talk(line) == said + "\n"
    assert desk.asked == []


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (RejectedError("invalid_message", "no message type 'x'"), "  refused: no message type 'x' (invalid_message)\n"),
        (NoSuchSessionError("s1"), "  the session begins with the first message; nothing was said yet\n"),
    ],
)
def test_a_refusal_is_told_and_the_conversation_goes_on(talk, desk, problem, said):
    desk.fails = problem
    assert talk("/takeover", "x") == said * 2


def test_what_nothing_can_be_said_after_ends_it(talk, desk):
    desk.fails = UnknownAgentError("no such agent")
    with pytest.raises(UnknownAgentError):
        talk("x", "y")
    assert len(desk.asked) == 1
