"""Procedures from a plain Temporal client: started by name with JSON, watched, sent events, retried, cancelled."""

import pytest
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError

from tests.workflows.booking import Desk
from tests.workflows.runs import begin, comes_to, replayed, reset, waits_for

pytestmark = pytest.mark.server


async def test_a_procedure_is_started_by_its_name_and_gives_its_result(stage, plans_of):
    desk = Desk()
    plans = plans_of(
        trip="""\
        input: {names: {type: list, items: {type: string}}}
        steps:
          - for_each:
              items: "{{ input.names }}"
              as: name
              key: "{{ name }}"
              max_parallel: 3
              do: [{call: book, with: {name: "{{ name }}"}}]
          - wait: 10ms
        result: {count: "{{ input.names | length }}"}
        """
    )
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "trip", {"names": ["007", "钥匙", "9007199254740993"]})
        assert await handle.result() == {"count": 3}
        steps = await handle.query("steps")
    assert [(one["id"], one["state"]) for one in steps][:1] == [("for_each", "done")]
    assert {name for _, name, _ in desk.calls} == {"007", "钥匙", "9007199254740993"}
    assert len({key for _, _, key in desk.calls}) == 3


async def test_a_failed_run_stands_still_and_goes_on_at_the_failed_step(stage, plans_of):
    desk = Desk()
    plans = plans_of(
        trip="""\
        steps:
          - {call: book, id: first, with: {name: first}}
          - {call: book, id: second, with: {name: second}}
        result: {booked: "{{ steps.second.result.booked }}"}
        """
    )
    async with stage.serving(*plans, functions=desk.functions):
        desk.broken = False
        handle = await begin(stage, "trip", {})
        assert (await handle.result()) == {"booked": "00second"}
        desk.broken = True
        handle = await begin(stage, "trip", {})
        status = await comes_to(handle, "failed")
        assert (status["failure"]["step"], status["failure"]["kind"]) == ("first", "error")
        desk.broken = False
        await handle.execute_update("retry", {"by": "ann"})
        assert await handle.result() == {"booked": "00second"}
        record = await handle.query("record")
    assert [one.get("step") or one["event"] for one in record["steps"]] == [
        "first",
        "failed",
        "retry",
        "first",
        "second",
        "done",
    ]


async def test_an_event_is_sent_in_by_update_or_signal(stage, plans_of):
    plans = plans_of(
        ask="""\
        events: {said: {n: {type: integer}}}
        steps: [{receive: said}, {receive: said, id: again}]
        result: {first: "{{ steps.said.result.n }}", second: "{{ steps.again.result.n }}"}
        """
    )
    async with stage.serving(*plans):
        handle = await begin(stage, "ask", {})
        await handle.signal("event", {"id": "1", "name": "said", "data": {"n": 2**70}})
        with pytest.raises(WorkflowUpdateFailedError):
            await handle.execute_update("event", {"id": "2", "name": "said", "data": {"n": "x"}})
        await handle.execute_update("event", {"id": "3", "name": "said", "data": {"n": 3}})
        assert await handle.result() == {"first": 2**70, "second": 3}


async def test_a_cancelled_run_undoes_what_it_did(stage, plans_of):
    desk = Desk()
    plans = plans_of(
        trip="""\
        steps:
          - {call: book, with: {name: a}, compensate: [{call: unbook, when: cells.book.booked is defined}]}
          - wait: 1d
        on_cancel: compensate
        """
    )
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "trip", {})
        await comes_to(handle, "running")
        await desk.booked.wait()
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        assert [call[:2] for call in desk.calls] == [("book", "a"), ("unbook", "00a")]
        assert str((await handle.describe()).status.name) == "CANCELED"


@pytest.mark.parametrize(("books", "left", "calls"), [(True, ["inner_one"], ["book", "book"]), (False, [], [])])
async def test_a_child_that_is_done_counts_as_an_effect_if_it_had_one(stage, plans_of, books, left, calls):
    desk = Desk()
    plans = plans_of(
        outer="""\
        input: {books: {type: boolean}}
        steps:
          - run: inner-one
            with: {books: "{{ input.books }}"}
            compensate: [{call: book, with: {name: repair}}]
          - wait: 1d
        on_cancel: compensate
        """,
        inner_one="""\
        input: {books: {type: boolean}}
        steps: [{when: input.books, call: book, with: {name: a}}]
        result: {said: hello}
        """,
    )
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "outer", {"books": books})
        status = await waits_for(handle, "time")
        assert (status["effects"], status["undo"]) == (left, left)
        child = (await stage.plain()).get_workflow_handle(f"{handle.id}/inner_one")
        assert await child.result() == {"said": "hello"}
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        assert [call[0] for call in desk.calls] == calls
        histories = [await one.fetch_history() for one in (handle, child)]
    await replayed(*histories)


@pytest.mark.parametrize("given", [{}, {"names": "x"}, [1], {"names": [], "other": 1}])
async def test_a_wrong_input_fails_the_start_with_a_typed_error(stage, plans_of, given):
    plans = plans_of(trip="input: {names: {type: list}}\nsteps: [{wait: 1s}]\n")
    async with stage.serving(*plans):
        handle = await begin(stage, "trip", given)
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
    assert failure.value.cause.type in ("invalid_message", "malformed")


async def test_a_reset_repeats_the_effects_of_all_procedures_under_the_same_keys(stage, plans_of):
    desk = Desk()
    plans = plans_of(
        trip="""\
        steps:
          - {call: book, with: {name: mine}}
          - for_each:
              items: [a, b]
              as: name
              key: "{{ name }}"
              do: [{run: stay, with: {name: "{{ name }}"}}]
        """,
        stay="""\
        input: {name: {type: string}}
        steps:
          - {call: book, with: {name: "{{ input.name }}"}}
          - {run: key, with: {name: "{{ input.name }}"}}
        """,
        key="""\
        input: {name: {type: string}}
        steps: [{call: book, with: {name: "key of {{ input.name }}"}}]
        """,
    )
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "trip", {})
        await handle.result()
        first, again = set(desk.calls), await reset(handle)
        assert len(first) == len(desk.calls) == 5
        await again.result()
        assert len(desk.calls) == 10
        assert set(desk.calls) == first
        client = await stage.plain()
        kept = await client.get_workflow_handle(f"{handle.id}/for_each[a]/stay").query("record")
        records = (await again.query("record"))["steps"]
    assert kept["run"] in [one["child"]["run"] for one in records if "child" in one]
    await replayed(await handle.fetch_history())


async def test_whoever_starts_a_run_has_no_say_in_its_keys(stage, plans_of):
    desk = Desk()
    plans = plans_of(trip="steps: [{call: book, with: {name: mine}}]")
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "trip", {}, memo={"interlock_run": "another"})
        await handle.result()
    assert desk.calls == [("book", "mine", f"{handle.first_execution_run_id}:book")]
