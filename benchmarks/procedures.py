"""A procedure of a thousand items with two calls each on a Temporal server, beside the same work written by hand."""

import asyncio
import json
import logging
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

import structlog
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from temporalio.worker import Worker

from benchmarks.items_by_hand import Clock, ItemsByHand
from benchmarks.measuring import Effort, cpu_seconds
from benchmarks.table import Row
from interlock.cli.server import EmbeddedServer
from interlock.client import connect
from interlock.client.attributes import ensure_search_attributes
from interlock.compiler import compile_folder
from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import ToolReturned
from interlock.interpreter.program import link
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.receiving import started
from interlock.interpreter.work.state import RunState
from interlock.plan.plan import Plan
from interlock_activities.registry import Activities
from interlock_activities.settings import Settings
from interlock_workflows.plugin import interlock_plugin

ITEMS, PART = 1_000, 100
NOW_MS = 1_750_000_000_000
BY_HAND = "by hand on the SDK"

LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
tools:
  find:
    python: find
    effect: read
    input: {name: {type: string, from: caller}}
    output: {name: {type: string}}
  book:
    python: book
    effect: write
    idempotency: {argument: reference}
    input: {name: {type: string, from: caller}}
    output: {booked: {type: string}}
    ensures: [{that: result.booked == args.name}]
"""

PROCEDURE = """
apiVersion: interlock/v1
kind: Procedure
name: items
uses: [tools]
input: {names: {type: list, items: {type: string}}}
steps:
  - for_each:
      items: "{{ input.names }}"
      as: name
      key: "{{ name }}"
      do:
        - {call: find, with: {name: "{{ name }}"}}
        - {call: book, with: {name: "{{ steps.find.result.name }}"}}
result: {count: "{{ input.names | length }}"}
"""


def rows(effort: Effort) -> Iterator[Row]:
    """What an item costs at the end beside the beginning, what a step leaves in the history, what the state holds."""
    plan = _plan()
    yield from _in_process(plan, effort)
    yield from asyncio.run(_durable(plan, effort))


def _plan() -> Plan:
    with tempfile.TemporaryDirectory(prefix="interlock-bench-") as folder:
        Path(folder, "tools.yaml").write_text(LIBRARY)
        Path(folder, "items.yaml").write_text(PROCEDURE)
        return compile_folder(Path(folder)).plans["items"]


def _names(number: int) -> list[str]:
    return [f"N{number:06}" for number in range(number)]


# -- the machine alone ------------------------------------------------------------------------------------------------


def _in_process(plan: Plan, effort: Effort) -> Iterator[Row]:
    few, many = effort.of(PART, 3), effort.of(ITEMS, 6)
    times = cpu_seconds({"few": lambda: _worked(plan, few), "many": lambda: _worked(plan, many)}, effort)
    yield Row("an item of two calls through the machine", times["many"] / many, None)
    grown = (times["many"] / many) / (times["few"] / few)
    yield Row(f"an item among {many:,} over one among {few:,}", grown, 1.2, unit="times")
    small, large = (_bytes_at_the_end(plan, number) for number in (few, many))
    yield Row(
        f"state at item {many:,} above that at item {few:,}", (large - small) / (many - few), 100, unit="bytes an item"
    )


def _bytes_at_the_end(plan: Plan, number: int) -> int:
    """The state before the last answer, without the input, and what is always as much."""
    sizes: list[int] = []
    _worked(plan, number, at_last=lambda state: sizes.append(_weighed(state)))
    return sizes[0]


def _weighed(state: RunState) -> int:
    kept = state.as_json()
    return len(json.dumps({name: kept[name] for name in ("journal", "passes", "cells", "vars", "undo", "mailbox")}))


def _worked(plan: Plan, number: int, at_last: Callable[[RunState], None] = lambda _: None) -> None:
    """A run to its end, every call answered at once."""
    program = link(plan)
    state = started(program, run_id="r", given={"names": _names(number)}, now_ms=NOW_MS)
    machine = WorkMachine(program, state)
    commands = machine.begin(NOW_MS)
    while commands:
        call = commands[0]
        assert isinstance(call, CallTool)
        name = call.arguments["name"]
        if state.calls == 2 * number:
            at_last(state)
        payload = {"name": name} if call.tool == "find" else {"booked": name}
        commands = machine.handle(ToolReturned(call.call_id, "returned", NOW_MS, status=200, payload=payload))
    assert state.status == "done"


# -- on a server ------------------------------------------------------------------------------------------------------


@dataclass
class Stage:
    """A server with a worker of both; how a run is begun, by name."""

    client: Client
    queue: str
    clock: Clock

    async def run(self, side: str, names: Sequence[str]) -> tuple[list[float], list[int]]:
        """When each item began, and how many events each run of the workflow left."""
        self.clock.times = []
        run_id = f"{side}-{uuid.uuid4().hex}"
        if side == "ours":
            handle = await self.client.start_workflow("items", {"names": names}, id=run_id, task_queue=self.queue)
        else:
            handle = await self.client.start_workflow(
                "items-by-hand", args=[names, 0], id=run_id, task_queue=self.queue
            )
        await handle.result()
        return self.clock.times, [await self._events(run_id, one) for one in await self._runs(run_id)]

    async def _runs(self, workflow_id: str) -> list[str]:
        """The runs that one continued as, the first one first."""
        runs: list[str] = []
        run_id = (await self.client.get_workflow_handle(workflow_id).describe()).run_id
        while run_id:
            runs.insert(0, run_id)
            handle = self.client.get_workflow_handle(workflow_id, run_id=run_id)
            began = await anext(handle.fetch_history_events())
            run_id = began.workflow_execution_started_event_attributes.continued_execution_run_id
        return runs

    async def _events(self, workflow_id: str, run_id: str) -> int:
        handle = self.client.get_workflow_handle(workflow_id, run_id=run_id)
        events = [event.event_type async for event in handle.fetch_history_events()]
        assert EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED not in events
        return len(events)


@asynccontextmanager
async def _set_up(plan: Plan) -> AsyncIterator[Stage]:
    clock = Clock()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    activities = Activities(Settings(plans=(plan,), functions={"find": clock.find, "book": clock.book}))
    async with EmbeddedServer() as server:
        ours = await connect(server.address, plugins=[interlock_plugin(activities.callables)])
        await ensure_search_attributes(ours)
        plain = await Client.connect(server.address)
        queue = uuid.uuid4().hex
        hand: list[Callable[..., object]] = [clock.find_by_hand, clock.book_by_hand]
        theirs = Worker(plain, task_queue=f"{queue}-hand", workflows=[ItemsByHand], activities=hand)
        async with Worker(ours, task_queue=queue), theirs:
            yield Stage(plain, queue, clock)
    await activities.aclose()


async def _durable(plan: Plan, effort: Effort) -> list[Row]:
    number, part = effort.of(ITEMS, 8), effort.of(PART, 3)
    async with _set_up(plan) as stage:
        sides = {"ours": stage, BY_HAND: Stage(stage.client, f"{stage.queue}-hand", stage.clock)}
        long = {side: await one.run(side, _names(number)) for side, one in sides.items()}
        steps = {side: [(await one.run(side, _names(count)))[1] for count in (4, 12)] for side, one in sides.items()}
    a_step = {side: (sum(more) - sum(few)) / 16 for side, (few, more) in steps.items()}
    paces = {side: (_pace(times[:part]), _pace(times[-part:])) for side, (times, _) in long.items()}
    grown = {side: last / first for side, (first, last) in paces.items()}
    largest = {side: max(events) for side, (_, events) in long.items()}
    runs = {side: len(events) for side, (_, events) in long.items()}
    work = f"{number:,} items in one procedure"
    return [
        _beside(
            f"an item of two calls, the last {part} of {number:,}", {side: last for side, (_, last) in paces.items()}
        ),
        _beside(
            f"an item among the last {part} over one among the first", grown, 1.1 * max(grown[BY_HAND], 1), "times"
        ),
        _beside("a step of a procedure: history", a_step, a_step[BY_HAND], "events"),
        _beside(f"{work}: largest history", largest, 51_200, "events"),
        _beside(f"{work}: runs", runs, None, "runs"),
    ]


def _beside(work: str, sides: Mapping[str, float], figure: float | None = None, unit: str = "s") -> Row:
    return Row(work, sides["ours"], figure, {BY_HAND: sides[BY_HAND]}, unit)


def _pace(times: Sequence[float]) -> float:
    """The median time from one item to the next."""
    return median(after - before for before, after in pairwise(times))
