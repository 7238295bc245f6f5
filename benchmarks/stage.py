"""A real Temporal server with two workers of their own processes, ours and the one by hand, and a caller of both."""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WithStartWorkflowOperation, WorkflowUpdateFailedError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError

from benchmarks.rival_workflow import ByHand, Carried
from interlock.cli.server import EmbeddedServer, free_port
from interlock.client import Interlock, connect

ROOT = Path(__file__).parents[1]
HOURS = "Hello, when are you open on Fridays?"
LOOKUP = "Hello, where is QAE12345678 now?"
SAYS = {HOURS: "We are open from 9 to 5.", LOOKUP: "Hamburg"}

PATIENCE = 120.0
"""Seconds for the first message, which waits until the worker has started."""

Send = Callable[[str, str], Awaitable[str]]
"""Session and text to the text of the reply."""


@dataclass
class Side:
    """One contender: how to send, the process of its worker, and the workflow id of a session."""

    send: Send
    worker: subprocess.Popen[bytes]
    workflow_id: Callable[[str], str]

    async def timed(self, session: str, text: str) -> float:
        """The seconds that one message takes, its reply looked at."""
        started = perf_counter()
        reply = await self.send(session, text)
        taken = perf_counter() - started
        assert SAYS[text] in reply, reply
        return taken


@dataclass
class Stage:
    """Both sides on one server."""

    client: Client
    sides: dict[str, Side]

    async def events(self, workflow_id: str) -> list[str]:
        """The types of the events in the history of a workflow's newest run."""
        handle = self.client.get_workflow_handle(workflow_id)
        return [EventType.Name(event.event_type) async for event in handle.fetch_history_events()]


@contextlib.asynccontextmanager
async def set_up() -> AsyncIterator[Stage]:
    """Everything started, answering, and stopped again."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    async with EmbeddedServer() as server:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_process("service", str(port)))
            queues = {role: f"{role}-{uuid.uuid4().hex}" for role in ("ours", "by-hand")}
            workers = {
                role: stack.enter_context(_process(role, server.address, queue, base)) for role, queue in queues.items()
            }
            plain = await Client.connect(server.address)
            ours = Interlock(await connect(server.address), task_queue=queues["ours"])
            yield Stage(
                plain,
                {
                    "ours": Side(_ours(ours), workers["ours"], lambda session: f"desk:{session}"),
                    "by hand": Side(
                        _by_hand(plain, queues["by-hand"], base), workers["by-hand"], lambda session: f"hand:{session}"
                    ),
                },
            )


@contextlib.contextmanager
def _process(*arguments: str) -> Any:
    command = [sys.executable, "-m", "benchmarks.serving", *arguments]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, env=_environment())
        try:
            yield process
        except BaseException:
            log.seek(0)
            print(log.read().decode(errors="replace")[-2_000:], file=sys.stderr)
            raise
        finally:
            process.terminate()
            process.wait()


def _environment() -> dict[str, str]:
    """Without the setting that keeps compiled modules from being kept: every new session loads some."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _ours(client: Interlock) -> Send:
    async def send(session: str, text: str) -> str:
        reply = await client.send("desk", session, text, user={"id": "u1"}, timeout=PATIENCE)
        said: str = reply["text"]
        return said

    return send


def _by_hand(client: Client, queue: str, base: str) -> Send:
    async def send(session: str, text: str) -> str:
        message = {"id": uuid.uuid4().hex, "text": text}
        while True:  # a run that is being left refuses; the next one answers
            operation = WithStartWorkflowOperation(
                ByHand.run,
                Carried(base),
                id=f"hand:{session}",
                task_queue=queue,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            )
            try:
                reply = await client.execute_update_with_start_workflow(
                    ByHand.message, message, id=message["id"], start_workflow_operation=operation
                )
            except (WorkflowUpdateFailedError, RPCError):
                with contextlib.suppress(Exception):
                    await operation.workflow_handle()
                await asyncio.sleep(0.05)
            else:
                said: str = reply["text"]
                return said

    return send
