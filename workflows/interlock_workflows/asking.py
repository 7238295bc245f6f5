"""Questions to models and retrievers as activities: what is asked, for how long, how often, and how it ended."""

from dataclasses import asdict
from datetime import timedelta
from typing import TypeVar

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError

from interlock.contract import limits, strict_json
from interlock.contract.models import GENERATE, ModelAnswer, ModelRequest
from interlock.contract.retrieval import RETRIEVE, Passages, RetrieveRequest
from interlock.contract.strict_json import NotStrictJsonError
from interlock.interpreter.commands import Generate, Retrieve
from interlock.interpreter.events import Generated, Retrieved
from interlock.interpreter.models.roles import settings_of
from interlock.plan.plan import Plan
from interlock.plan.tools import Server
from interlock_workflows.clock import GRACE_MS, now_ms
from interlock_workflows.failing import known_of, words_of

T = TypeVar("T", ModelAnswer, Passages)

MODEL_MS = 60_000
"""The longest answer of a model whose role says nothing."""

RETRIEVAL_MS = 20_000
ATTEMPTS = 3
PAUSE_MS, LONGEST_PAUSE_MS = 1_000, 20_000

BEATS_MS = 5_000
"""How soon the loss of a worker in the middle of an answer is noticed."""


async def ask_model(plan: Plan, run_id: str, command: Generate) -> Generated:
    """Ask the model of a role, with the attempts that may help."""
    begun = now_ms()
    request = _request(plan, run_id, command)
    try:
        strict_json.check(request.messages)
        answer = await _answered(GENERATE, request, ModelAnswer, f"{command.stage} by {command.role} at {command.at}")
    except NotStrictJsonError as refused:
        return Generated(command.call_id, now_ms(), message=f"the question cannot be sent: {refused}")
    except ActivityError as failure:
        tried = known_of(failure, ATTEMPTS).attempts
        message = words_of(failure.cause)
        return Generated(command.call_id, now_ms(), message=message, elapsed_ms=now_ms() - begun, attempts=tried)
    return Generated(command.call_id, now_ms(), asdict(answer), elapsed_ms=answer.elapsed_ms, attempts=answer.attempts)


async def search(plan: Plan, run_id: str, command: Retrieve) -> Retrieved:
    """Search a retriever."""
    begun = now_ms()
    declared = plan.retrievers[command.retriever]
    request = RetrieveRequest(
        retriever=declared.model_dump(mode="json", exclude={"description"}),
        query=command.query,
        top=command.top,
        run_id=run_id,
        step=command.step,
        timeout_ms=RETRIEVAL_MS,
    )
    try:
        found = await _answered(RETRIEVE, request, Passages, f"{command.retriever} at {command.at}")
    except ActivityError as failure:
        return Retrieved(command.call_id, now_ms(), message=words_of(failure.cause), elapsed_ms=now_ms() - begun)
    return Retrieved(command.call_id, now_ms(), tuple(found.passages), elapsed_ms=found.elapsed_ms)


async def _answered(activity: str, request: ModelRequest | RetrieveRequest, answer: type[T], summary: str) -> T:
    """What the activity answers, in one of its attempts; raises ActivityError."""
    found: T = await workflow.execute_activity(
        activity,
        request,
        result_type=answer,
        summary=summary,
        start_to_close_timeout=timedelta(milliseconds=request.timeout_ms + GRACE_MS),
        schedule_to_close_timeout=timedelta(milliseconds=_longest_ms(request.timeout_ms)),
        heartbeat_timeout=timedelta(milliseconds=BEATS_MS),
        retry_policy=_POLICY,
    )
    return found


def _request(plan: Plan, run_id: str, command: Generate) -> ModelRequest:
    settings = settings_of(plan, command.role, command.named)
    server = plan.servers[settings.server]
    return ModelRequest(
        role=command.role,
        call_id=command.call_id,
        run_id=run_id,
        step=command.step,
        stage=command.stage,
        provider=_provider(server),
        model=settings.model,
        timeout_ms=settings.timeout_ms or server.timeout_ms or MODEL_MS,
        max_bytes=limits.INLINE_LIMIT,
        server=server.model_dump(mode="json", exclude_defaults=True),
        messages=command.messages,
        schema=command.schema,
        partial=command.partial,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        streamed=command.streamed,
    )


def _provider(server: Server) -> str:
    return server.provider or ("openai" if server.openai else "anthropic")


def _longest_ms(timeout_ms: int) -> int:
    pauses = (ATTEMPTS - 1) * max(LONGEST_PAUSE_MS, limits.RETRY_AFTER_LIMIT_MS)
    return ATTEMPTS * (timeout_ms + GRACE_MS) + pauses


_POLICY = RetryPolicy(
    initial_interval=timedelta(milliseconds=PAUSE_MS),
    maximum_interval=timedelta(milliseconds=LONGEST_PAUSE_MS),
    maximum_attempts=ATTEMPTS,
)
