"""A loop of two calls for each item as somebody writes it on the Temporal SDK, and the tools that both sides call."""

from dataclasses import dataclass, field
from datetime import timedelta
from time import perf_counter

from temporalio import activity, workflow
from temporalio.common import RetryPolicy


@dataclass
class Clock:
    """The tools, which note when they are called."""

    times: list[float] = field(default_factory=list)

    async def find(self, name: str) -> dict[str, str]:
        """Nothing but the name."""
        self.times.append(perf_counter())
        return {"name": name}

    async def book(self, name: str, reference: str) -> dict[str, str]:
        """As booked."""
        assert reference
        return {"booked": name}

    @activity.defn(name="find_by_hand")
    async def find_by_hand(self, name: str) -> dict[str, str]:
        """The same as an activity."""
        return await self.find(name)

    @activity.defn(name="book_by_hand")
    async def book_by_hand(self, name: str, reference: str) -> dict[str, str]:
        """The same as an activity."""
        return await self.book(name, reference)


@workflow.defn(name="items-by-hand")
class ItemsByHand:
    """The same work: a loop of two activities, continued as new when Temporal suggests it."""

    @workflow.run
    async def run(self, names: list[str], first: int) -> int:
        """Every item from `first` on."""
        policy, longest = RetryPolicy(maximum_attempts=3), timedelta(seconds=30)
        for at in range(first, len(names)):
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(args=[names, at])
            found = await workflow.execute_activity(
                Clock.find_by_hand, names[at], start_to_close_timeout=longest, retry_policy=policy
            )
            reference = f"{workflow.info().first_execution_run_id}:{at}"
            booked = await workflow.execute_activity(
                Clock.book_by_hand, args=[found["name"], reference], start_to_close_timeout=longest, retry_policy=policy
            )
            assert booked["booked"] == names[at]
        return len(names)
