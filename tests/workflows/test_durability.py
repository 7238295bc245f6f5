"""What must survive: continue-as-new under traffic, killed workers, a killed server, new plans, replays of old histories."""

import asyncio
import http.server
import random
import threading
import time

import pytest
from temporalio.worker import Worker

from interlock.cli.server import EmbeddedServer
from interlock.client import connect
from interlock.client.errors import RejectedError
from interlock_activities.registry import Activities
from interlock_activities.settings import Settings
from interlock_workflows.plugin import interlock_plugin
from tests.workflows.runs import replayed, until

pytestmark = pytest.mark.server


@pytest.fixture
def tracking_server():
    """A tool server that counts its calls and can be made to hold an answer back."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.calls.append(self.path)
            self.server.called.set()
            if self.server.pauses:
                time.sleep(self.server.pauses.pop())
            content = b'{"number": "%s", "place": "Hamburg"}' % self.path.rsplit("/", 1)[-1].encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    tool_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tool_server.daemon_threads = True
    tool_server.calls, tool_server.called, tool_server.pauses = [], threading.Event(), []
    threading.Thread(target=tool_server.serve_forever, daemon=True).start()
    yield tool_server
    tool_server.shutdown()
    tool_server.server_close()


async def test_continue_as_new_every_few_turns_loses_nothing_and_answers_nothing_twice(
    support, user, stage_at, tmp_path, s1
):
    settings = {"limit.historyCount.suggestContinueAsNew": "40"}
    async with EmbeddedServer(database=tmp_path / "t.db", settings=settings) as server:
        stage = stage_at(server.address)
        async with stage.serving(support()):
            talk = await stage.talk()

            async def caller(name):
                replies = []
                for number in range(20):
                    text = f"track T1{number:03}" if number % 5 == 0 else f"{name}-{number}"
                    replies.append(await talk.send("support", s1, text, user=user, id=f"{name}-{number}"))
                return replies

            by_caller = await asyncio.gather(caller("a"), caller("b"), caller("c"))
            turns = [reply["turn"] for replies in by_caller for reply in replies]
            assert sorted(turns) == list(range(1, 61))
            for replies in by_caller:
                assert [reply["turn"] for reply in replies] == sorted(reply["turn"] for reply in replies)
            runs = [run async for run in talk.client.list_workflows(f"WorkflowId = 'support:{s1}'")]
            assert len(runs) >= 5
            assert len({reply["record_id"].split("/")[0] for replies in by_caller for reply in replies}) == 1
            first = by_caller[0][0]
            assert await talk.send("support", s1, "track T1000", user=user, id="a-0") == first
            assert (await talk.send("support", s1, "other", user=user, id="a-1"))["outcome"] == "conflict"


async def test_a_session_that_is_continuing_as_new_can_be_asked_all_the_while(support, user, stage_at, tmp_path, s1):
    settings = {"limit.historyCount.suggestContinueAsNew": "20"}
    async with EmbeddedServer(database=tmp_path / "t.db", settings=settings) as server:
        stage = stage_at(server.address)
        async with stage.serving(support()):
            talk = await stage.talk()
            for number in range(1, 31):
                await talk.send("support", s1, f"x{number}", user=user)
                asked = talk.status("support", s1), talk.record("support", s1, number), talk.plan("support", s1)
                status, record, plan = await asyncio.gather(*asked)
                assert (status["turn"], record["turn"], plan["spec"]) == (number, number, "support")


async def test_a_run_continues_as_new_after_200_turns(stage, support, user, s1):
    async with stage.serving(support()):
        talk = await stage.talk()
        await talk.send("support", s1, "hello", user=user)
        first = (await talk.client.get_workflow_handle(f"support:{s1}").describe()).run_id
        await talk.takeover("support", s1, by="ann")
        for _ in range(20):
            await asyncio.gather(*(talk.send("support", s1, "x", user=user) for _ in range(10)))
        status = await talk.status("support", s1)
        assert status["status"] == "human_active"
        assert status["run"] == first
        assert (await talk.client.get_workflow_handle(f"support:{s1}").describe()).run_id != first
        assert status["previous_run"] == first
        assert (await talk.record("support", s1, 1))["message"]["text"] == "hello"
        for turn in (2, 57, 140, status["turn"]):
            assert (await talk.record("support", s1, turn))["turn"] == turn
        assert await talk.record("support", s1, status["turn"] + 1) is None


async def test_a_dead_workers_task_is_given_to_another_after_five_seconds_in_every_run(
    support, user, stage_at, tmp_path
):
    settings = {"limit.historyCount.suggestContinueAsNew": "10"}
    async with EmbeddedServer(database=tmp_path / "t.db", settings=settings) as server:
        stage = stage_at(server.address)
        async with stage.serving(support()):
            talk = await stage.talk()
            await talk.answer_once("support", "x", user=user, id="m1")
            await talk.open("support", "opened", user=user)
            for number in range(4):
                await talk.send("support", "sent", str(number), user=user)
            client = await connect(server.address)
            runs = await until(lambda: listed(client), lambda runs: len(runs) >= 4)
            started = {run.run_id: await first_event(client, run) for run in runs}
    assert sum(bool(one.continued_execution_run_id) for one in started.values()) >= 1
    assert {one.workflow_task_timeout.ToTimedelta().total_seconds() for one in started.values()} == {5}


async def listed(client):
    return [run async for run in client.list_workflows("WorkflowType = 'support'")]


async def first_event(client, run):
    handle = client.get_workflow_handle(run.id, run_id=run.run_id)
    async for event in handle.fetch_history_events():
        return event.workflow_execution_started_event_attributes
    raise AssertionError("a history without events")


async def test_a_worker_killed_in_the_middle_of_a_turn_is_replaced_and_the_turn_goes_on(
    stage, support, user, tracking_server, tmp_path, s1
):
    plan = support(http=f"http://127.0.0.1:{tracking_server.server_port}")
    (tmp_path / "plans").write_text(plan.canonical())
    tracking_server.pauses = [30]
    talk = await stage.talk()
    async with stage.process(tmp_path / "plans") as worker:
        turn = asyncio.create_task(talk.send("support", s1, "track T1234", user=user))
        await asyncio.to_thread(tracking_server.called.wait, 20)
        worker.kill()
        async with stage.serving(plan):
            reply = await turn
    assert (reply["outcome"], reply["turn"]) == ("answer", 1)
    assert "T1234" in reply["text"]
    assert tracking_server.calls == ["/track/T1234", "/track/T1234"]


async def test_a_worker_that_is_asked_to_stop_finishes_its_calls_first(
    stage, support, user, tracking_server, tmp_path, s1
):
    plan = support(http=f"http://127.0.0.1:{tracking_server.server_port}")
    (tmp_path / "plans").write_text(plan.canonical())
    tracking_server.pauses = [0.5]
    talk = await stage.talk()
    async with stage.process(tmp_path / "plans") as worker:
        turn = asyncio.create_task(talk.send("support", s1, "track T1234", user=user))
        await asyncio.to_thread(tracking_server.called.wait, 20)
        worker.terminate()
        assert await asyncio.to_thread(worker.wait, 15) == 0
    async with stage.serving(plan):
        assert (await turn)["outcome"] == "answer"
    assert tracking_server.calls == ["/track/T1234"]


async def test_a_killed_server_goes_on_from_its_file(support, user, stage_at, tmp_path, s1):
    server = EmbeddedServer(database=tmp_path / "t.db")
    await server.start()
    try:
        stage = stage_at(server.address)
        async with stage.serving(support()):
            talk = await stage.talk()
            first = await talk.send("support", s1, "hello", user=user, id="m1")
            server.kill()
            later = asyncio.create_task(talk.send("support", s1, "still here?", user=user, id="m2"))
            await server.start()
            assert (await later)["turn"] == 2
            assert await talk.send("support", s1, "hello", user=user, id="m1") == first
    finally:
        await server.stop()


async def test_an_open_session_keeps_its_plan_until_it_is_offered_another(stage, support, user, s1, s2, s3):
    from interlock.client.upgrades import offer_plans

    old, new = support(says="old"), support(says="new")
    talk = await stage.talk()
    async with stage.serving(old):
        assert (await talk.send("support", s1, "x", user=user))["text"] == "old x"
        assert (await talk.send("support", s2, "track it", user=user))["outcome"] == "ask"
    async with stage.serving(new):
        assert (await talk.send("support", s1, "x", user=user))["text"] == "old x"
        assert (await talk.send("support", s3, "x", user=user))["text"] == "new x"
        # a new run is visible to queries a moment later
        await until(lambda: offer_plans(talk.client, {"support": new.digest}), lambda offered: offered >= 2)
        assert (await talk.send("support", s1, "x", user=user))["text"] == "new x"
        assert (await talk.plan("support", s1))["digest"] == new.digest
        assert (await talk.send("support", s2, "T1234", user=user))["outcome"] == "answer"
        assert (await talk.plan("support", s2))["digest"] == old.digest
        assert (await talk.send("support", s2, "x", user=user))["text"] == "new x"


async def test_a_session_that_never_upgrades_ignores_the_offer(stage, support, user, s1):
    from interlock.plan.plan import Session

    old, new = support(says="old", session=Session(upgrade="never")), support(says="new")
    talk = await stage.talk()
    async with stage.serving(old):
        await talk.send("support", s1, "x", user=user)
    async with stage.serving(new):
        await talk.client.get_workflow_handle(f"support:{s1}").signal("upgrade", {"digest": new.digest})
        assert (await talk.send("support", s1, "x", user=user))["text"] == "old x"


async def test_an_offer_of_a_plan_that_nobody_has_or_of_another_spec_changes_nothing(stage, support, user, s1):
    plan, other = support(), support(name="sales")
    talk = await stage.talk()
    async with stage.serving(plan, other):
        await talk.send("support", s1, "x", user=user)
        handle = talk.client.get_workflow_handle(f"support:{s1}")
        await handle.signal("upgrade", {"digest": "0" * 64})
        assert (await talk.send("support", s1, "x", user=user))["text"] == "echo x"
        await handle.signal("upgrade", {"digest": other.digest})
        assert (await talk.send("support", s1, "x", user=user))["text"] == "echo x"
        assert (await talk.plan("support", s1))["digest"] == plan.digest
        assert [entry["code"] for entry in (await talk.record("support", s1))["refused"]] == ["wrong-spec"]


async def test_a_plan_too_large_for_a_history_is_read_from_the_store(stage, support, user, tmp_path, s1):
    async with stage.serving(support(config=_large(7)), store=tmp_path / "plans"):
        talk = await stage.talk()
        assert (await talk.send("support", s1, "x", user=user))["text"] == "echo x"
        history = await talk.client.get_workflow_handle(f"support:{s1}").fetch_history()
        assert len(history.to_json()) < 50_000


def _large(seed):
    """A config that no compression gets below the cap of a payload."""
    dice = random.Random(seed)
    return {f"c{n}": "".join(dice.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=64)) for n in range(9_000)}


@pytest.mark.parametrize("stored", [False, True])
async def test_a_plan_too_large_that_cannot_be_read_is_told_to_who_begins(
    stage, support, user, tmp_path, failed_tasks, s1, s2, stored
):
    plan = support(config=_large(8 + stored))
    settings = Settings(plans=[plan], store=tmp_path / "plans" if stored else None)
    activities = Activities(settings)
    client = await connect(stage.address, plugins=[interlock_plugin(activities.callables)])  # which reads from no store
    async with Worker(client, task_queue=stage.queue):
        talk = await stage.talk()
        for attempt in (
            talk.send("support", s1, "x", user=user, timeout=10),
            talk.open("support", s2, user=user, timeout=10),
            talk.answer_once("support", "x", user=user, timeout=10),
        ):
            with pytest.raises(RejectedError, match="plan") as refused:
                await attempt
            assert refused.value.kind == "plan_unreadable"
        assert await failed_tasks(talk.client.get_workflow_handle(f"support:{s1}")) == []
    await activities.aclose()
    async with stage.serving(plan, store=tmp_path / "mended"):
        assert (await talk.send("support", s1, "x", user=user))["text"] == "echo x"


async def test_recorded_histories_replay(stage, support, user, tmp_path, s1):
    talk = await stage.talk()
    async with stage.serving(support()):
        for number, text in enumerate(["hello", "track it", "T1234", "a human", "x"]):
            await talk.send("support", s1, text, user=user, id=f"m{number}")
        await talk.release("support", s1)
        await talk.client.get_workflow_handle(f"support:{s1}").signal("nonsense", b"\x00")
        await talk.close("support", s1)
        await talk.answer_once("support", "track T9876", user=user, id=stage.queue)
        handles = [talk.client.get_workflow_handle(name) for name in (f"support:{s1}", f"support:once:{stage.queue}")]
        histories = [await handle.fetch_history() for handle in handles]
    await replayed(*histories)


async def test_sessions_survive_being_thrown_out_of_memory_at_every_turn(stage, support, user, failed_tasks, s1):
    talk = await stage.talk()
    async with stage.serving(support(), max_cached_workflows=2, max_concurrent_workflow_tasks=2):
        for turn in range(1, 4):
            sends = [talk.send("support", f"{s1}{one}", f"track T100{one}", user=user) for one in range(5)]
            replies = await asyncio.gather(*sends)
            assert [reply["turn"] for reply in replies] == [turn] * 5
        for one in range(5):
            assert await failed_tasks(talk.client.get_workflow_handle(f"support:{s1}{one}")) == []
