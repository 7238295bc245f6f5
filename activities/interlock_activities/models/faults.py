"""What services say instead of an answer, as failures: by status and a word of theirs, never by their text."""

from typing import Any, Final

from interlock.contract import strict_json
from interlock.contract.calls import Json
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.failures import Failure, failed
from interlock_activities.http_client import Answer
from interlock_activities.meaning import retried
from interlock_activities.models import reading
from interlock_activities.models.chat import Rung, Unsupported
from interlock_activities.retry_after import retry_after_ms

_TIMEOUTS: Final = frozenset({408, 504})
_NOT_KNOWN: Final = frozenset({400, 404, 422})

_FINAL: Final = frozenset(
    {"invalid_request_error", "authentication_error", "permission_error", "not_found_error", "request_too_large"}
    | {"billing_error", "invalid_api_key", "insufficient_quota", "context_length_exceeded", "model_not_found"}
)
"""Words for what would come again."""

_ABOUT: Final[dict[Rung, tuple[bytes, ...]]] = {
    "schema": (b"response_format", b"output_config", b"output_format", b"output format", b"schema", b"structured"),
    "tool": (b"tool", b"function"),
    "json": (b"response_format", b"json_object", b"json mode"),
}
"""What is named, in the body of a refusal, by those that do not know a way of asking for an object."""

_ABOUT_ANY: Final = (b"requested parameters", b"grammar", b"guided")


def told_midway(error: Json) -> Failure:
    """A fault that a service tells of in the middle of its answer."""
    return failed(f"the service broke off{_told(error)}", retryable=_word(error) not in _FINAL)


def refused(answer: Answer, rung: Rung) -> Failure:
    """What an answer means that is no success."""
    message = f"status {answer.status}{_told(_error(answer.body))}"
    if rung and answer.status in _NOT_KNOWN and _is_about(answer.body.lower(), rung):
        return Unsupported("error", message, retryable=False, status=answer.status)
    again = retried(answer.status)
    return Failure(
        "timeout" if answer.status in _TIMEOUTS else "error",
        message,
        retryable=again,
        status=answer.status,
        retry_after_ms=retry_after_ms(answer.headers) if again else None,
    )


def _is_about(body: bytes, rung: Rung) -> bool:
    return any(word in body for word in (*_ABOUT.get(rung, ()), *_ABOUT_ANY))


def _error(body: bytes) -> Json:
    try:
        payload: Any = strict_json.loads(body, len(body))
    except NotStrictJsonError:
        return {}  # the status says enough
    return reading.member(payload, "error")


def _word(error: Json) -> str:
    """Their code, or at least the kind of the fault."""
    return reading.code(error.get("code")) or reading.code(error.get("type"))


def _told(error: Json) -> str:
    """What may be told of a fault: its code, and the key of the request that it is about."""
    words = [word for word in (_word(error), reading.code(error.get("param"))) if word]
    return f" ({', '.join(words)})" if words else ""
