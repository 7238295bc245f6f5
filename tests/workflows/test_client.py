"""The client helper: one answer per message whatever happens, and errors that say what to do."""

import asyncio
import contextlib
import time

import pytest
from temporalio.service import RPCError, RPCStatusCode

from interlock.cli.server import free_port
from interlock.client import Interlock, connect
from interlock.client.delivery import delivered
from interlock.client.errors import (
    DeadlineError,
    NoSuchSessionError,
    NoWorkerError,
    RejectedError,
    UnknownAgentError,
    UnreachableError,
)
from interlock.client.procedures import Procedures
from interlock.plan.steps import CallStep
from interlock.plan.tools import Argument, Retry, Tool
from tests.workflows.runs import until

pytestmark = pytest.mark.server


async def test_a_closed_session_answers_closed_and_stays_closed(stage, support, user, s1):
    async with stage.serving(support()):
        talk = await stage.talk()
        first = await talk.send("support", s1, "hello", user=user, id="m1")
        assert (await talk.close("support", s1, by="ann"))["status"] == "closed"
        await talk.client.get_workflow_handle(f"support:{s1}").result()
        closed = await talk.send("support", s1, "hello?", user=user, id="m2")
        assert (closed["outcome"], closed["status"]) == ("closed", "closed")
        assert set(closed) == set(first)
        assert await talk.send("support", s1, "hello", user=user, id="m1") == first
        assert (await talk.close("support", s1))["status"] == "closed"
        assert (await talk.takeover("support", s1))["status"] == "closed"
        assert (await talk.status("support", s1))["status"] == "closed"
        with pytest.raises(RejectedError, match="was closed"):
            await talk.open("support", s1, user=user)


async def test_the_same_id_with_other_words_is_a_conflict_in_the_same_run_too(stage, support, user, s1):
    async with stage.serving(support()):
        talk = await stage.talk()
        first = await talk.send("support", s1, "one", user=user, id="m1")
        other = await talk.send("support", s1, "two", user=user, id="m1")
        assert (first["text"], other["outcome"]) == ("echo one", "conflict")
        assert await talk.send("support", s1, "one", user=user, id="m1") == first
        assert (await talk.status("support", s1))["turn"] == 1


async def test_a_connection_that_breaks_in_the_middle_of_a_call_is_tried_again(stage):
    client = await stage.plain()
    broken = [RPCError("transport error", status, b"") for status in (RPCStatusCode.UNKNOWN, RPCStatusCode.INTERNAL)]

    async def attempt():
        if broken:
            raise broken.pop()
        return "answer"

    assert await delivered(client, stage.queue, attempt, 5) == "answer"


async def test_a_session_can_be_opened_before_its_first_message(stage, support, user, s1):
    async with stage.serving(support()):
        talk = await stage.talk()
        assert (await talk.open("support", s1, user=user))["status"] == "ai_active"
        assert (await talk.open("support", s1, user=user))["turn"] == 0
        assert (await talk.send("support", s1, "x", user=user))["turn"] == 1


async def test_one_message_without_a_session_is_answered_once(stage, support, user):
    async with stage.serving(support()):
        talk = await stage.talk()
        reply = await talk.answer_once("support", "hello", user=user, id=stage.queue)
        assert reply["text"] == "echo hello"
        assert await talk.answer_once("support", "hello", user=user, id=stage.queue) == reply


@pytest.mark.parametrize("change", [{"text": "goodbye"}, {"user": {"id": "other"}}, {"type": "rule"}])
async def test_one_message_with_another_ones_id_is_a_conflict_while_it_is_answered_and_later(
    stage, support, user, change
):
    talk = await stage.talk()
    said = {"agent": "support", "text": "hello", "user": user, "id": stage.queue}
    first = asyncio.create_task(talk.answer_once(**said))
    await until(lambda: _is_begun(talk, f"support:once:{stage.queue}"))
    early = await talk.answer_once(**said | change)
    async with stage.serving(support()):
        reply = await first
        late = await talk.answer_once(**said | change)
        assert (early["outcome"], early["text"], late) == ("conflict", "", early)
        assert await talk.answer_once(**said) == reply


async def test_one_message_sent_by_another_client_without_defaults_is_the_same(stage, support, user):
    talk = await stage.talk()
    async with stage.serving(support()):
        start = {"message": {"text": "hello", "id": stage.queue}, "user": user}
        where = f"support:once:{stage.queue}"
        handle = await talk.client.start_workflow("support", start, id=where, task_queue=stage.queue)
        reply = await handle.result()
        assert await talk.answer_once("support", "hello", user=user, id=stage.queue) == reply


async def test_a_run_that_holds_something_else_under_the_id_is_a_conflict(stage, support, user):
    talk = await stage.talk()
    async with stage.serving(support()):
        where = f"support:once:{stage.queue}"
        await talk.client.start_workflow("support", "nonsense", id=where, task_queue="nobody-polls-here")
        assert (await talk.answer_once("support", "hello", user=user, id=stage.queue))["outcome"] == "conflict"


async def _is_begun(talk, where):
    with contextlib.suppress(RPCError):
        return await talk.client.get_workflow_handle(where).describe()
    return None


NO_ID = {
    "": "an empty string",
    " \u3000": "an empty string",
    "a\nb": "a name may not hold control characters",
    "a\0": "a name may not hold control characters",
    "x" * 201: "201 characters, more than 200",
    "\ud800": "character 1 is half of a pair",
    None: "a string is expected, not nothing",
    7: "a string is expected, not a number",
}


@pytest.mark.parametrize(("session", "says"), NO_ID.items())
async def test_a_session_without_a_proper_id_is_neither_opened_nor_found(stage, user, session, says):
    talk = await stage.talk()
    for attempt in (
        talk.send("support", session, "x", user=user),
        talk.open("support", session, user=user),
        talk.takeover("support", session),
        talk.agent_message("support", session, "x"),
        talk.status("support", session),
        talk.record("support", session),
    ):
        with pytest.raises(RejectedError) as refused:
            await attempt
        assert (refused.value.kind, str(refused.value)) == ("malformed", f"session: {says}")


@pytest.mark.parametrize(("id", "says"), [one for one in NO_ID.items() if one[0] is not None])
async def test_a_message_and_a_run_have_a_proper_id_or_none_at_all(stage, user, s1, id, says):  # noqa: A002 - its name
    talk = await stage.talk()
    desk = Procedures(talk.client, task_queue=stage.queue)
    for attempt in (
        talk.send("support", s1, "x", user=user, id=id),
        talk.agent_message("support", s1, "x", id=id),
        talk.answer_once("support", "x", user=user, id=id),
        desk.start("pay", {}, id=id),
    ):
        with pytest.raises(RejectedError) as refused:
            await attempt
        assert (refused.value.kind, str(refused.value)) == ("malformed", f"id: {says}")


@pytest.mark.parametrize("value", [{1, 2}, object(), float("nan"), b"x"])
async def test_what_json_cannot_hold_is_refused_before_anything_is_opened(stage, user, s1, value):
    talk = await stage.talk()
    desk = Procedures(talk.client, task_queue=stage.queue)
    for attempt in (
        talk.send("support", s1, "x", user=user, metadata={"a": value}),
        talk.send("support", s1, "x", user=user | {"tenant": value}),
        talk.open("support", s1, user=user | {"tenant": value}),
        talk.answer_once("support", "x", user=user, metadata={"a": value}),
        desk.start("pay", {"a": value}),
        desk.event("pay:1", "paid", {"a": value}),
    ):
        with pytest.raises(RejectedError, match="it cannot be sent as JSON") as refused:
            await attempt
        assert refused.value.kind == "malformed"


async def test_a_run_that_is_not_there_has_no_result(stage, s1):
    desk = Procedures((await stage.talk()).client, task_queue=stage.queue)
    with pytest.raises(NoSuchSessionError, match="it was never started"):
        await desk.result(s1)
    with pytest.raises(RejectedError, match="Temporal refuses the call"):
        await desk.result("")


async def test_a_session_that_is_asked_for_its_steps_says_what_it_is(stage, support, user, s1):
    async with stage.serving(support()):
        talk = await stage.talk()
        await talk.open("support", s1, user=user)
        desk = Procedures(talk.client, task_queue=stage.queue)
        with pytest.raises(RejectedError, match="only a procedure can be asked this"):
            await desk.steps(f"support:{s1}")


async def test_a_call_with_arguments_that_cannot_be_sent_is_no_invocation(stage, support, user, s1):
    long = {f"text{n}": Argument(type="string", source="message.text", send_as=f"text{n}") for n in range(9)}
    tool = Tool(
        at="a", transport="python", python="track", effect="read", retry=Retry(attempts=1), timeout_ms=1_000, input=long
    )
    flows = {"echo": (CallStep(at="a", id="track", action="call", tool="track"),)}
    plan = support()
    async with stage.serving(plan.model_copy(update={"tools": {"track": tool}, "flows": {**plan.flows, **flows}})):
        talk = await stage.talk()
        reply = await talk.send("support", s1, "x" * 32_000, user=user)
        record = await talk.record("support", s1, reply["turn"])
        [call] = record["calls"]
        assert "the arguments cannot be sent: 288" in call["error"]
        assert (reply["outcome"], record["invocation_count"], "receipt" in call) == ("error", 0, False)


async def test_an_unknown_agent_is_named_with_a_near_one(stage, support, user, s1):
    async with stage.serving(support()):
        talk = await stage.talk()
        for attempt in (
            talk.send("suport", s1, "x", user=user),
            talk.answer_once("suport", "x", user=user),
            talk.open("suport", s1, user=user),
        ):
            with pytest.raises(UnknownAgentError, match="did you mean 'support'"):
                await attempt


async def test_a_message_that_is_refused_says_why(stage, support, user, s1, s2):
    async with stage.serving(support()):
        talk = await stage.talk()
        with pytest.raises(RejectedError, match="more than") as refused:
            await talk.send("support", s1, "x" * 40_000, user=user)
        assert refused.value.kind == "malformed"
        with pytest.raises(RejectedError, match="telegram") as refused:
            await talk.send("support", s1, "x", user=user, type="telegram")
        assert refused.value.kind == "invalid_message"
        with pytest.raises(RejectedError, match="'id' is missing"):
            await talk.send("support", s2, "x", user={})


async def test_a_session_that_was_never_opened_is_named(stage, support, s1):
    async with stage.serving(support()):
        talk = await stage.talk()
        for attempt in (
            talk.status("support", s1),
            talk.takeover("support", s1),
            talk.agent_message("support", s1, "x"),
        ):
            with pytest.raises(NoSuchSessionError, match=s1):
                await attempt


async def test_without_a_worker_the_deadline_says_so(stage, user, s1):
    talk = await stage.talk()
    begun = time.monotonic()
    with pytest.raises(NoWorkerError, match=f"no worker polls the task queue '{stage.queue}'"):
        await talk.send("support", s1, "x", user=user, timeout=1)
    assert time.monotonic() - begun < 5


async def test_a_tool_slower_than_the_deadline_ends_in_a_typed_error_and_the_reply_can_be_had_later(
    stage, support, user, s1
):
    async def slow(number):
        await asyncio.sleep(1)
        return {"number": number}

    async with stage.serving(support(), functions={"track": slow}):
        talk = await stage.talk()
        await talk.open("support", s1, user=user)
        with pytest.raises(DeadlineError, match="same message id"):
            await talk.send("support", s1, "track T1234", user=user, id="m1", timeout=0.4)
        reply = await talk.send("support", s1, "track T1234", user=user, id="m1")
        assert (reply["turn"], reply["outcome"]) == (1, "answer")


async def test_a_cancelled_caller_is_cancelled(stage, user, s1):
    talk = await stage.talk()
    call = asyncio.create_task(talk.send("support", s1, "x", user=user))
    await asyncio.sleep(0.3)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 5)


async def test_a_server_that_is_not_there_is_named_with_how_to_start_one(monkeypatch):
    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(UnreachableError, match=f"{address}.*interlock dev"):
        await connect(address)
    monkeypatch.setenv("TEMPORAL_ADDRESS", address)
    with pytest.raises(UnreachableError, match=address):
        await Interlock.connect()
