"""What a person has said in one session is at hand in the next one, on a real Temporal server; or the turn does without."""

import asyncio
import json
import uuid

import pytest

from interlock_activities.memory.sqlite_store import SqliteMemory
from tests.activities.models import services
from tests.activities.wire import raw
from tests.compiled import plans_in
from tests.workflows.models.desk import DESK, asked_of, history_of, said, turn_of
from tests.workflows.runs import replayed

pytestmark = pytest.mark.server


@pytest.fixture
def remembering(tmp_path):
    """The plan of a desk that remembers, and its file."""
    file = tmp_path / "memory.db"
    (tmp_path / "specs").mkdir()
    text = DESK.replace("TIMEOUT", "20s").replace("\ngrounding:", "\nmemory: {by: user.id}\ngrounding:")
    (tmp_path / "specs" / "desk.yaml").write_text(text)
    return plans_in(tmp_path / "specs")["desk"], file


async def test_another_session_of_the_same_person_is_shown_what_was_said(stage, serve, remembering, s1):
    plan, file = remembering
    model = serve(said("Good day, Ann."))
    async with stage.serving(plan, memory=file):
        talk = await stage.talk()
        _, first = await turn_of(talk, s1, "my name is Ann")
        await turn_of(talk, f"{s1}-2", "who am I?")
        history = await history_of(talk, f"{s1}-2")
    assert first["memory"] == {
        "by": "user.id",
        "read": {"exchanges": 0, "results": 0},
        "written": {"exchanges": 1, "results": 0},
    }
    asked = [one["messages"][-1]["content"] for one in asked_of(model)]
    assert "my name is Ann" not in asked[-1].rpartition("</context>")[2]
    assert '"user": "my name is Ann", "assistant": "Good day, Ann."' in asked[-1]
    await replayed(history)


async def test_a_session_that_goes_on_elsewhere_writes_a_turn_once(stage, serve, remembering, s1):
    plan, file = remembering
    serve(raw(body=services.openai("Good day.")))
    async with stage.serving(plan, memory=file):
        talk = await stage.talk()
        reply, _ = await turn_of(talk, s1, "hello", id="m1")
        again, _ = await turn_of(talk, s1, "hello", id="m1")
    assert again == reply
    held = await SqliteMemory(file).held("u1")
    assert list(held.values()) == [1]


@pytest.mark.parametrize("what", ["damaged", "locked"])
async def test_a_memory_that_is_away_stops_no_turn(stage, serve, remembering, s1, what):
    plan, file = remembering
    serve(said())
    if what == "damaged":
        file.write_bytes(b"no database" * 100)
    else:
        await SqliteMemory(file).held("x")
        file.touch()
        import sqlite3

        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
    async with stage.serving(plan, memory=file):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "hello")
        history = await history_of(talk, s1)
    assert (reply["outcome"], reply["text"]) == ("answer", "Good day.")
    assert set(record["memory"]["read"]) == set(record["memory"]["written"]) == {"error"}
    assert [one["code"] for one in record["problems"]] == ["memory-not-read", "memory-not-written"]
    json.dumps(record)
    await replayed(history)


async def test_many_sessions_of_one_person_at_once_lose_nothing(stage, serve, remembering):
    plan, file = remembering
    serve(said("Yes."))
    async with stage.serving(plan, memory=file):
        talk = await stage.talk()
        await asyncio.gather(*(turn_of(talk, uuid.uuid4().hex, f"is it {number}?") for number in range(8)))
    assert list((await SqliteMemory(file).held("u1")).values()) == [8]
