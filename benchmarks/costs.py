"""What a turn of each kind leaves on a Temporal server: events and activities, beside the same written by hand."""

import asyncio
import logging
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.worker import Worker

from benchmarks import costs_by_hand as hand
from benchmarks.measuring import Effort
from benchmarks.table import Row
from interlock.cli.server import EmbeddedServer
from interlock.client import Interlock, connect
from interlock.client.attributes import ensure_search_attributes
from interlock.compiler import compile_folder
from interlock.plan.plan import Plan
from interlock_activities.registry import Activities
from interlock_activities.settings import Settings
from interlock_workflows.plugin import interlock_plugin

BY_HAND = "by hand on the SDK"
USER = {"id": "u1"}

KINDS = {
    "gate": "a gate alone",
    "reply": "a fixed reply",
    "call": "a call",
    "rule": "`act`, chosen by rule",
    "model": "`act`, chosen by a model that proposes a text",
    "write": "`generate`",
    "search": "`retrieve` and `generate`",
    "work": "a procedure of one call, with what is said later",
}
"""By the first word of the message."""

AGENT = """
apiVersion: interlock/v1
kind: Agent
name: costs
servers: {llm: {openai: "https://models.example.org/v1"}}
models: {general: {model: m}}
slots: {no: {patterns: ['T[0-9]{4}'], ask: Which?}}
retrievers: {handbook: {python: handbook}}
tools:
  look_up: {python: look_up, effect: read, input: {no: {type: string, from: slots.no}}, output: {place: {type: string}}}
  find:
    python: find
    effect: read
    input: {what: {type: string, from: model, max_length: 60}}
    output: {place: {type: string}}
responses: {brief: {text: "In {{ result.place }}."}}
mounts: [{call: look_up, respond: brief}, {call: find, respond: brief}, {run: work}]
gates: [{id: gate, when: "'gate' in message.text", reply: We are open from nine to five.}]
grounding: {mode: prefer}
routes:
  - {when: "'call' in message.text", flow: call}
  - {when: "'rule' in message.text", flow: rule}
  - {when: "'model' in message.text", flow: model}
  - {when: "'write' in message.text", flow: write}
  - {when: "'search' in message.text", flow: search}
  - {when: "'work' in message.text", flow: work}
  - {flow: reply}
flows:
  reply: [{reply: What is it about?}]
  call: [{call: look_up}]
  rule: [{act: {tools: [look_up]}}, {respond: brief}]
  model: [{act: {tools: [find]}}, {respond: brief}]
  write: [{generate: auto}]
  search: [{retrieve: handbook}, {generate: auto}]
  work: [{run: work, with: {no: "{{ slots.no }}"}, waiting: It is being seen to.}, {reply: It is done.}]
"""

WORK = """
apiVersion: interlock/v1
kind: Procedure
name: work
input: {no: {type: string, pattern: 'T[0-9]+'}}
tools:
  look_up: {python: look_up, effect: read, input: {no: {type: string, from: input.no}}, output: {place: {type: string}}}
steps: [{call: look_up}]
"""

SCRIPT = {
    "general": [{"when": "'model' in message", "call": "find", "with": {"what": "it"}}, {"reply": "Here you are."}]
}


@dataclass
class Side:
    """How to say something in a session, which workflow that is, and what was said later there."""

    say: Callable[[str, str], Awaitable[Any]]
    name: str
    later: Callable[[str], Awaitable[Any]]


def rows(effort: Effort) -> Iterator[Row]:
    """Events and activities of one turn of each kind, in a session that is open."""
    del effort  # counted, not measured
    yield from asyncio.run(_rows())


async def _rows() -> list[Row]:
    async with _set_up() as (client, sides):
        counted = {kind: {name: await _turn(client, side, kind) for name, side in sides.items()} for kind in KINDS}
    return [
        Row(f"{KINDS[kind]}: {what}", ours, theirs, {BY_HAND: theirs}, what)
        for kind, each in counted.items()
        for what, ours, theirs in zip(("events", "activities"), each["ours"], each[BY_HAND], strict=True)
    ]


async def _turn(client: Client, side: Side, kind: str) -> tuple[int, int]:
    """Events and activities of a turn, those of what it begins too."""
    session = uuid.uuid4().hex
    await side.say(session, "reply")
    before = await _history(client, f"{side.name}:{session}")
    await side.say(session, f"{kind} T1234")
    if kind == "work":
        async with asyncio.timeout(30):
            while not await side.later(session):  # noqa: ASYNC110 - asked by a query; nothing tells it
                await asyncio.sleep(0.02)
    left = await _history(client, f"{side.name}:{session}")
    children = await _children(client, f"{side.name}:{session}") if kind == "work" else []
    after = left[len(before) :] + children
    assert EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED not in after
    return len(after), after.count(EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)


async def _children(client: Client, parent: str) -> "list[EventType.ValueType]":
    handle = client.get_workflow_handle(parent)
    found: list[EventType.ValueType] = []
    async for event in handle.fetch_history_events():
        if event.HasField("child_workflow_execution_started_event_attributes"):
            child = event.child_workflow_execution_started_event_attributes.workflow_execution.workflow_id
            found += await _history(client, child)
    return found


async def _history(client: Client, workflow_id: str) -> "list[EventType.ValueType]":
    handle = client.get_workflow_handle(workflow_id)
    return [event.event_type async for event in handle.fetch_history_events()]


# -- the two sides ----------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _set_up() -> AsyncIterator[tuple[Client, dict[str, Side]]]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    activities = Activities(_settings())
    async with EmbeddedServer() as server:
        ours = await connect(server.address, plugins=[interlock_plugin(activities.callables)])
        await ensure_search_attributes(ours)
        plain, queue = await Client.connect(server.address), uuid.uuid4().hex
        flows, asked = [hand.TurnsByHand, hand.WorkByHand], [hand.look_up, hand.ask, hand.search]
        theirs = Worker(plain, task_queue=f"{queue}-hand", workflows=flows, activities=asked)
        async with Worker(ours, task_queue=queue), theirs:
            talk = Interlock(await connect(server.address), task_queue=queue)
            yield plain, {"ours": _ours(talk), BY_HAND: _by_hand(plain, f"{queue}-hand")}
    await activities.aclose()


def _settings() -> Settings:
    async def look_up(no: str) -> dict[str, str]:
        return {"place": no}

    async def find(what: str) -> dict[str, str]:
        return {"place": what}

    async def handbook(query: str, top: int) -> list[dict[str, Any]]:
        return [{"text": query, "source": {"title": "Handbook"}, "score": 1.0}][:top]

    functions = {"look_up": look_up, "find": find}
    return Settings(plans=_plans(), functions=functions, models=SCRIPT, retrievers={"handbook": handbook})


def _plans() -> tuple[Plan, ...]:
    with tempfile.TemporaryDirectory(prefix="interlock-bench-") as folder:
        Path(folder, "costs.yaml").write_text(AGENT)
        Path(folder, "work.yaml").write_text(WORK)
        return tuple(compile_folder(Path(folder)).plans.values())


def _ours(talk: Interlock) -> Side:
    return Side(
        lambda session, text: talk.send("costs", session, text, user=USER),
        "costs",
        lambda session: talk.outbox("costs", session),
    )


def _by_hand(client: Client, queue: str) -> Side:
    async def say(session: str, text: str) -> str:
        operation = WithStartWorkflowOperation(
            hand.TurnsByHand.run,
            id=f"hand:{session}",
            task_queue=queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )
        message = {"id": uuid.uuid4().hex, "text": text}
        return await client.execute_update_with_start_workflow(
            hand.TurnsByHand.message, message, start_workflow_operation=operation
        )

    async def later(session: str) -> list[str]:
        return await client.get_workflow_handle(f"hand:{session}").query(hand.TurnsByHand.later)

    return Side(say, "hand", later)
