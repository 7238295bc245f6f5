"""The workflow's time, and what an activity gets beyond its own."""

from temporalio import workflow

GRACE_MS = 1_000
"""What an activity gets beyond its own time-out, so that it can say itself that time is up."""


def now_ms() -> int:
    """The workflow's time, the same at every replay."""
    return workflow.time_ns() // 1_000_000
