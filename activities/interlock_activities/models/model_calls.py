"""The activity `generate`: one attempt to have one question answered, and what Temporal is told of it."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Final

import structlog
from temporalio import activity

from interlock.contract import strict_json
from interlock.contract.calls import Json
from interlock.contract.models import (
    GENERATE,
    MODEL_ERROR,
    MODEL_MISCONFIGURED,
    MODEL_TIMEOUT,
    ModelAnswer,
    ModelRequest,
)
from interlock.contract.strict_json import NotStrictJsonError
from interlock.plan.tools import Limits
from interlock_activities.beating import beating
from interlock_activities.clock import elapsed_ms
from interlock_activities.failures import (
    Failure,
    Kind,
    as_application_error,
    failed,
    misconfigured,
    repeated,
    timed_out,
)
from interlock_activities.models.chat import Chat, ChatProvider, Completion
from interlock_activities.models.drafts import Draft, Drafts
from interlock_activities.models.endpoint import endpoint
from interlock_activities.models.ladder import Ladder, Structured
from interlock_activities.models.pace import Pace, estimated_tokens
from interlock_activities.models.providers import Providers
from interlock_activities.models.questions import question
from interlock_activities.references import References
from interlock_activities.repeating import repeats, texts_of

_TYPES: Final[Mapping[Kind, str]] = {
    "timeout": MODEL_TIMEOUT,
    "error": MODEL_ERROR,
    "misconfigured": MODEL_MISCONFIGURED,
}
_WAITING: Final = 0.5
"""The share of a call's time that it may wait for its turn: what is left must do for the answer."""

_log = structlog.get_logger("interlock.models")


class ModelCalls:
    """Holds the providers by name, and what a worker learns and counts about the services that they ask."""

    def __init__(self, providers: Providers, references: References, drafts: Drafts, pace: Pace | None = None) -> None:
        self._providers = providers
        self._references = references
        self._drafts = drafts
        self._pace = pace or Pace()
        self._ladder = Ladder()

    @activity.defn(name=GENERATE)
    async def generate(self, request: ModelRequest) -> ModelAnswer:
        """A whole answer; anything else is raised as `model_timeout`, `model_error` or `model_misconfigured`."""
        started = time.monotonic()
        attempt = activity.info().attempt
        answer: ModelAnswer | None = None
        status: int | None = None
        outcome = "cancelled"
        try:
            found = await self._answered(request, attempt)
            answer = _answer(found, request.model, elapsed_ms(started), attempt)
            outcome = answer.finish
        except Failure as failure:
            status, outcome = failure.status, _TYPES[failure.kind]
            who = f"model {request.role!r}"
            raise as_application_error(failure, who, _TYPES, attempt, elapsed_ms(started)) from None
        else:
            return answer
        finally:
            _log.info(
                "model_called",
                role=request.role,
                provider=request.provider,
                model=request.model,
                run=request.run_id,
                step=request.step,
                call=request.call_id,
                outcome=outcome,
                status=status,
                attempt=attempt,
                rung=answer.rung if answer else "",
                input_tokens=answer.input_tokens if answer else None,
                output_tokens=answer.output_tokens if answer else None,
                elapsed_ms=elapsed_ms(started),
            )

    async def _answered(self, request: ModelRequest, attempt: int) -> Structured:
        try:
            name = self._providers.meant(request.provider)
            provider = self._providers.named(name)
            server = request.server if name == request.provider else {}
            chat = question(request, endpoint(name, server, self._references))
            return await self._within_time(request, provider, chat, attempt, server.get("limits"))
        except Failure:
            raise
        except Exception as bug:  # noqa: BLE001 - its text may hold what was asked, so only its class is told
            raise misconfigured(f"the engine's own code raised {type(bug).__name__}") from None

    async def _within_time(
        self, request: ModelRequest, provider: ChatProvider, chat: Chat, attempt: int, limits: Json | None
    ) -> Structured:
        secrets = chat.endpoint.secrets
        draft = Draft(request.call_id, attempt, secrets, request.max_bytes)
        shown = self._drafts.begun(request.run_id, draft) if request.streamed else nullcontext()
        asking = _Asking(self._pace, limits, request, provider, draft)
        try:
            async with beating(draft.details if request.streamed else None):
                async with asyncio.timeout(chat.timeout_ms / 1000) as deadline:
                    with shown:
                        found = await self._ladder.answer(chat, provider.rungs, asking)
                        _check(found, chat)
                        return found
        except TimeoutError:
            if not deadline.expired():
                raise
            raise timed_out(request.timeout_ms) from None
        except Failure as failure:
            raise failure.redacted(secrets) from None


class _Asking:
    """Asks a provider once it is this call's turn at the service."""

    def __init__(
        self, pace: Pace, limits: Json | None, request: ModelRequest, provider: ChatProvider, draft: Draft
    ) -> None:
        self._limits = Limits.model_validate(limits) if limits else None
        self._pace = pace
        self._provider = provider
        self._tokens = draft.add
        self._patience_s = request.timeout_ms / 1000 * _WAITING

    async def __call__(self, chat: Chat) -> Completion:
        if self._limits is None:
            return await self._provider.chat(chat, self._tokens)
        turns = self._pace.at(chat.endpoint)
        began = time.monotonic()
        turn = await turns.take(estimated_tokens(chat), self._limits, self._patience_s)
        self._patience_s = max(0.0, self._patience_s - (time.monotonic() - began))
        try:
            completion = await self._provider.chat(chat, self._tokens)
        except Failure as failure:
            if not failure.sent:
                turns.give_back(turn)
            raise
        if completion.input_tokens is not None and completion.output_tokens is not None:
            turns.correct(turn, completion.input_tokens + completion.output_tokens)
        return completion


def _check(found: Structured, chat: Chat) -> None:
    """Raises Failure for an answer that is too large, is not JSON, or repeats a credential."""
    completion = found.completion
    said = [completion.text, list(completion.calls), found.value, completion.model, completion.id]
    if any(repeats(text, chat.endpoint.secrets) for text in texts_of(said)):
        raise repeated(200)
    try:
        strict_json.check(said[:2], chat.max_bytes)
        strict_json.check(said)
    except NotStrictJsonError as problem:
        raise failed(f"the answer is refused: {problem.code}", retryable=False) from None


def _answer(found: Structured, model: str, elapsed_ms: int, attempt: int) -> ModelAnswer:
    completion = found.completion
    return ModelAnswer(
        text=completion.text,
        finish=completion.finish,
        model=completion.model or model,
        id=completion.id,
        elapsed_ms=elapsed_ms,
        attempts=attempt,
        calls=list(completion.calls),
        value=found.value,
        problem=found.problem,
        rung=found.rung,
        input_tokens=completion.input_tokens,
        output_tokens=completion.output_tokens,
    )
