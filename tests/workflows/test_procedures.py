"""Procedures from a plain Temporal client: started by name with JSON, watched, sent events, retried, cancelled."""

import asyncio
import contextlib
import uuid
from textwrap import dedent

import pytest
from temporalio.client import WorkflowFailureError, WorkflowHistory, WorkflowUpdateFailedError
from temporalio.service import RPCError
from temporalio.worker import Replayer

from interlock.client import Interlock
from interlock.compiler.compile import compile_folder
from interlock_workflows.lasting import TURNS_PER_RUN
from interlock_workflows.plugin import interlock_plugin

pytestmark = pytest.mark.server

HEAD = "apiVersion: interlock/v1\nkind: Procedure\nname: {}\nuses: [tools]\n"
LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
tools:
  book:
    python: book
    effect: write
    idempotency: {argument: reference}
    input: {name: {type: string, from: caller}}
    output: {booked: {type: string}}
    produces: {booked: {at: booked}}
    ensures: [{that: result.booked != ''}]
    retry: {attempts: 2, backoff: 10ms}
  wire:
    python: wire
    effect: irreversible
    idempotency: {none: the bank has no keys}
    input: {name: {type: string, from: caller}}
    output: {booked: {type: string}}
    ensures: [{that: result.booked != ''}]
  unbook:
    python: unbook
    effect: write
    idempotency: {argument: reference}
    input: {booked: {type: string, from: cells.book.booked}}
    output: {gone: {type: boolean}}
    ensures: [{that: result.gone}]
"""


class Desk:
    """Tools that remember their calls; `book` fails as long as `broken`."""

    def __init__(self):
        self.calls, self.broken, self.booked, self.only = [], False, asyncio.Event(), None

    async def book(self, name, reference):
        self.calls.append(("book", name, reference))
        self.booked.set()
        return self._answer(name)

    async def wire(self, name):
        self.calls.append(("wire", name, ""))
        return self._answer(name)

    def _answer(self, name):
        if self.broken or (self.only is not None and name not in self.only):
            raise RuntimeError("broken")
        return {"booked": f"00{name}"}

    async def unbook(self, booked, reference):
        self.calls.append(("unbook", booked, reference))
        return {"gone": True}

    @property
    def functions(self):
        return {"book": self.book, "unbook": self.unbook, "wire": self.wire}


@pytest.fixture
def plans_of(tmp_path):
    """Compile procedures given as name to the keys below the head."""

    def plans(**procedures):
        (tmp_path / "tools.yaml").write_text(LIBRARY)
        for name, text in procedures.items():
            (tmp_path / f"{name}.yaml").write_text(HEAD.format(name.replace("_", "-")) + dedent(text))
        compiled = compile_folder(tmp_path)
        assert not compiled.errors, "\n".join(map(str, compiled.errors))
        return tuple(compiled.plans.values())

    return plans


async def begin(stage, name, given):
    client = await stage.plain()
    return await client.start_workflow(name, given, id=f"{name}-{uuid.uuid4().hex[:8]}", task_queue=stage.queue)


async def heard(talk, session):
    """What stands in the outbox, once something does."""
    for _ in range(200):
        if said := await talk.outbox("desk", session):
            return said
        await asyncio.sleep(0.05)
    raise AssertionError("nothing was said")


async def until(handle, status):
    """The status of a run once it is `status`."""
    for _ in range(200):
        found = await handle.query("status")
        if found["status"] == status:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"{found['status']} is not {status}: {found}")


async def waits_for(handle, what):
    """The status of a run once it waits for that."""
    for _ in range(200):
        found = await handle.query("status")
        if what in [one["for"] for one in found["waiting"] or ()]:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"it does not wait for {what}: {found}")


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
        status = await until(handle, "failed")
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
          - {call: book, with: {name: a}, compensate: [{call: unbook}]}
          - wait: 1d
        on_cancel: compensate
        """
    )
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "trip", {})
        await until(handle, "running")
        await desk.booked.wait()
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        assert [call[:2] for call in desk.calls] == [("book", "a"), ("unbook", "00a")]
        assert str((await handle.describe()).status.name) == "CANCELED"


async def test_a_procedure_runs_another_under_the_plan_it_was_checked_against(stage, plans_of):
    desk = Desk()
    plans = plans_of(
        outer="""\
        steps: [{run: inner-one, with: {name: "007"}}]
        result: {booked: "{{ steps.inner_one.result.booked }}"}
        """,
        inner_one="""\
        input: {name: {type: string}}
        steps: [{call: book, with: {name: "{{ input.name }}"}}]
        result: {booked: "{{ cells.book.booked }}"}
        """,
    )
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "outer", {})
        assert await handle.result() == {"booked": "00007"}


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
    replayer = Replayer(workflows=[], plugins=[interlock_plugin()])
    for history in histories:
        await replayer.replay_workflow(WorkflowHistory.from_json(history.workflow_id, history.to_json()))


@pytest.mark.parametrize("given", [{}, {"names": "x"}, [1], {"names": [], "other": 1}])
async def test_a_wrong_input_fails_the_start_with_a_typed_error(stage, plans_of, given):
    plans = plans_of(trip="input: {names: {type: list}}\nsteps: [{wait: 1s}]\n")
    async with stage.serving(*plans):
        handle = await begin(stage, "trip", given)
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
    assert failure.value.cause.type in ("invalid_message", "malformed")


async def test_a_conversation_and_a_procedure_refuse_what_is_for_the_other(stage, plans_of, support, s1):
    plans = plans_of(trip="steps: [{wait: 1d}]\n")
    async with stage.serving(*plans, support()):
        handle = await begin(stage, "trip", {})
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("message", {"id": "1", "text": "x"})
        assert refused.value.cause.type == "wrong_kind"
        await handle.signal("cancel", {"by": "ann"})
        with pytest.raises(WorkflowFailureError):
            await handle.result()


AGENT = """
apiVersion: interlock/v1
kind: Agent
name: desk
slots: {number: {patterns: ['T[0-9]{4}'], ask: Which number?}}
intents: {book: {keywords: [book]}}
mounts: [{run: trip}]
routes: [{when: intents.book, flow: book}, {flow: rest}]
flows:
  book:
    - run: trip
      with: {number: "{{ slots.number }}"}
      waiting: On it.
    - reply: "Booked {{ steps.trip.result.booked }}."
  rest: [{reply: Hello.}]
"""


async def test_a_conversation_goes_on_while_a_procedure_runs_and_hears_of_its_end(stage, plans_of, tmp_path, s1):
    desk = Desk()
    (tmp_path / "agent.yaml").write_text(AGENT)
    plans = plans_of(
        trip="""\
        input: {number: {type: string}}
        events: {go: {by: {type: string}}}
        steps:
          - receive: go
          - {call: book, with: {name: "{{ input.number }}"}}
        result: {booked: "{{ cells.book.booked }}"}
        """
    )
    async with stage.serving(*plans, functions=desk.functions):
        talk = Interlock(await stage.plain(), task_queue=stage.queue)
        queued = await talk.send("desk", s1, "book T1234", user={"id": "ann"})
        assert (queued["outcome"], queued["text"]) == ("queued", "On it.")
        assert (await talk.send("desk", s1, "hi", user={"id": "ann"}))["text"] == "Hello."
        (running,) = (await talk.status("desk", s1))["procedures"]
        child = (await stage.plain()).get_workflow_handle(f"desk:{s1}/{running['run']}")
        await child.execute_update("event", {"id": "1", "name": "go", "data": {"by": "bo"}})
        said = await heard(talk, s1)
        assert [one["text"] for one in said] == ["Booked 00T1234."]
        assert (await talk.status("desk", s1))["procedures"] == []
        record = await talk.record("desk", s1, 3)
        assert record["outcome"] == "answer"
        session = (await stage.plain()).get_workflow_handle(f"desk:{s1}")
        histories = [await one.fetch_history() for one in (session, child)]
    replayer = Replayer(workflows=[], plugins=[interlock_plugin()])
    for history in histories:
        await replayer.replay_workflow(WorkflowHistory.from_json(history.workflow_id, history.to_json()))


SPOKEN = """
apiVersion: interlock/v1
kind: Agent
name: desk
languages: [en, zh]
intents: {book: {keywords: [book, 预订]}}
mounts: [{run: outer-one}]
routes: [{when: intents.book, flow: book}, {flow: rest}]
flows:
  book:
    - run: outer-one
      catch: [{do: [{reply: "{{ error.message }}"}]}]
    - reply: {en: Done., zh: 好了。}
  rest: [{reply: {en: Hello., zh: 你好。}}]
"""


@pytest.mark.parametrize(("text", "answer"), [("book", "It is full.\n\nDone."), ("预订", "已满。\n\n好了。")])
async def test_a_procedure_speaks_as_the_turn_that_runs_it(stage, plans_of, tmp_path, s1, text, answer):
    (tmp_path / "agent.yaml").write_text(SPOKEN)
    plans = plans_of(
        outer_one="languages: [en, zh]\npark: 0s\nsteps: [{run: inner-one}]\n",
        inner_one="languages: [zh, en]\nsteps: [{wait: 10ms}, {fail: {en: It is full., zh: 已满。}}]\n",
    )
    async with stage.serving(*plans):
        talk = Interlock(await stage.plain(), task_queue=stage.queue)
        assert (await talk.send("desk", s1, text, user={"id": "ann"}))["outcome"] == "queued"
        assert [one["text"] for one in await heard(talk, s1)] == [answer]
        handle = await begin(stage, "inner-one", {})
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
        assert failure.value.cause.message == "已满。"


async def test_a_session_that_goes_on_in_a_new_run_waits_for_its_procedure_first(stage, plans_of, tmp_path, s1):
    (tmp_path / "agent.yaml").write_text(AGENT)
    plans = plans_of(
        trip="""\
        input: {number: {type: string}}
        events: {go: {by: {type: string}}}
        steps: [{receive: go}]
        result: {booked: "{{ input.number }}"}
        """
    )
    async with stage.serving(*plans):
        talk = Interlock(await stage.plain(), task_queue=stage.queue)
        await talk.send("desk", s1, "book T1234", user={"id": "ann"})
        (running,) = (await talk.status("desk", s1))["procedures"]
        for _ in range(TURNS_PER_RUN + 5):
            await talk.send("desk", s1, "hi", user={"id": "ann"})
        assert (await talk.status("desk", s1))["previous_run"] is None
        child = (await stage.plain()).get_workflow_handle(f"desk:{s1}/{running['run']}")
        await child.execute_update("event", {"id": "1", "name": "go", "data": {"by": "bo"}})
        assert [one["text"] for one in await heard(talk, s1)] == ["Booked T1234."]
        assert (await talk.send("desk", s1, "hi", user={"id": "ann"}))["text"] == "Hello."
        assert (await talk.status("desk", s1))["previous_run"] is not None


TWO = """\
    steps:
      - {call: book, id: first, with: {name: first}}
      - {call: wire, id: second, with: {name: second}}
    result: {booked: "{{ steps.second.result.booked }}"}
    """


async def test_a_retry_takes_a_mended_plan_and_none_that_changes_what_is_done(stage, plans_of):
    desk = Desk()
    desk.only = {"first", "third"}
    old = plans_of(trip=TWO)
    wrong = plans_of(trip=TWO.replace("name: first", "name: other"))
    mended = plans_of(trip=TWO.replace("name: second", "name: third"))
    async with stage.serving(*old, functions=desk.functions):
        handle = await begin(stage, "trip", {})
        assert (await until(handle, "failed"))["failure"]["step"] == "second"
    async with stage.serving(*wrong, functions=desk.functions):
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("retry", {"plan": "latest", "resolved": {"second": "did_not_happen"}})
        assert refused.value.cause.type == "plan_changes_finished_steps"
        status = await handle.query("status")
        assert (status["status"], status["digest"]) == ("failed", old[0].digest)
    async with stage.serving(*mended, functions=desk.functions):
        with pytest.raises(WorkflowUpdateFailedError):
            await handle.execute_update("retry", {"plan": "latest", "resolved": {"nothing": "happened"}})
        assert (await handle.query("status"))["digest"] == old[0].digest
        await handle.execute_update("retry", {"plan": "latest", "resolved": {"second": "did_not_happen"}})
        assert await handle.result() == {"booked": "00third"}
    assert [name for _, name, _ in desk.calls if name in desk.only] == ["first", "third"]


async def is_asked(handle):
    """Whether there is such a run, and it asks all workers for its plan."""
    with contextlib.suppress(RPCError):
        history = await handle.fetch_history()
        return any(event.HasField("activity_task_scheduled_event_attributes") for event in history.events)
    return False


async def test_a_child_waits_for_a_worker_that_knows_its_plan(stage, plans_of):
    desk = Desk()
    plans = plans_of(
        outer="steps: [{wait: 1s}, {run: inner-one}]\n", inner_one="steps: [{call: book, with: {name: a}}]\n"
    )
    later = plans_of(inner_one="steps: [{call: book, with: {name: changed}}]\n")
    outer = next(plan for plan in plans if plan.name == "outer")
    async with stage.serving(*plans, functions=desk.functions):
        handle = await begin(stage, "outer", {})
        await until(handle, "running")
    async with stage.serving(outer, *(plan for plan in later if plan.name != "outer"), functions=desk.functions):
        child = (await stage.plain()).get_workflow_handle(f"{handle.id}/inner_one")
        for _ in range(300):
            if await is_asked(child):
                break
            await asyncio.sleep(0.1)
        assert (await child.query("status"))["status"] == "opening"
        assert desk.calls == []
    async with stage.serving(*plans, functions=desk.functions):
        await handle.result()
    assert [call[:2] for call in desk.calls] == [("book", "a")]
