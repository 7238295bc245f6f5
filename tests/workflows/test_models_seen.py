"""What a model is writing is seen by any client that describes the run, while the model writes."""

import asyncio
import uuid
from datetime import timedelta

import pytest
from temporalio import workflow
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from interlock.client import connect
from interlock.contract.models import GENERATE, ModelAnswer, ModelRequest
from interlock_activities import Activities, Settings
from interlock_activities.models.chat import Completion
from interlock_workflows.service import TELLING

pytestmark = pytest.mark.server

WORDS = [f"word{number} " for number in range(30)]


class Writing:
    """A model that takes its time."""

    rungs = ("text",)

    async def chat(self, _chat, tokens):
        for word in WORDS:
            tokens(word)
            await asyncio.sleep(0.1)
        return Completion("".join(WORDS))


@workflow.defn(sandboxed=False)
class Asks:
    """Asks once."""

    @workflow.run
    async def run(self, request: ModelRequest) -> ModelAnswer:
        return await workflow.execute_activity(
            GENERATE,
            request,
            result_type=ModelAnswer,
            start_to_close_timeout=timedelta(seconds=20),
            heartbeat_timeout=timedelta(seconds=15),
        )


async def test_what_is_written_is_seen_by_describing_the_run(server):
    client = await connect(server.address)
    activities, queue = Activities(Settings(env={}, secrets={}, providers={"own": Writing()})), uuid.uuid4().hex
    request = ModelRequest(
        "w", "c", "r", "s", "own", "m", 10_000, 10_000, streamed=True, messages=[{"role": "user", "content": "x"}]
    )
    async with Worker(
        client,
        task_queue=queue,
        workflows=[Asks],
        activities=[activities.callables[2]],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_heartbeat_throttle_interval=TELLING,
    ):
        handle = await client.start_workflow("Asks", request, id=uuid.uuid4().hex, task_queue=queue)
        seen = []
        while (described := await handle.describe()).status.name == "RUNNING":
            for pending in described.raw_description.pending_activities:
                seen += await client.data_converter.decode(pending.heartbeat_details.payloads)
            await asyncio.sleep(0.2)
        answer = ModelAnswer(**await handle.result())
    lengths = sorted({one["length"] for one in seen})
    assert len(lengths) >= 4, lengths
    assert all("".join(WORDS).startswith(one["text"]) for one in seen)
    assert answer.text == "".join(WORDS)
