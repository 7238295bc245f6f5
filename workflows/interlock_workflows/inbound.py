"""What callers send to a run, read by hand from raw payloads, and the typed errors that answer what is wrong."""

from collections.abc import Sequence
from typing import Any

from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

from interlock.contract import messages
from interlock.contract.messages import Malformed
from interlock.interpreter.machine import InvalidMessage

MALFORMED = "malformed"
DRAINING = "draining"
UNKNOWN_NAME = "unknown_name"
SINGLE_MESSAGE = "single_message"
INVALID_MESSAGE = "invalid_message"
TOO_LARGE = "reply_too_large"
CANCELLED = "cancelled"
WRONG_KIND = "wrong_kind"
INTERNAL = "internal_error"

DIGEST_LENGTH = 64


def body(payloads: Sequence[RawValue]) -> Any:
    """The one JSON value that was sent; raises `Malformed`."""
    return messages.body_of([(_encoding(one), one.payload.data) for one in payloads])


def number(payloads: Sequence[RawValue]) -> int | None:
    """The one optional whole number of a query."""
    value = body(payloads)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise Malformed("wrong-type", "a whole number is expected, or nothing")


def digest(payloads: Sequence[RawValue]) -> str:
    """The digest in the body of `upgrade`."""
    value = body(payloads)
    named = value.get("digest") if isinstance(value, dict) else None
    if not isinstance(named, str) or len(named) != DIGEST_LENGTH or set(named) - set("0123456789abcdef"):
        raise Malformed("wrong-type", f"an object with a 'digest' of {DIGEST_LENGTH} hex digits is expected")
    return named


def refusal(kind: str, message: str, *details: Any) -> ApplicationError:
    """An error for the caller alone: it fails the update, never the run's task."""
    return ApplicationError(message, *details, type=kind, non_retryable=True)


def malformed(problem: Malformed) -> ApplicationError:
    """The refusal of a body that is not in the contract."""
    return refusal(MALFORMED, str(problem), problem.as_json())


def invalid(problem: InvalidMessage) -> ApplicationError:
    """The refusal of a message or user that does not fit the agent."""
    return refusal(INVALID_MESSAGE, str(problem), {"code": problem.code, "message": problem.message})


def _encoding(value: RawValue) -> str:
    return value.payload.metadata.get("encoding", b"").decode("ascii", "replace")
