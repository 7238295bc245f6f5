"""A desk with a model: its spec, the servers that it asks, and looks into its histories."""

import asyncio
import json
import zlib
from datetime import timedelta
from pathlib import Path

from temporalio.api.common.v1 import Payload

from tests.activities.models import services
from tests.activities.wire import raw

ROOT = Path(__file__).parents[3]
SECRET = "planted-secret-8c41"
SOON = timedelta(milliseconds=250)
AWAY = "The assistant is away."
CHOICE = {"should_call_now": True, "missing_required_arguments": [], "more": False, "reason": "They asked."}
SAID = {"kind": "answer", "confidence": "high", "text": "Fog is on its way."}
DESK = """
apiVersion: interlock/v1
kind: Agent
name: desk
fallback: The assistant is away.
servers:
  llm: {openai: "{{ env.LLM_URL }}", auth: {bearer: "{{ secrets.LLM_KEY }}"}}
  notes: {http: "{{ env.NOTES_URL }}"}
models:
  general: {model: small, timeout: TIMEOUT}
  tool_call: {model: tiny, temperature: 0}
tools:
  search:
    description: What our notes say of a topic.
    http: GET /notes/{topic}
    effect: read
    input: {topic: {type: string, from: model, max_length: 20}}
    output: {found: {type: string}}
  clock: {description: What time it is., http: GET /clock, effect: none, output: {time: {type: string}}}
mounts: [{call: search}, {call: clock}]
grounding: {mode: strict}
routes:
  - {when: "'notes' in message.text", flow: notes}
  - {when: "'judged' in message.text", flow: judged}
  - {flow: plain}
flows:
  notes:
    - act: {tools: [search, clock]}
    - generate: auto
  judged: [{generate: auto}]
  plain: [{generate: auto, grounding: {mode: 'off'}}]
"""


def folder_of(path, timeout="20s"):
    path.mkdir(exist_ok=True)
    (path / "desk.yaml").write_text(DESK.replace("TIMEOUT", timeout))
    return path


def said(text="Good day."):
    return raw(body=services.openai(text))


def asked_of(wire):
    return [json.loads(one.body) for one in wire.seen]


async def written(writer, answer):
    writer.write(answer)
    await writer.drain()


async def clever(request, writer):
    """Chooses, proposes and writes, whatever it is asked for."""
    asked = json.loads(request.body)
    if asked["model"] == "small":
        told = SAID
    else:
        wanted = asked["response_format"]["json_schema"]["schema"]["properties"]
        told = CHOICE | {"tool": "search"} if "tool" in wanted else {"topic": "fog"}
    await written(writer, raw(body=services.openai(json.dumps(told))))


def slow_at_first(seconds):
    """Answers the first question late, if it is still waited for, and the others at once."""

    async def answer(_request, writer):
        if answer.asked == 0:
            answer.asked = 1
            await asyncio.sleep(seconds)
        await written(writer, said())

    answer.asked = 0
    return answer


async def dripping(writer):
    """A stream of events that never says anything, and never ends."""
    await written(writer, raw(content_type="text/event-stream", content_length=None, body=b": so\n\n"))
    while True:
        await asyncio.sleep(0.05)
        await written(writer, b": so\n\n")


async def never(_request, _writer):
    await asyncio.sleep(60)


async def turn_of(talk, session, text, **more):
    """A reply, and the record of its turn."""
    reply = await talk.send("desk", session, text, user={"id": "u1"}, **more)
    return reply, await talk.record("desk", session, reply["turn"])


async def history_of(talk, session):
    return await talk.client.get_workflow_handle(f"desk:{session}").fetch_history()


def bytes_of(history):
    """All that the events hold, and what is compressed in them as well."""
    found = [event.SerializeToString() for event in history.events]
    for event in history.events:
        found += [zlib.decompress(one.data) for one in payloads_in(event) if one.metadata["encoding"] == b"binary/zlib"]
    return b"\n".join(found)


def payloads_in(message):
    """Every payload of an event, however deep."""
    if isinstance(message, Payload):
        yield message
        return
    for described, value in message.ListFields():
        if described.message_type is None:
            continue
        if described.message_type.GetOptions().map_entry:
            inner = value.values() if described.message_type.fields_by_name["value"].message_type else ()
        else:
            inner = value if described.is_repeated else [value]
        for one in inner:
            yield from payloads_in(one)


def attempts_in(history):
    """How often the activity was tried that was tried most often."""
    return max(one.activity_task_started_event_attributes.attempt for one in history.events)
