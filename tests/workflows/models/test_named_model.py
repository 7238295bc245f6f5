"""A caller names the one model that answers, for a session, a message and a run of one message, on a real server."""

import pytest

from interlock.client.errors import RejectedError
from tests.compiled import plans_in
from tests.workflows.models.desk import DESK, asked_of, clever, history_of, said, turn_of
from tests.workflows.runs import replayed

pytestmark = pytest.mark.server


@pytest.fixture
def plan(tmp_path):
    text = DESK.replace("TIMEOUT", "20s").replace("grounding:", "model_override: message\ngrounding:", 1)
    (tmp_path / "desk.yaml").write_text(text)
    return plans_in(tmp_path)["desk"]


async def test_the_model_of_a_session_of_a_message_and_of_a_run_of_one(stage, serve, plan, s1):
    model = serve(said())
    async with stage.serving(plan):
        talk = await stage.talk()
        await talk.open("desk", s1, user={"id": "u1"}, model={"model": "of-session", "max_tokens": 9})
        first, record = await turn_of(talk, s1, "hello")
        second, _ = await turn_of(talk, s1, "hello", model={"model": "of-message", "temperature": 0})
        once = await talk.answer_once("desk", "hello", user={"id": "u1"}, model={"model": "of-run"})
        with pytest.raises(RejectedError, match="no models at server 'notes'"):
            await talk.send("desk", s1, "hello", user={"id": "u1"}, model={"model": "x", "server": "notes"})
        third, _ = await turn_of(talk, s1, "hello")
        await replayed(await history_of(talk, s1))
    assert [one["text"] for one in (first, second, once, third)] == ["Good day."] * 4
    asked = [(one["model"], one.get("temperature"), one.get("max_tokens")) for one in asked_of(model)]
    assert asked == [("of-session", None, 9), ("of-message", 0, None), ("of-run", None, None), ("of-session", None, 9)]
    assert record["final_model_settings"]["model"] == "of-session"
    assert [one["rule"] for one in record["model_stage_decisions"]] == ["model_override"]


async def test_an_agent_that_says_nothing_of_it_refuses(stage, serve, desk, s1):
    serve(handler=clever)
    async with stage.serving(desk()):
        talk = await stage.talk()
        with pytest.raises(RejectedError, match="lets nobody name a model"):
            await talk.send("desk", s1, "hello", user={"id": "u1"}, model={"model": "x"})
