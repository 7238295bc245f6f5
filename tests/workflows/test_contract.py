"""The public contract of a session, from a plain Temporal client with plain JSON."""

import asyncio

import pytest
from temporalio.client import WithStartWorkflowOperation, WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import CancelledError

from interlock.plan.steps import CallStep, RespondStep
from interlock.plan.words import Slot

pytestmark = pytest.mark.server


def say(client, queue, session, message, *, agent="support", start=None):
    """Update-with-Start as any SDK can do it."""
    operation = WithStartWorkflowOperation(
        agent,
        start or {"user": {"id": "u1"}},
        id=f"{agent}:{session}",
        task_queue=queue,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    return client.execute_update_with_start_workflow(
        "message", message, id=message["id"], start_workflow_operation=operation
    )


async def test_a_first_message_opens_the_session_and_is_answered_with_the_whole_reply(stage, support, s1):
    async with stage.serving(support()):
        reply = await say(await stage.plain(), stage.queue, s1, {"id": "m1", "text": "你好"})
    assert reply["text"] == "echo 你好"
    assert reply["outcome"] == "answer"
    assert set(reply) == {
        "turn", "text", "data", "outcome", "reason", "status", "missing", "candidates", "options", "assumptions",
        "sources", "record_id",
    }  # fmt: skip


async def test_a_turn_that_calls_no_tool_is_one_update_of_five_events_and_no_activity(stage, support, events_of, s1):
    async with stage.serving(support()):
        client = await stage.plain()
        await say(client, stage.queue, s1, {"id": "m1", "text": "hello"})
        handle = client.get_workflow_handle(f"support:{s1}")
        before = len(await events_of(handle))
        for number in range(3):
            await say(client, stage.queue, s1, {"id": f"x{number}", "text": "x" * 2_000})
        assert len(await events_of(handle)) - before == 15


async def test_a_tool_is_called_and_a_flow_waits_for_what_it_asked(stage, support, s1):
    async with stage.serving(support()):
        client = await stage.plain()
        asked = await say(client, stage.queue, s1, {"id": "m1", "text": "track my parcel"})
        assert (asked["outcome"], asked["missing"]) == ("ask", ["number"])
        handle = client.get_workflow_handle(f"support:{s1}")
        assert (await handle.query("status"))["waiting"]["flow"] == "tracking"
        answered = await say(client, stage.queue, s1, {"id": "m2", "text": "T1234"})
        assert answered["outcome"] == "answer"
        assert "Hamburg" in answered["text"]
        record = await handle.query("record", 2)
        assert record["turn"] == 2
        assert (await handle.query("record"))["turns"][-1] == record


async def test_the_same_id_gets_the_first_reply_and_another_body_is_a_conflict(stage, support, s1):
    async with stage.serving(support()):
        client = await stage.plain()
        first = await say(client, stage.queue, s1, {"id": "m1", "text": "one"})
        handle = client.get_workflow_handle(f"support:{s1}")
        body = {"id": "m1", "text": "one"}
        again = await handle.execute_update("message", body, id="another-update-id")
        assert again == first
        other = await handle.execute_update("message", body | {"text": "two"}, id="yet-another")
        assert other["outcome"] == "conflict"
        assert (await handle.query("status"))["turn"] == 1


async def test_turns_are_taken_one_after_another_in_the_order_of_arrival(stage, support, s1):
    async with stage.serving(support(), functions={"track": _slow_first}):
        client = await stage.plain()
        await say(client, stage.queue, s1, {"id": "m0", "text": "hello"})
        handle = client.get_workflow_handle(f"support:{s1}")
        pending = []
        for number in range(8):
            text = f"track T100{number}" if number % 2 == 0 else f"n{number}"
            body = {"id": f"m{number + 1}", "text": text}
            pending.append(asyncio.create_task(handle.execute_update("message", body, id=body["id"])))
            await asyncio.sleep(0.03)
        replies = await asyncio.gather(*pending)
        assert [reply["turn"] for reply in replies] == list(range(2, 10))


async def _slow_first(number):
    await asyncio.sleep(0.3 if number == "T1000" else 0)
    return {"number": number}


async def test_started_with_a_message_the_reply_is_the_result_of_the_run(stage, support):
    async with stage.serving(support()):
        client = await stage.plain()
        start = {"user": {"id": "u1"}, "message": {"id": "m1", "text": "track T1234"}}
        reply = await client.execute_workflow("support", start, id=f"once-{stage.queue}", task_queue=stage.queue)
        assert reply["outcome"] == "answer"
        assert "T1234" in reply["text"]


async def test_a_person_takes_over_by_signal_or_update_and_gives_back(stage, support, s1):
    async with stage.serving(support()):
        client = await stage.plain()
        await say(client, stage.queue, s1, {"id": "m1", "text": "hello"})
        handle = client.get_workflow_handle(f"support:{s1}")
        await handle.signal("takeover", {"by": "ann"})
        silent = await say(client, stage.queue, s1, {"id": "m2", "text": "anybody there?"})
        assert (silent["outcome"], silent["status"]) == ("handed_off", "human_active")
        said = await handle.execute_update("agent_message", {"id": "a1", "text": "Ann here.", "by": "ann"})
        assert said["text"] == "Ann here."
        await handle.signal("agent_message", {"id": "a2", "text": "Still here."})
        assert [entry["text"] for entry in await handle.query("outbox")] == ["Ann here.", "Still here."]
        assert [entry["text"] for entry in await handle.query("outbox", 1)] == ["Still here."]
        assert (await handle.execute_update("release", {}))["status"] == "ai_active"
        assert (await say(client, stage.queue, s1, {"id": "m3", "text": "again"}))["text"] == "echo again"
        assert [entry["role"] for entry in await handle.query("transcript")][:2] == ["user", "assistant"]


class Held:
    """A tool that is called, and answers when it may go on."""

    def __init__(self):
        self.called, self.go_on = asyncio.Event(), asyncio.Event()

    async def track(self, number):
        self.called.set()
        await self.go_on.wait()
        return {"number": number}


async def test_a_takeover_in_the_middle_of_a_turn_takes_effect_at_once(stage, support, s1):
    held = Held()
    async with stage.serving(support(), functions={"track": held.track}):
        client = await stage.plain()
        turn = asyncio.create_task(say(client, stage.queue, s1, {"id": "m1", "text": "track T1234"}))
        await held.called.wait()
        handle = client.get_workflow_handle(f"support:{s1}")
        assert (await handle.execute_update("takeover", {"by": "ann"}))["status"] == "human_active"
        held.go_on.set()
        assert (await turn)["outcome"] == "handed_off"


async def test_close_ends_the_run_with_a_summary_and_answers_what_is_being_answered(stage, support, s1):
    called = asyncio.Event()

    async def slow(number):
        called.set()
        await asyncio.sleep(0.2)
        return {"number": number}

    async with stage.serving(support(), functions={"track": slow}):
        client = await stage.plain()
        turn = asyncio.create_task(say(client, stage.queue, s1, {"id": "m1", "text": "track T1234"}))
        await called.wait()
        handle = client.get_workflow_handle(f"support:{s1}")
        await handle.signal("close")
        assert (await turn)["outcome"] == "closed"
        result = await handle.result()
        assert (result["session"], result["status"], result["turns"]) == (s1, "closed", 1)


async def test_an_idle_session_closes_itself(stage, support, s1):
    from interlock.plan.plan import Session

    async with stage.serving(support(session=Session(idle_timeout_ms=700))):
        client = await stage.plain()
        await say(client, stage.queue, s1, {"id": "m1", "text": "hello"})
        assert (await client.get_workflow_handle(f"support:{s1}").result())["status"] == "closed"


async def test_an_unknown_spec_fails_the_run_and_everyone_who_waits_for_it(stage, support, s1):
    async with stage.serving(support()):
        client = await stage.plain()
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await say(client, stage.queue, s1, {"id": "m1", "text": "x"}, agent="suport")
        assert refused.value.cause.type == "unknown_spec"
        assert "support" in refused.value.cause.message
        with pytest.raises(WorkflowFailureError) as failed:
            await client.get_workflow_handle(f"suport:{s1}").result()
        assert (failed.value.cause.type, failed.value.cause.non_retryable) == ("unknown_spec", True)


@pytest.mark.parametrize(
    ("start", "kind"),
    [({"user": {"name": "no id"}}, "malformed"), ({"user": {"id": "u1"}, "mesage": 1}, "malformed"), (7, "malformed")],
)
async def test_a_malformed_start_fails_the_run_with_a_typed_error(stage, support, start, kind):
    async with stage.serving(support()):
        client = await stage.plain()
        with pytest.raises(WorkflowFailureError) as failed:
            await client.execute_workflow("support", start, id=f"bad-{stage.queue}", task_queue=stage.queue)
        assert failed.value.cause.type == kind


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"id": "m1"}, "missing-key"),
        ({"id": "m1", "text": 5}, "wrong-type"),
        ({"id": "m1", "text": "x", "txet": 1}, "unknown-key"),
        ({"id": "m1", "text": "x" * 40_000}, "too-long"),
        ({"id": "m1", "text": "x", "metadata": {"a": "b" * 70_000}}, "too-large"),
        ("hello", "wrong-type"),
        (None, "wrong-type"),
    ],
)
async def test_a_message_outside_the_contract_is_rejected_and_leaves_no_history(
    stage, support, events_of, body, code, s1
):
    async with stage.serving(support()):
        client = await stage.plain()
        await say(client, stage.queue, s1, {"id": "m0", "text": "hello"})
        handle = client.get_workflow_handle(f"support:{s1}")
        before = len(await events_of(handle))
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("message", body)
        assert refused.value.cause.type == "malformed"
        assert refused.value.cause.details[0]["code"] == code
        assert len(await events_of(handle)) == before


async def test_a_message_that_the_spec_does_not_allow_is_refused_and_the_session_goes_on(stage, support, s1):
    async with stage.serving(support()):
        client = await stage.plain()
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await say(client, stage.queue, s1, {"id": "m1", "text": "x", "type": "telegram"})
        assert refused.value.cause.type == "invalid_message"
        assert (await say(client, stage.queue, s1, {"id": "m2", "text": "x"}))["turn"] == 1


async def test_a_signal_outside_the_contract_is_kept_in_the_record(stage, support, s1):
    async with stage.serving(support()):
        client = await stage.plain()
        await say(client, stage.queue, s1, {"id": "m1", "text": "hello"})
        handle = client.get_workflow_handle(f"support:{s1}")
        await handle.signal("takeover", args=[1, 2, 3])
        await handle.signal("take_over", {})
        await handle.signal("agent_message", {"id": "a"})
        await handle.signal("upgrade", {"digest": "newest"})
        refused = (await handle.query("record"))["refused"]
        assert [(entry["signal"], entry["code"]) for entry in refused] == [
            ("takeover", "malformed"),
            ("take_over", "unknown_name"),
            ("agent_message", "malformed"),
            ("upgrade", "malformed"),
        ]
        assert (await handle.query("status"))["status"] == "ai_active"


async def test_the_session_shows_itself_in_search_attributes_details_and_handlers(stage, support, s1):
    from temporalio.api.sdk.v1 import WorkflowMetadata

    plan = support()
    async with stage.serving(plan):
        client = await stage.plain()
        await say(client, stage.queue, s1, {"id": "m1", "text": "a human please"})
        handle = client.get_workflow_handle(f"support:{s1}")
        described = await handle.describe()
        shown = {pair.key.name: pair.value for pair in described.typed_search_attributes}
        assert shown["InterlockSpec"] == "support"
        assert shown["InterlockDigest"] == plan.digest
        assert shown["InterlockStatus"] == "human_active"
        metadata = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
        assert "human_active" in metadata.current_details
        assert metadata.definition.type == "support"
        assert "message" in [update.name for update in metadata.definition.update_definitions]
        assert {"status", "outbox", "record", "transcript", "plan"} <= {
            query.name for query in metadata.definition.query_definitions
        }


async def test_a_cancelled_session_answers_what_it_has_taken_and_takes_no_more(stage, support, s1):
    held = Held()
    async with stage.serving(support(), functions={"track": held.track}):
        client = await stage.plain()
        turn = asyncio.create_task(say(client, stage.queue, s1, {"id": "m1", "text": "track T1234"}))
        await held.called.wait()
        handle = client.get_workflow_handle(f"support:{s1}")
        await handle.cancel()
        await handle.query("status")  # the run has heard of it, which no message may overtake
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("message", {"id": "m2", "text": "x"})
        assert refused.value.cause.type == "cancelled"
        held.go_on.set()
        assert (await turn)["outcome"] == "answer"
        with pytest.raises(WorkflowFailureError) as ended:
            await handle.result()
        assert isinstance(ended.value.cause, CancelledError)


async def test_a_reply_over_the_cap_is_a_typed_error_and_the_session_goes_on(stage, support, s1, failed_tasks):
    async def endless(number):
        return {"number": number, "pad": "x" * 200_000}

    slot = {"number": Slot(at="a.yaml:1:1", kind="patterns", patterns=(r"\bT\d{4}\b",), many=True)}
    track = CallStep(at="a.yaml:1:1", id="track", action="call", tool="track", expand=("number",))
    answer = RespondStep(at="a.yaml:1:1", id="answer", action="respond", response="raw")
    plan = support()
    plan = plan.model_copy(update={"slots": slot, "flows": plan.flows | {"tracking": (track, answer)}})
    async with stage.serving(plan, functions={"track": endless}):
        client = await stage.plain()
        text = "track " + " ".join(f"T{1000 + one}" for one in range(8))
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await say(client, stage.queue, s1, {"id": "m1", "text": text})
        assert refused.value.cause.type == "reply_too_large"
        assert (await say(client, stage.queue, s1, {"id": "m2", "text": "hello"}))["text"] == "echo hello"
        assert await failed_tasks(client.get_workflow_handle(f"support:{s1}")) == []
