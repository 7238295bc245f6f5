"""How a call fails, before Temporal is told: one exception for all transports, and its form as an ApplicationError."""

import re
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from temporalio.exceptions import ApplicationError

from interlock.contract import strict_json
from interlock.contract.calls import RULES, FailureDetails
from interlock.contract.limits import DETAILS_LIMIT, RETRY_AFTER_LIMIT_MS
from interlock.interpreter.outcomes import refused

REDACTED = "[secret]"

Kind: TypeAlias = Literal["timeout", "error", "misconfigured"]


@dataclass(eq=False)
class Failure(Exception):  # noqa: N818 - a value that is raised, not an error class among others
    """A call that ended without a final answer. `message` is safe to show: no argument, no body, no secret.

    `sent` is false only where the request cannot have changed anything: it never left, all of it was rolled back, or
    the service has refused it. `tried` is false where it was refused here, before the service was turned to.
    """

    kind: Kind
    message: str
    retryable: bool
    status: int | None = None
    payload: Any = None
    retry_after_ms: int | None = None
    sent: bool = True
    tried: bool = True

    def __str__(self) -> str:
        return self.message

    def redacted(self, secrets: Iterable[str]) -> "Failure":
        """The same failure with every secret in its message blotted out."""
        return replace(self, message=without(secrets, self.message))


def without(secrets: Iterable[str], text: str) -> str:
    """`text` with every secret blotted out."""
    for secret in secrets:
        text = re.sub(re.escape(secret), REDACTED, text, flags=re.IGNORECASE)
    return text


def repeated(status: int, *, retryable: bool = False) -> Failure:
    """An answer that holds a credential of its own request: none of it may reach a history or log."""
    return failed(f"status {status}: the answer repeats a credential of the server", retryable=retryable, status=status)


def failed(
    message: str, *, retryable: bool = True, status: int | None = None, sent: bool = True, tried: bool = True
) -> Failure:
    """No answer, or none that can be read."""
    return Failure("error", message, retryable, status, sent=sent and not refused(status), tried=tried)


def tls_reason(problem: BaseException | None) -> str:
    """What TLS has against a server to which there is no connection, after a colon; empty if it is nothing of TLS."""
    while problem is not None:
        if isinstance(problem, ssl.SSLCertVerificationError):
            return f": its certificate is refused ({problem.verify_message})"
        if isinstance(problem, ssl.SSLError):
            return ": no TLS"
        problem = problem.__cause__ or problem.__context__
    return ""


def timed_out(timeout_ms: int, *, sent: bool = True) -> Failure:
    """The deadline of the whole call passed."""
    return Failure("timeout", f"no whole answer within {timeout_ms:,} ms", retryable=True, sent=sent)


def misconfigured(message: str, *, tried: bool = False) -> Failure:
    """A mistake of the spec, the worker's settings or the engine: trying again cannot help."""
    return Failure("misconfigured", message, retryable=False, sent=False, tried=tried)


def as_application_error(
    failure: Failure, who: str, types: Mapping[Kind, str], attempts: int, elapsed_ms: int
) -> ApplicationError:
    """The failure of `who` as Temporal gets it, `types` by kind.

    Raise it `from None`, since causes and their texts would enter the history.
    """
    details = FailureDetails(
        ending="timeout" if failure.kind == "timeout" else "error",
        status=failure.status,
        payload=_small(failure.payload),
        attempts=attempts,
        elapsed_ms=elapsed_ms,
        sent=failure.sent,
        rules=RULES,
    )
    pause = failure.retry_after_ms
    return ApplicationError(
        f"{who}: {failure.message}",
        asdict(details),
        type=types[failure.kind],
        non_retryable=not failure.retryable,
        next_retry_delay=None if pause is None else timedelta(milliseconds=min(pause, RETRY_AFTER_LIMIT_MS)),
    )


def _small(payload: Any) -> Any:
    return payload if payload is None or len(strict_json.dumps(payload)) <= DETAILS_LIMIT else None
