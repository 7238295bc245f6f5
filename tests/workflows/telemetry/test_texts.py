"""What people, documents and arguments say stands in no trace, unless the spec lets it; secrets never do."""
# ruff: noqa: A002 - `next` and `input` are Temporal's names

import json

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import Interceptor, OutboundInterceptor

from interlock.client import Interlock, connect
from interlock.contract.memory import MemoryEntry, MemoryQuestion, Person
from interlock.telemetry.requests import asked
from tests.activities.models import services
from tests.activities.wire import wires
from tests.workflows.telemetry.conftest import Seen

pytestmark = pytest.mark.server

SECRET = "planted-secret-8c41"
SAID = "我的包裹 T1234 在哪里 said-by-user"
PIN = "471108159263"
MASKED = "*" * len(f"PIN{PIN}")
DESK = """
    kind: Agent
    name: desk
    trace_text: TEXTS
    servers:
      llm: {openai: "{{ env.LLM_URL }}", auth: {bearer: "{{ secrets.LLM_KEY }}"}}
      parcels: {http: "{{ env.PARCELS_URL }}", auth: {bearer: "{{ secrets.LLM_KEY }}"}}
    models: {general: {model: small}}
    slots:
      number: {patterns: ['T[0-9]{4}'], ask: Which?}
      pin: {patterns: ['PIN[0-9]{12}'], sensitive: true, ask: Pin?}
    retrievers: {notes: {python: notes}}
    tools:
      track:
        http: GET /parcels/{number}
        effect: read
        input: {number: {type: string, from: slots.number}, pin: {type: string, from: slots.pin, optional: true}}
        output: {place: {type: string}}
    mounts: [{call: track}]
    routes: [{flow: talk}]
    flows:
      talk:
        - retrieve: notes
        - call: track
        - generate: auto
          grounding: {mode: "off"}
"""
TEXTS = ("said-by-user", "T1234", "said-by-document", "said-by-model", "said-by-service", "包裹")


def notes(query, top):
    return [{"text": "said-by-document", "source": {"title": "said-by-title"}}]


@pytest.fixture
def world(monkeypatch):
    """A model and a service over HTTP."""
    monkeypatch.setenv("LLM_KEY", SECRET)
    with wires() as start:
        model = start(body=services.openai("said-by-model"))
        parcels = start(body={"place": "said-by-service"})
        monkeypatch.setenv("LLM_URL", f"http://127.0.0.1:{model.port}/v1")
        monkeypatch.setenv("PARCELS_URL", f"http://127.0.0.1:{parcels.port}")
        yield model, parcels


async def one_turn(stage, compiled, traces, world, texts, session, user):
    plans = compiled(desk=DESK.replace("TEXTS", texts))
    async with stage.serving(*plans.values(), traces=traces, retrievers={"notes": notes}):
        talk = await stage.talk()
        reply = await talk.send("desk", session, f"{SAID} PIN{PIN}", user=user)
    assert reply["text"] == "said-by-model"
    model, parcels = world
    assert {one.header("authorization") for one in (*model.seen, *parcels.seen)} == {f"Bearer {SECRET}"}
    assert PIN in parcels.seen[0].line


async def test_no_word_of_a_turn_is_in_its_trace(stage, compiled, traces, seen, world, s1, user):
    await one_turn(stage, compiled, traces, world, "false", s1, user)
    turn = ["retrieval", "argument-verification", "tool-call", "generation"]
    assert seen.trees() == [{"message": [{"turn": turn}]}]
    text = seen.text()
    assert [one for one in (*TEXTS, SECRET, PIN, s1) if one in text] == []
    assert seen.named("retrieval")[0].attributes["interlock.retrieval.passages"] == 1


async def test_with_trace_text_they_are_but_for_what_is_sensitive_or_secret(
    stage, compiled, traces, seen, world, s1, user
):
    await one_turn(stage, compiled, traces, world, "true", s1, user)
    text = seen.text()
    assert [one for one in TEXTS if one != "said-by-service" and one not in text] == []
    assert [one for one in (SECRET, PIN) if one in text] == []
    turn = seen.named("turn")[0].attributes
    assert turn["interlock.message"] == f"{SAID} {MASKED}"
    assert turn["interlock.reply"] == "said-by-model"
    arguments = json.loads(seen.named("argument-verification")[0].attributes["interlock.arguments"])
    assert arguments == {"number": "T1234", "pin": "***"}
    sent = json.loads(seen.named("generation")[0].attributes["gen_ai.input.messages"])
    assert sent[-1]["role"] == "user"


class Forging(Interceptor, OutboundInterceptor):
    """A client that sends what it likes as the header of the trace."""

    def __init__(self, payload):
        self.payload = payload

    def intercept_client(self, next):
        OutboundInterceptor.__init__(self, next)
        return self

    def _forged(self, one):
        one.headers = {**one.headers, "_tracer-data": self.payload}

    async def start_workflow(self, input):
        self._forged(input)
        return await super().start_workflow(input)

    async def signal_workflow(self, input):
        self._forged(input)
        await super().signal_workflow(input)

    async def start_workflow_update(self, input):
        self._forged(input)
        return await super().start_workflow_update(input)

    async def start_update_with_start_workflow(self, input):
        self._forged(input.start_workflow_input)
        self._forged(input.update_workflow_input)
        return await super().start_update_with_start_workflow(input)


def as_json(value):
    return Payload(metadata={"encoding": b"json/plain"}, data=json.dumps(value).encode())


FORGED = {
    "no JSON": Payload(metadata={"encoding": b"json/plain"}, data=b"{{{"),
    "an unknown encoding": Payload(metadata={"encoding": b"binary/zlib"}, data=b"\xff\x00"),
    "nothing": Payload(),
    "deep": Payload(metadata={"encoding": b"json/plain"}, data=b"[" * 4_000),
    "large": as_json({"traceparent": "0" * 10_000}),
    "a list": as_json([1, 2]),
    "numbers": as_json({"traceparent": 7, "tracestate": {}}),
    "no parent": as_json({"traceparent": "00-0-0-zz", "tracestate": "="}),
    "a long state": as_json({"traceparent": f"00-{'1' * 32}-{'2' * 16}-01", "tracestate": f"a={'b' * 3_000}"}),
    "zeros": as_json({"traceparent": f"00-{'0' * 32}-{'0' * 16}-01"}),
    "texts": as_json({"traceparent": f"00-{'1' * 32}-{'2' * 16}-01", "interlock-texts": "true"}),
}


@pytest.mark.parametrize("payload", FORGED.values(), ids=FORGED)
async def test_no_header_of_a_caller_fails_a_run_or_brings_texts_into_a_trace(
    stage, support, traces, s1, user, payload, failed_tasks
):
    seen = Seen()
    async with stage.serving(support(), traces=seen.traces()):
        client = await connect(stage.address)
        config = client.config()
        config["interceptors"] = [Forging(payload)]
        talk = Interlock(type(client)(**config), task_queue=stage.queue)
        await talk.send("support", s1, "hello", user=user, timeout=10)
        handle = talk.client.get_workflow_handle(f"support:{s1}")
        await handle.signal("takeover", {"by": "Mia"})
        await handle.signal("release", {"by": "Mia"})
        reply = await talk.send("support", s1, "track T1234", user=user, timeout=10)
        assert await failed_tasks(handle) == []
    assert reply["outcome"] == "answer"
    assert len(seen.named("turn")) == 2
    assert "T1234" not in seen.text()


async def test_a_caller_with_temporals_own_tracing_is_gone_on_from(stage, support, seen, s1, user):
    traceparent = f"00-{'a' * 32}-{'b' * 16}-01"
    async with stage.serving(support(), traces=seen.traces()):
        client = await connect(stage.address)
        config = client.config()
        config["interceptors"] = [Forging(as_json({"traceparent": traceparent}))]
        await Interlock(type(client)(**config), task_queue=stage.queue).send("support", s1, "track T1234", user=user)
    assert {f"{one.context.trace_id:x}" for one in seen.all()} == {"a" * 32}
    assert f"{seen.named('turn')[0].parent.span_id:x}" == "b" * 16


def test_a_span_of_a_memory_says_neither_of_whom_nor_what():
    whose = Person("desk", "user.id", "planted-name", "planted-tenant")
    entry = MemoryEntry(
        whose, id="r/1", at_ms=1, said="planted-word", answered="planted-word", found=[{}], chars=1, results=1
    )
    read, written = asked(MemoryQuestion(whose, chars=1, results=1)), asked(entry)
    assert (read.name, read.facts) == ("memory-read", {"interlock.memory.by": "user.id"})
    assert (written.name, written.facts["interlock.memory.results"]) == ("memory-write", 1)
    assert "planted" not in repr([read, written])
