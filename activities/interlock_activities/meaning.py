"""What an answer means for Temporal: final, or a failure that another attempt may mend."""

import functools
import json
from dataclasses import dataclass
from typing import Any

from interlock.contract.calls import ToolRequest
from interlock.interpreter.outcomes import Meaning, Rules, classify, may_have_acted, rules_of
from interlock.plan.tools import Outcome, Retry, Tool
from interlock_activities.failures import Failure

_RETRIED = frozenset({408, 409, 425, 429})


@dataclass(frozen=True, slots=True)
class Received:
    """An answer that can be read, and the pause it asks for before another attempt."""

    status: int
    payload: Any
    retry_after_ms: int | None = None


def retried(status: int) -> bool:
    """Whether the status alone says that the same request may succeed later; other 4xx are final."""
    return status in _RETRIED or status >= 500


def final(request: ToolRequest, received: Received) -> Meaning:
    """The outcome of an answer that is final; raises Failure for one that the retry policy is about.

    Final are successes and blocks, however declared, and every 4xx that would come again.
    """
    status = received.status
    tool, rules = _compiled(json.dumps(request.outcomes))
    meaning = classify(tool, status, received.payload, rules)
    said_so = bool(meaning.at)
    if meaning.outcome in ("success", "blocked") or not (retried(status) or (said_so and status < 400)):
        return meaning.outcome
    why = f"status {status}" + (f", which `outcomes` call {meaning.outcome}" if said_so else "")
    raise Failure(
        "timeout" if meaning.outcome == "timeout" else "error",
        why,
        retryable=True,
        status=status,
        payload=received.payload,
        retry_after_ms=received.retry_after_ms,
        sent=may_have_acted(meaning, status),
    )


@functools.lru_cache(maxsize=1_000)
def _compiled(outcomes: str) -> tuple[Tool, Rules]:
    """A tool of the request's outcomes alone, compiled once for all its calls."""
    declared = tuple(Outcome.model_validate(rule) for rule in json.loads(outcomes))
    tool = Tool(at="-", transport="http", effect="read", outcomes=declared, retry=Retry(attempts=1), timeout_ms=1)
    return tool, rules_of(tool)
