"""Each part of a turn fails alone on a real server: what the person gets, and what the record says."""

import json

import pytest

from interlock.client.errors import InterlockError
from interlock.plan.plan import Plan
from tests.activities.models import services
from tests.activities.wire import raw
from tests.compiled import plans_in
from tests.workflows.models.desk import CHOICE, history_of, turn_of, written
from tests.workflows.runs import heard, replayed

pytestmark = pytest.mark.server

DESK = """
apiVersion: interlock/v1
kind: Agent
name: desk
languages: [en]
fallback: The assistant is away.
servers:
  llm: {openai: "{{ env.LLM_URL }}", auth: {bearer: "{{ secrets.LLM_KEY }}"}}
  notes: {http: "{{ env.NOTES_URL }}"}
models: {general: {model: writer}, tool_call: {model: chooser}}
grounding: {mode: prefer}
slots: {thing: {patterns: ['T[0-9]{3}'], ask: Which thing?}}
retrievers: {handbook: {python: handbook}}
tools:
  clock: {description: What time it is., http: GET /clock, effect: none, output: {time: {type: string}}, retry: {attempts: 1}}
  other: {description: Another one., http: GET /other, effect: none, output: {time: {type: string}}}
mounts: [{call: clock}, {call: other}, {run: mend}]
routes:
  - {when: "'search' in message.text", flow: search}
  - {when: "'tool' in message.text", flow: tool}
  - {when: "'mend' in message.text", flow: mend}
  - {flow: plain}
flows:
  plain: [{generate: auto}]
  search: [{retrieve: handbook}, {generate: auto}]
  tool: [{act: {tools: [clock, other]}}, {generate: auto}]
  mend:
    - {run: mend, with: {thing: "{{ slots.thing }}"}, waiting: It is being seen to.}
    - reply: It is mended.
"""
MEND = """
apiVersion: interlock/v1
kind: Procedure
name: mend
input: {thing: {type: string, pattern: 'T[0-9]+'}}
park: 0s
tools:
  fix:
    python: fix
    effect: read
    input: {thing: {type: string, from: input.thing}}
    output: {fixed: {type: string}}
    retry: {attempts: 1}
steps: [{call: fix}]
"""
SAID = {"kind": "answer", "confidence": "high", "text": "Here you are."}


@pytest.fixture
def plans(tmp_path):
    (tmp_path / "desk.yaml").write_text(DESK)
    (tmp_path / "mend.yaml").write_text(MEND)
    return plans_in(tmp_path)


@pytest.fixture
def models(serve, monkeypatch):
    """Starts a service of models, of which some are down, and one of notes that gives a status."""

    def started(*down, notes=200):
        async def answer(request, writer):
            asked = json.loads(request.body)
            wanted = asked["response_format"]["json_schema"]["schema"]["properties"]
            told = CHOICE | {"tool": "clock"} if "tool" in wanted else SAID
            up = raw(body=services.openai(json.dumps(told)))
            await written(writer, raw(status=401) if asked["model"] in down else up)

        model, service = serve(handler=answer), serve.start(body={"time": "noon"}, status=notes)
        monkeypatch.setenv("NOTES_URL", f"http://127.0.0.1:{service.port}")
        return model

    return started


async def fix(thing):
    raise RuntimeError(thing)


async def test_a_model_that_is_down_leaves_the_fallback(stage, plans, models, s1):
    models("writer")
    async with stage.serving(*plans.values()):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "tool please")
        await replayed(await history_of(talk, s1))
    assert (reply["outcome"], reply["reason"], reply["text"]) == ("degraded", "model", "The assistant is away.")
    assert [one["outcome"] for one in record["calls"]] == ["success"]  # what had been done before is not lost
    assert "401" in record["generations"][-1]["error"]
    assert [one["code"] for one in record["problems"]] == ["model"]
    assert record["response_source"] == "fallback"


async def test_a_search_that_fails_is_noted_and_the_turn_goes_on(stage, plans, models, s1):
    models()
    async with stage.serving(*plans.values()):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "search it")
        await replayed(await history_of(talk, s1))
    assert (reply["outcome"], reply["text"], reply["sources"]) == ("answer", "Here you are.", [])
    assert "handbook" in record["retrievals"][0]["error"]
    assert [one["code"] for one in record["problems"]] == ["retrieval-failed"]


async def test_a_chooser_that_is_down_calls_nothing_and_the_reply_is_written(stage, plans, models, s1):
    models("chooser")
    async with stage.serving(*plans.values()):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "tool please")
        await replayed(await history_of(talk, s1))
    assert (reply["outcome"], reply["text"], record["calls"]) == ("answer", "Here you are.", [])
    assert record["selections"][0]["tool"] is None
    assert "401" in record["generations"][0]["problem"]
    assert record["generations"][0]["attempts"] == 1


async def test_a_tool_that_fails_ends_the_loop_and_the_writer_is_told(stage, plans, models, s1):
    model = models(notes=500)
    async with stage.serving(*plans.values()):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "tool please")
        await replayed(await history_of(talk, s1))
    assert (reply["outcome"], reply["text"], reply["sources"]) == ("answer", "Here you are.", [])
    assert [one["outcome"] for one in record["calls"]] == ["error"]
    asked = json.loads(model.seen[-1].body)["messages"]
    assert '"outcome": "error"' in asked[-1]["content"]
    assert "has given nothing" in asked[0]["content"]


async def test_a_procedure_that_fails_is_told_later_and_the_conversation_goes_on(stage, plans, models, s1):
    models()
    async with stage.serving(*plans.values(), functions={"fix": fix}):
        talk = await stage.talk()
        reply, _ = await turn_of(talk, s1, "mend T001")
        after, _ = await turn_of(talk, s1, "hello")
        told = await heard(talk, s1)
        record = await talk.record("desk", s1, max(one["turn"] for one in (await talk.record("desk", s1))["turns"]))
        await replayed(await history_of(talk, s1))
    assert (reply["outcome"], reply["text"]) == ("queued", "It is being seen to.")
    assert after["text"] == "Here you are."
    assert "mended" not in told[0]["text"]
    assert record["events"][0] == {"event": "procedure", "by": "mend", "effect": "failed"}
    assert [(one["code"]) for one in record["problems"]] == ["error"]
    assert record["outcome"] == "error"


async def test_a_fault_of_the_engine_reaches_the_caller_stands_in_the_record_and_the_session_stays_usable(
    stage, plans, models, s1
):
    models()
    plan = json.loads(plans["desk"].canonical())
    del plan["flows"]["search"]  # no compiler would
    broken = Plan.model_validate(plan)
    async with stage.serving(broken):
        talk = await stage.talk()
        with pytest.raises(InterlockError) as fault:
            await talk.send("desk", s1, "search it, my secret", id="m1", user={"id": "u1"})
        after, _ = await turn_of(talk, s1, "hello")
        record = await talk.record("desk", s1, 1)
        await replayed(await history_of(talk, s1))
    assert "the turn failed: KeyError" in str(fault.value)
    assert (after["turn"], after["text"]) == (2, "Here you are.")
    assert (record["outcome"], record["reason"], record["request_id"]) == ("error", "internal_error", "m1")
    assert record["problems"] == [{"at": None, "code": "internal_error", "message": "KeyError"}]
    assert "secret" not in json.dumps(record)
