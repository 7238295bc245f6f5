"""A desk whose loop looks at what every call gives, on a real Temporal server: the run tells of it, and replays alike."""

import json

import pytest

from interlock.plan.runtimes import brought
from tests.activities.models import services
from tests.activities.wire import raw
from tests.compiled import plans_in
from tests.workflows.models.desk import DESK, SAID, asked_of, history_of, turn_of, written
from tests.workflows.runs import replayed

pytestmark = pytest.mark.server

THOUGHT = {
    "thought": "The notes may know.",
    "goal_met": False,
    "control": "continue",
    "tool": "search",
    "should_call_now": True,
    "missing_required_arguments": [],
}
MODULE = """
from interlock.interpreter.runtimes.port import Act, End

class Backwards:
    def goes_on(self, blocks):
        return len(blocks) < 9

    def choose(self, view):
        return Act(view.actions[-1].name) if view.actions else End()

backwards = Backwards()
"""


async def thinking(request, writer):
    """Searches, looks at what came of it, and writes."""
    asked = json.loads(request.body)
    if asked["model"] == "small":
        told = SAID
    elif "thought" in (parts := asked["response_format"]["json_schema"]["schema"]["properties"]):
        sought = {"tool": "notebook"} if "notebook" in parts["tool"]["enum"] else {}
        seen = "Fog comes tonight." in json.dumps(asked["messages"], ensure_ascii=False)
        over = {"thought": "Now it is known.", "goal_met": True, "control": "end", "tool": "no_tool"}
        told = THOUGHT | sought | (over if seen else {})
    else:
        told = {"topic": "fog"}
    await written(writer, raw(body=services.openai(json.dumps(told))))


def planned(folder, runtime):
    (folder / "desk.yaml").write_text(
        DESK.replace("TIMEOUT", "20s").replace("name: desk\n", f"name: desk\nruntime: {runtime}\n")
    )
    return plans_in(folder)["desk"]


async def test_the_model_sees_what_it_has_found_before_it_decides_again(stage, serve, tmp_path, monkeypatch, s1):
    model, notes = serve(handler=thinking), serve.start(body={"found": "Fog comes tonight."})
    monkeypatch.setenv("NOTES_URL", f"http://127.0.0.1:{notes.port}")
    async with stage.serving(planned(tmp_path, "react")):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "do the notes speak of fog?")
        history = await history_of(talk, s1)
    assert (reply["outcome"], reply["text"]) == ("answer", SAID["text"])
    assert [one["stage"] for one in record["generations"]] == ["selection", "arguments", "selection", "generation"]
    assert len(asked_of(model)) == 4
    blocks = [(one["kind"], one.get("text") or one["name"]) for one in record["scratchpad"]]
    assert blocks == [
        ("thought", "The notes may know."),
        ("action", "search"),
        ("observation", "search"),
        ("thought", "Now it is known."),
    ]
    await replayed(history)


async def test_a_runtime_of_another_package_runs_in_the_workflow_and_replays(
    stage, serve, installed, tmp_path, monkeypatch, s1
):
    installed("backwards-sample", MODULE, "backwards = backwards_sample:backwards", "interlock.runtimes")
    brought.cache_clear()
    serve(handler=thinking)
    notes = serve.start(body={"time": "noon", "found": "Fog comes tonight."})
    monkeypatch.setenv("NOTES_URL", f"http://127.0.0.1:{notes.port}")
    (tmp_path / "specs").mkdir()
    plan = planned(tmp_path / "specs", "backwards")
    brought.cache_clear()  # a worker that has its plans from the store loads it in the workflow
    async with stage.serving(plan):
        talk = await stage.talk()
        _, record = await turn_of(talk, s1, "do the notes speak of fog?")
        history = await history_of(talk, s1)
    assert [(call["tool"], call["outcome"]) for call in record["calls"]] == [
        ("clock", "success"),
        ("search", "success"),
    ]
    assert record["runtime"] == "backwards"
    await replayed(history)
    brought.cache_clear()


def found(query, top):
    """A retriever that knows of fog alone."""
    return [{"text": "Fog comes tonight.", "source": {"document": "fog.md"}}] if "fog" in query else []


async def test_a_search_is_an_action_whose_passages_are_seen_and_replayed(stage, serve, tmp_path, s1):
    model = serve(handler=thinking)
    (tmp_path / "desk.yaml").write_text(
        DESK.replace("TIMEOUT", "20s")
        .replace("name: desk\n", "name: desk\nretrievers: {notebook: {python: notebook}}\n")
        .replace("act: {tools: [search, clock]}", "act: {runtime: react, retrievers: [notebook]}")
    )
    plan = plans_in(tmp_path)["desk"]
    async with stage.serving(plan, retrievers={"notebook": found}):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "do the notes speak of fog?")
        history = await history_of(talk, s1)
    assert (reply["text"], [one["document"] for one in reply["sources"]]) == (SAID["text"], ["fog.md"])
    assert [one["stage"] for one in record["generations"]] == ["selection", "selection", "generation"]
    assert [one["retriever"] for one in record["retrievals"]] == ["notebook"]
    assert len(asked_of(model)) == 3
    await replayed(history)
