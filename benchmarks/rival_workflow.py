"""The same conversation written by hand on the Temporal SDK: what our durable turns are measured against.

One workflow a session; a message is an update with start; one reply a message id; one message at a time; opening hours
by keyword, a number looked up by one activity over HTTP; a transcript; continue-as-new after as many turns as ours.
"""

import asyncio
import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    import httpx

TURNS_PER_RUN = 200
KEYWORDS = ("opening hours", "when are you open")
NUMBER = re.compile(r"\bQAE\d{8}\b")
REMEMBERED = 1_000
TRANSCRIPT = 20


@dataclass
class Lookup:
    """What the activity is asked."""

    base: str
    number: str


@dataclass
class Carried:
    """What outlives a run."""

    base: str
    turn: int = 0
    replies: dict[str, dict[str, Any]] = field(default_factory=dict)
    transcript: list[dict[str, Any]] = field(default_factory=list)


class Desk:
    """The activity, with one HTTP client for all calls."""

    def __init__(self) -> None:
        self._http = httpx.AsyncClient(timeout=5, trust_env=False)

    @activity.defn(name="look_up")
    async def look_up(self, lookup: Lookup) -> dict[str, Any]:
        """What the service says of a number."""
        response = await self._http.get(f"{lookup.base}/track/{lookup.number}")
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        if not (isinstance(answer, dict) and all(isinstance(answer.get(key), str) for key in ("number", "place"))):
            raise ApplicationError("the service's answer is not as agreed", non_retryable=True)
        return answer


@workflow.defn(name="desk-by-hand")
class ByHand:
    """One session."""

    @workflow.init
    def __init__(self, state: Carried) -> None:
        self._state = state
        self._turns = asyncio.Lock()
        self._taken = 0

    @workflow.run
    async def run(self, state: Carried) -> None:
        """Wait until the run is full, then go on in a new one."""
        await workflow.wait_condition(lambda: self._taken >= TURNS_PER_RUN)
        await workflow.wait_condition(workflow.all_handlers_finished)
        workflow.continue_as_new(state)

    @workflow.update
    async def message(self, message: dict[str, Any]) -> dict[str, Any]:
        """The reply to one message."""
        state = self._state
        async with self._turns:
            known = state.replies.get(message["id"])
            if known is not None:
                return known
            state.turn += 1
            reply = {"turn": state.turn, "text": await self._said(message["text"])}
            state.transcript += [{"role": "user", "text": message["text"]}, {"role": "assistant", **reply}]
            del state.transcript[:-TRANSCRIPT]
            state.replies[message["id"]] = reply
            if len(state.replies) > REMEMBERED:
                del state.replies[next(iter(state.replies))]
            self._taken += 1
        return reply

    @message.validator
    def check_message(self, message: dict[str, Any]) -> None:
        """Only a message with an id and a text is taken, and none while the run is being left."""
        if self._taken >= TURNS_PER_RUN:
            raise ApplicationError("the session continues in a new run", type="draining")
        if not isinstance(message.get("id"), str) or not isinstance(message.get("text"), str):
            raise ApplicationError("a message has an id and a text", type="malformed")

    async def _said(self, text: str) -> str:
        lowered = text.lower()
        if any(keyword in lowered for keyword in KEYWORDS):
            return "We are open from 9 to 5."
        found = NUMBER.search(text)
        if found is None:
            return "What is it about?"
        answer = await workflow.execute_activity(
            Desk.look_up,
            Lookup(self._state.base, found[0]),
            start_to_close_timeout=timedelta(seconds=5),
            retry_policy=RetryPolicy(maximum_attempts=3),
        )
        return f"{answer['number']} is in {answer['place']}"
