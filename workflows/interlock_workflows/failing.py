"""What is known of an activity that has failed: the details that it gave itself, and how often it was tried."""

from typing import Any

from temporalio import exceptions, workflow
from temporalio.exceptions import ActivityError, ApplicationError, RetryState

from interlock.contract import calls
from interlock.contract.calls import FailureDetails


def details_of(cause: BaseException | None) -> list[Any]:
    """The details that a failure carries, as plain JSON."""
    raw = cause.details if isinstance(cause, ApplicationError) else ()
    converter = workflow.payload_converter()
    return [converter.from_payload(one.payload, Any) for one in raw]


def words_of(cause: BaseException | None) -> str:
    """Why an activity has failed, in words that others may read."""
    if isinstance(cause, exceptions.TimeoutError):
        return "no answer in time"
    return cause.message if isinstance(cause, ApplicationError) else str(cause)


def known_of(failure: ActivityError, most: int) -> FailureDetails:
    """What is known of the last of at most so many attempts; one that was lost with its worker tells nothing."""
    cause = failure.cause
    timed_out = isinstance(cause, exceptions.TimeoutError) or (
        isinstance(cause, ApplicationError) and cause.type == calls.TOOL_TIMEOUT
    )
    return calls.details_of(details_of(cause), "timeout" if timed_out else "error", attempts=_attempts(failure, most))


def _attempts(failure: ActivityError, most: int) -> int:
    """How often it was tried at least: all attempts, those that the failure before the last one tells of, or one."""
    if failure.retry_state is RetryState.MAXIMUM_ATTEMPTS_REACHED:
        return most
    before = failure.cause.cause if isinstance(failure.cause, exceptions.TimeoutError) else None
    return calls.details_of(details_of(before), "error").attempts
