"""The HTTP transport: sends a tool's request and reads its answer as strict JSON."""

from typing import Any

from interlock.contract import strict_json
from interlock.contract.calls import ToolRequest
from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.failures import Failure, failed, repeated
from interlock_activities.heavy import aside
from interlock_activities.http_client import Answer, HttpClient
from interlock_activities.http_request import Outgoing, outgoing
from interlock_activities.meaning import Received, retried
from interlock_activities.references import References
from interlock_activities.repeating import texts_of
from interlock_activities.retry_after import retry_after_ms

_EXCERPT = 80


class HttpTransport:
    """Calls HTTP services as they are."""

    def __init__(self, client: HttpClient, references: References) -> None:
        self._client = client
        self._references = references

    async def __call__(self, request: ToolRequest) -> Received:
        """What came back; raises Failure where nothing did that can be read."""
        large = any(one.get("stored") for one in request.arguments)
        sending = await aside(large, outgoing, request, self._references)
        try:
            answer = await self._client.send(sending)
            return await aside(len(answer.body) > INLINE_LIMIT, _received, answer, sending)
        except Failure as failure:
            raise failure.redacted(sending.secrets) from None


def _received(answer: Answer, sending: Outgoing) -> Received:
    status = answer.status
    if not (200 <= status < 300 or status >= 400):
        raise failed(f"status {status}, which is no answer", retryable=False, status=status)
    if sending.repeated_in(answer.body.decode(errors="replace")):
        raise repeated(status, retryable=retried(status))
    try:
        payload = _payload(answer)
    except NotStrictJsonError as problem:
        if status < 300:
            raise failed(f"status {status}: {problem}", status=status) from None
        payload = None  # the status says enough
    if any(map(sending.repeated_in, texts_of(payload))):  # written with escapes
        raise repeated(status, retryable=retried(status))
    return Received(status, payload, retry_after_ms(answer.headers) if retried(status) else None)


def _payload(answer: Answer) -> Any:
    if not answer.body.strip():
        return None
    if not answer.is_json:
        kind = strict_json.shown(answer.headers["content-type"])
        raise NotStrictJsonError("wrong-content-type", f"{kind!r} is not JSON in UTF-8: {_excerpt(answer.body)!r}")
    return strict_json.loads(answer.body, len(answer.body))


def _excerpt(body: bytes) -> str:
    start = body[:_EXCERPT].decode(errors="replace")
    return "".join(c if c.isprintable() else " " for c in start)
