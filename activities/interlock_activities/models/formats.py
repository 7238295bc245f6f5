"""The formats that are spoken over HTTP, and the little that services differ in among one another."""

from typing import Final

from interlock.contract.calls import Json
from interlock_activities.models import anthropic_wire, openai_wire
from interlock_activities.models.anthropic_stream import AnthropicAssembly
from interlock_activities.models.http_provider import Wire
from interlock_activities.models.openai_stream import OpenAIAssembly


def _more_modern(body: Json) -> Json:
    renamed = {"max_tokens": "max_completion_tokens"}
    return {renamed.get(key, key): value for key, value in body.items()}


def _without_usage(body: Json) -> Json:
    return {key: value for key, value in body.items() if key != "stream_options"}


OPENAI: Final = Wire(
    path="/chat/completions",
    endings=("/chat/completions",),
    rungs=openai_wire.RUNGS,
    to_wire=openai_wire.to_wire,
    from_wire=openai_wire.from_wire,
    assembly=OpenAIAssembly,
    mendings={"max_completion_tokens": _more_modern, "stream_options": _without_usage},
)
"""OpenAI-compatible services. Models that reason want `max_tokens` by another name; old servers tell no usage."""

ANTHROPIC: Final = Wire(
    path="/v1/messages",
    endings=("/v1/messages", "/v1"),
    rungs=anthropic_wire.RUNGS,
    to_wire=anthropic_wire.to_wire,
    from_wire=anthropic_wire.from_wire,
    assembly=AnthropicAssembly,
    headers={"anthropic-version": "2023-06-01"},
)
"""Anthropic's messages; a base address may end in `/v1` or not."""
