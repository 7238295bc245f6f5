"""One trace for each turn, over client, workflow and activities, with a span of a stable name for every stage."""

import uuid

import pytest

from interlock.client import connect
from interlock.client.procedures import Procedures
from tests.workflows.runs import heard

pytestmark = pytest.mark.server

CHOOSING = """
    kind: Agent
    name: desk
    servers: {llm: {openai: "https://models.example/v1"}}
    models: {general: {model: small, temperature: 0.3}, tool_call: {model: tiny}}
    slots: {number: {patterns: ['T[0-9]{4}'], ask: Which?}}
    intents: {track: {keywords: [track]}}
    tools:
      track:
        description: Where a parcel is.
        python: track
        effect: read
        input: {number: {type: string, from: slots.number}}
        output: {place: {type: string}}
      search:
        description: What our notes say.
        python: search
        effect: read
        input: {topic: {type: string, from: model, max_length: 20}}
        output: {found: {type: string}}
    mounts: [{call: track, intent: track}, {call: search}]
    routes: [{flow: talk}]
    flows:
      talk:
        - act: {max_calls: 3}
        - generate: auto
          grounding: {mode: "off"}
"""
SCRIPT = {
    "tool_call": [
        {"when": "'topic' in message", "call": "search", "with": {"topic": "fog"}},
        {"reply": "nothing to call"},
    ],
    "general": [{"reply": "Fog comes tonight."}],
}


async def track(number):
    return {"place": f"at {number}"}


async def search(topic):
    return {"found": topic}


TOOLS = {"track": track, "search": search}


async def test_a_turn_of_gates_alone_is_one_span_under_that_of_its_client(
    stage, support, traces, seen, s1, user, events_of
):
    async with stage.serving(support(), traces=traces):
        talk = await stage.talk()
        await talk.send("support", s1, "hello", user=user)
        opened = len(await events_of(talk.client.get_workflow_handle(f"support:{s1}")))
        await talk.send("support", s1, "hello", user=user, type="form")
        events = await events_of(talk.client.get_workflow_handle(f"support:{s1}"))
    assert seen.trees() == [{"message": ["turn"]}] * 2
    assert len({one.context.trace_id for one in seen.all()}) == 2
    turn = seen.named("turn")[-1]
    assert turn.attributes["interlock.gates"] == ("form: reply",)
    assert turn.attributes["interlock.outcome"] == "answer"
    assert turn.attributes["interlock.spec"] == "support"
    assert len(events) - opened == 5


async def test_a_call_is_verified_and_made_within_its_turn(stage, support, traces, seen, s1, user):
    async with stage.serving(support(), traces=traces):
        talk = await stage.talk()
        await talk.send("support", s1, "track T1234", user=user)
    assert seen.trees() == [{"message": [{"turn": ["argument-verification", "tool-call"]}]}]
    (call,) = seen.named("tool-call")
    assert call.attributes["gen_ai.operation.name"] == "execute_tool"
    assert call.attributes["gen_ai.tool.name"] == "track"
    assert call.attributes["interlock.tool.status"] == 200
    assert seen.named("argument-verification")[0].attributes["interlock.verdict"] == "passed"


async def test_a_model_chooses_proposes_and_writes_each_in_a_span_of_its_own(
    stage, compiled, traces, seen, s1, s2, user
):
    plans = compiled(desk=CHOOSING)
    async with stage.serving(*plans.values(), functions=TOOLS, models=SCRIPT, traces=traces):
        talk = await stage.talk()
        assert (await talk.send("desk", s1, "the topic", user=user))["text"] == "Fog comes tonight."
        by_model = seen.trees()
        seen.exporter.clear()
        await talk.send("desk", s2, "track T1234", user=user)
    chosen = {"tool-selection-decision": ["tool-selection"]}
    loop = [chosen, "argument-generation", "argument-verification", "tool-call"]
    assert by_model == [{"message": [{"turn": [{"tool-loop": loop}, "generation"]}]}]
    loop = ["tool-selection-decision", "pre-generation-gate", "argument-verification", "tool-call"]
    assert seen.trees() == [{"message": [{"turn": [{"tool-loop": loop}, "generation"]}]}]
    assert seen.named("pre-generation-gate")[0].attributes["interlock.verdict"] == "go"
    decision = seen.named("tool-selection-decision")[0].attributes
    assert (decision["interlock.by"], decision["interlock.tool"]) == ("rules", "track")
    (written,) = seen.named("generation")
    named = {name: value for name, value in written.attributes.items() if name.startswith("gen_ai.")}
    assert named == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.system": "openai",
        "gen_ai.request.model": "small",
        "gen_ai.request.temperature": 0.3,
        "gen_ai.response.model": "small",
        "gen_ai.response.id": named["gen_ai.response.id"],
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": named["gen_ai.usage.input_tokens"],
        "gen_ai.usage.output_tokens": 3,
    }


PROCEDURE = """
    kind: Procedure
    name: book
    input: {name: {type: string, pattern: '[A-Za-z0-9]+'}}
    tools:
      reserve:
        python: reserve
        effect: write
        idempotency: {argument: reference}
        input: {name: {type: string, from: input.name}}
        output: {number: {type: string}}
        ensures: [{that: result.number != ''}]
    steps: [{call: reserve}, {wait: 10ms}, {call: reserve, id: again}]
"""
AROUND = """
    kind: Procedure
    name: around
    input: {name: {type: string, pattern: '[A-Za-z0-9]+'}}
    steps: [{run: book, with: {name: "{{ input.name }}"}}]
"""
TALKING = """
    kind: Agent
    name: clerk
    slots: {name: {patterns: ["N[0-9]{4}"], ask: Who?}}
    mounts: [{run: book}]
    routes: [{flow: book}]
    flows:
      book: [{run: book, with: {name: "{{ slots.name }}"}}, {reply: Booked.}]
"""
BOOKED = {"procedure-loop": ["argument-verification", "tool-call"] * 2}


async def reserve(name, reference):
    return {"number": f"{name} {reference}"}


@pytest.fixture
def office(compiled):
    return compiled(book=PROCEDURE, around=AROUND, clerk=TALKING)


async def test_a_procedure_is_one_trace_with_those_that_it_runs(stage, office, traces, seen):
    async with stage.serving(*office.values(), functions={"reserve": reserve}, traces=traces):
        desk = Procedures(await connect(stage.address), task_queue=stage.queue)
        await desk.result(await desk.start("around", {"name": "Li"}, id=uuid.uuid4().hex))
    assert seen.trees() == [{"start": [{"procedure-loop": [{"procedure-call": [BOOKED]}]}]}]
    assert {one.attributes["interlock.outcome"] for one in seen.named("procedure-loop")} == {"done"}


async def test_a_procedure_that_a_conversation_runs_is_in_the_trace_of_its_turn(stage, office, traces, seen, s1, user):
    async with stage.serving(*office.values(), functions={"reserve": reserve}, traces=traces):
        talk = await stage.talk()
        await talk.send("clerk", s1, "N1234", user=user)
        await heard(talk, s1, "clerk")
    (tree,) = seen.trees()
    first, later = tree["message"][0]["turn"]
    assert first == {"procedure-call": [BOOKED]}
    assert later == "turn"
    queued, spoken = seen.named("turn")
    assert queued.attributes["interlock.outcome"] == "queued"
    assert spoken.attributes["interlock.outcome"] == "answer"


async def test_each_attempt_has_a_span_and_says_how_it_failed(stage, support, traces, seen, s1, user):
    left = [OSError("T1234 is lost"), OSError("T1234 is lost")]

    async def late(number):
        if left:
            raise left.pop()
        return {"place": number}

    async with stage.serving(support(), functions={"track": late}, traces=traces):
        talk = await stage.talk()
        await talk.send("support", s1, "track T1234", user=user)
    calls = seen.named("tool-call")
    attempts = [(one.attributes["interlock.attempt"], one.attributes.get("error.type")) for one in calls]
    assert attempts == [(1, "tool_error"), (2, "tool_error"), (3, None)]
    assert [one.status.is_ok for one in calls] == [False, False, True]
    assert "T1234" not in seen.text()


async def test_a_message_that_comes_again_is_no_turn_of_its_own(stage, support, traces, seen, s1, user):
    async with stage.serving(support(), traces=traces):
        client = await stage.plain()
        talk = await stage.talk()
        await talk.send("support", s1, "hello", user=user, id="m1")
        body = {"id": "m1", "role": "user", "type": "user_chat", "text": "hello", "metadata": {}}
        await client.get_workflow_handle(f"support:{s1}").execute_update("message", body, id="another")
    assert [one.attributes.get("interlock.repeated") for one in seen.named("turn")] == [None, True]
    assert seen.trees() == [{"message": ["turn"]}, "turn"]


async def test_a_run_that_answers_one_message_is_traced_too(stage, support, traces, seen, user):
    async with stage.serving(support(), traces=traces):
        await (await stage.talk()).answer_once("support", "track T1234", user=user)
    assert seen.trees() == [{"message": [{"turn": ["argument-verification", "tool-call"]}]}]
