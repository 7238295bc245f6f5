"""Procedures that continue as new often: what comes in meanwhile counts once, and nothing is left half undone."""

import asyncio
import random

import pytest
from temporalio.api.enums.v1 import WorkflowTaskFailedCause
from temporalio.client import Client, Interceptor, OutboundInterceptor, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.service import RPCError

from interlock.cli.server import EmbeddedServer
from interlock.client.procedures import Procedures
from interlock_workflows import carried
from interlock_workflows.queue import AT_ONCE
from tests.workflows.booking import Desk
from tests.workflows.runs import begin, comes_to, until

pytestmark = [pytest.mark.server, pytest.mark.slow]

EVERY_EVENTS = "50"
UNHANDLED = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND


@pytest.fixture(scope="module")
def often():
    """A server whose runs continue as new after every few events."""
    embedded = EmbeddedServer(settings={"limit.historyCount.suggestContinueAsNew": EVERY_EVENTS})
    asyncio.run(embedded.start())
    yield embedded.address
    asyncio.run(embedded.stop())


@pytest.fixture
def stage(often, stage_at):
    return stage_at(often)


async def runs_of(handle):
    """The runs that a workflow has had, each with the failures of its tasks.

    That something came in while a run ended is none: the server lets the run look at it first.
    """
    client = handle._client
    found = {}
    async for run in client.list_workflows(f"WorkflowId = '{handle.id}'"):
        one = client.get_workflow_handle(run.id, run_id=run.run_id)
        found[run.run_id] = [
            event.workflow_task_failed_event_attributes.failure.message
            async for event in one.fetch_history_events()
            if event.HasField("workflow_task_failed_event_attributes")
            and event.workflow_task_failed_event_attributes.cause != UNHANDLED
        ]
    return found


async def updated(handle, event):
    """An event by update, sent again where a run ended meanwhile."""
    for _ in range(20):
        try:
            return await handle.execute_update("event", event)
        except RPCError:
            await asyncio.sleep(0.05)
    raise AssertionError("never taken")


async def opened(handle):
    """What a run says of itself, once it has its plan."""
    return await until(lambda: handle.query("status"), lambda found: found["status"] != "opening")


RECEIVING = """\
    input: {numbers: {type: list, items: {type: string}}}
    events: {go: {n: {type: integer}}}
    steps:
      - for_each: {items: "{{ input.numbers }}", as: number, key: "{{ number }}", do: [{receive: go}]}
    result: {count: "{{ input.numbers | length }}"}
    """


async def test_events_sent_in_while_a_run_continues_as_new_count_once(stage, plans_of):
    wanted, dice = 1_000, random.Random(5)
    async with stage.serving(*plans_of(hear=RECEIVING)):
        handle = await begin(stage, "hear", {"numbers": list(map(str, range(wanted)))})
        sent = [{"id": f"e{number}", "name": "go", "data": {"n": number}} for number in range(wanted)]
        repeated = [*sent[:-1], *dice.sample(sent[:-1], 100)]
        slots = asyncio.Semaphore(12)

        async def send(event):
            async with slots:
                if dice.random() < 0.9:
                    await handle.signal("event", event)
                else:
                    await updated(handle, event)

        await asyncio.gather(*map(send, repeated))
        assert (await opened(handle))["status"] == "running"
        assert (await handle.query("record"))["refused"] == []
        await handle.signal("event", sent[-1])
        assert await handle.result() == {"count": wanted}
    runs = await runs_of(handle)
    assert len(runs) > 5
    assert not any(runs.values())


async def test_a_flood_of_events_is_taken(stage, plans_of):
    flood = 2_500  # Temporal gives each to the run in its first task, which takes a fraction of a second of two
    handle = await begin(stage, "hear", {"numbers": list(map(str, range(flood)))})
    slots = asyncio.Semaphore(50)

    async def send(number):
        async with slots:
            await handle.signal("event", {"id": f"e{number}", "name": "go", "data": {"n": number}})

    await asyncio.gather(*map(send, range(flood)))
    async with stage.serving(*plans_of(hear=RECEIVING)), asyncio.timeout(120):  # nobody has received any until now
        assert await handle.result() == {"count": flood}
    runs = await runs_of(handle)
    assert not any(runs.values())
    first = handle._client.get_workflow_handle(handle.id, run_id=handle.first_execution_run_id)
    tasks = [
        one async for one in first.fetch_history_events() if one.HasField("workflow_task_completed_event_attributes")
    ]
    assert len(tasks) >= flood / AT_ONCE  # in one alone it would take too long


async def test_a_run_cancelled_at_any_moment_leaves_nothing_undone(stage, plans_of):
    desk, dice = Desk(), random.Random(7)
    plans = plans_of(
        trip="""\
        input: {names: {type: list, items: {type: string}}}
        steps:
          - for_each:
              items: "{{ input.names }}"
              as: name
              key: "{{ name }}"
              max_parallel: 2
              do:
                - call: book
                  with: {name: "{{ name }}"}
                  compensate: [{call: unbook, when: cells.book.booked is defined}]
          - wait: 1d
        on_cancel: compensate
        """
    )

    async def cancelled(number):
        handle = await begin(stage, "trip", {"names": [f"{number}-{item}" for item in range(20)]})
        wanted = dice.randrange(20)

        async def is_booked():
            return sum(name.startswith(f"{number}-") for call, name, _ in desk.calls if call == "book") >= wanted

        await until(is_booked)
        await (handle.cancel() if number % 2 else handle.signal("cancel", {"by": "ann"}))
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        return handle

    async with stage.serving(*plans, functions=desk.functions):
        handles = await asyncio.gather(*map(cancelled, range(16)))
    booked = [f"00{name}" for call, name, _ in desk.calls if call == "book"]
    assert sorted(booked) == sorted(name for call, name, _ in desk.calls if call == "unbook")
    runs = [await runs_of(handle) for handle in handles]
    assert sum(map(len, runs)) > len(handles)
    assert not any(any(one.values()) for one in runs)


GROWING = "steps:\n" + "".join(f"  - {{call: grow, id: s{number}}}\n" for number in range(40)) + "result: {done: '1'}\n"


async def test_a_run_whose_state_cannot_be_carried_goes_on_where_it_is(stage, plans_of):
    async with stage.serving(*plans_of(big=GROWING), functions=Desk().functions):
        handle = await begin(stage, "big", {})
        assert await handle.result() == {"done": "1"}
    runs = await runs_of(handle)
    assert not any(runs.values())
    assert len(runs) < 4


async def test_a_run_that_can_neither_go_on_nor_be_carried_says_so(stage, plans_of, monkeypatch):
    monkeypatch.setattr(carried, "HISTORY_END", 70)
    monkeypatch.setattr(carried, "STAYS", 10)
    async with stage.serving(*plans_of(big=GROWING), functions=Desk().functions):
        handle = await begin(stage, "big", {})
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
    assert failure.value.cause.type == "state_too_large"


async def test_a_run_that_waits_for_a_long_child_takes_events_all_the_same(stage, plans_of):
    plans = plans_of(
        outer="""\
        input: {numbers: {type: list, items: {type: string}}}
        events: {go: {n: {type: integer}}}
        steps:
          - parallel:
              one: [{run: inner-one}]
              two: [{for_each: {items: "{{ input.numbers }}", as: number, key: "{{ number }}", do: [{receive: go}]}}]
          - {call: book, with: {name: after}}
        """,
        inner_one="events: {end: {n: {type: integer}}}\nsteps: [{receive: end}]\n",
    )
    desk = Desk()
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "outer", {"numbers": list(map(str, range(100)))})
        for number in range(100):
            await handle.execute_update("event", {"id": f"e{number}", "name": "go", "data": {"n": number}})
        child = (await stage.plain()).get_workflow_handle(f"{handle.id}/inner_one")
        await child.signal("event", {"id": "end", "name": "end", "data": {"n": 1}})
        await handle.result()
    assert [call[:2] for call in desk.calls] == [("book", "after")]


class Counted(Interceptor):
    """A client's interceptor that remembers what was asked of which run."""

    def __init__(self):
        self.asked = []

    def intercept_client(self, inner):
        asked = self.asked

        class Asking(OutboundInterceptor):
            async def query_workflow(self, asking):
                asked.append((asking.query, asking.run_id, tuple(asking.args)))
                return await super().query_workflow(asking)

        return Asking(super().intercept_client(inner))


async def test_the_records_of_all_runs_are_read_once_and_in_order(stage, plans_of):
    async with stage.serving(*plans_of(hear=RECEIVING)):
        handle = await begin(stage, "hear", {"numbers": list(map(str, range(300)))})
        for number in range(300):
            await handle.signal("event", {"id": f"e{number}", "name": "go", "data": {"n": number}})
        await handle.result()
        counted = Counted()
        client = await Client.connect(stage.address, interceptors=[counted])
        desk = Procedures(client, task_queue=stage.queue)
        last = (await desk.status(handle.id))["records"]
        for after in (0, last // 2, last - 1, last):
            counted.asked.clear()
            numbers = [record["number"] async for record in desk.records(handle.id, after)]
            assert numbers == list(range(after + 1, last + 1))
            assert len(counted.asked) == len(set(counted.asked))
    assert len(await runs_of(handle)) > 3


OPENED = """\
    input: {numbers: {type: list, items: {type: string}}}
    events: {go: {n: {type: integer}}}
    steps:
      - call: book
        with: {name: one}
        compensate: [{call: unbook, when: cells.book.booked is defined}]
      - for_each: {items: "{{ input.numbers }}", as: number, key: "{{ number }}", do: [{receive: go}]}
    on_cancel: compensate
    """


async def test_a_run_cancelled_before_it_has_its_plan_again_undoes_what_was_done(stage, plans_of):
    desk = Desk()
    old, new = plans_of(trip=OPENED), plans_of(trip=OPENED.replace("name: one", "name: two"))
    async with stage.serving(*old, functions=desk.functions):
        handle = await begin(stage, "trip", {"numbers": list(map(str, range(500)))})
        for number in range(5):
            await updated(handle, {"id": f"a{number}", "name": "go", "data": {"n": number}})
    async with stage.serving(*new, functions=desk.functions):  # a run that begins here asks for the old plan in vain
        for number in range(100):
            await handle.signal("event", {"id": f"b{number}", "name": "go", "data": {"n": number}})
        await comes_to(handle, "opening")
        await handle.cancel()
        await asyncio.sleep(0.5)
    async with stage.serving(*old, functions=desk.functions):
        with pytest.raises(WorkflowFailureError):
            await handle.result()
    assert [call[:2] for call in desk.calls] == [("book", "one"), ("unbook", "00one")]
    assert (await handle.describe()).status == WorkflowExecutionStatus.CANCELED
    assert not any((await runs_of(handle)).values())
