"""Turns of every kind as somebody writes them on the Temporal SDK: an update, and an activity for each thing asked."""

import asyncio
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.common import RetryPolicy

ASKED = {
    "gate": (),
    "reply": (),
    "call": ("look_up",),
    "rule": ("look_up",),
    "model": ("ask", "ask", "look_up"),
    "write": ("ask",),
    "search": ("search", "ask"),
}
"""By the first word of a message: the activities that its turn needs, one after another."""

LONGEST = timedelta(seconds=30)
POLICY = RetryPolicy(maximum_attempts=3)


@activity.defn(name="look_up")
async def look_up(text: str) -> str:
    """The service."""
    return text


@activity.defn(name="ask")
async def ask(text: str) -> str:
    """The model."""
    return text


@activity.defn(name="search")
async def search(text: str) -> str:
    """The documents."""
    return text


@workflow.defn(name="work-by-hand")
class WorkByHand:
    """A procedure of one step."""

    @workflow.run
    async def run(self, text: str) -> str:
        """Look it up."""
        return await workflow.execute_activity(look_up, text, start_to_close_timeout=LONGEST, retry_policy=POLICY)


@workflow.defn(name="turns-by-hand")
class TurnsByHand:
    """One session."""

    def __init__(self) -> None:
        self._later: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @workflow.run
    async def run(self) -> None:
        """Wait for messages."""
        await workflow.wait_condition(lambda: False)

    @workflow.update
    async def message(self, message: dict[str, str]) -> str:
        """The reply."""
        text = message["text"]
        kind = text.partition(" ")[0]
        if kind == "work":
            task = asyncio.create_task(self._work(message["id"], text))
            self._tasks.add(task)
            return "It is being seen to."
        for name in ASKED[kind]:
            text = await workflow.execute_activity(
                name, text, start_to_close_timeout=LONGEST, retry_policy=POLICY, result_type=str
            )
        return text

    @workflow.query
    def later(self) -> list[str]:
        """What was said later."""
        return self._later

    async def _work(self, name: str, text: str) -> None:
        child = f"{workflow.info().workflow_id}/{name}"
        self._later.append(await workflow.execute_child_workflow(WorkByHand.run, text, id=child))
