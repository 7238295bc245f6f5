"""From what a workflow asks to what a provider is asked: shapes are looked at before anything is sent."""

from typing import Any, Final

from interlock.contract.calls import Json
from interlock.contract.models import ModelRequest
from interlock_activities.failures import misconfigured
from interlock_activities.models.chat import Chat, Endpoint

_CHOICES: Final = ("auto", "none")
_ROLES: Final = ("system", "user", "assistant", "tool")


def question(request: ModelRequest, endpoint: Endpoint) -> Chat:
    """The chat of a request; raises Failure for messages and tools that no provider can be sent."""
    for number, message in enumerate(request.messages, 1):
        _check(_is_message(message), f"message {number}")
    for number, tool in enumerate(request.tools, 1):
        _check(isinstance(tool, dict) and _is_name(tool.get("name")), f"tool {number}")
    _check(bool(request.messages), "a request without messages")
    names = [tool["name"] for tool in request.tools]
    choices = (*_CHOICES, *(["required"] if names else []), *names)
    _check(request.choose in choices, "a choice of a tool that is not offered")
    return Chat(
        role=request.role,
        model=request.model,
        messages=tuple(request.messages),
        tools=tuple(request.tools),
        choose=request.choose,
        schema=request.schema,
        partial=request.partial,
        temperature=request.temperature,
        max_tokens=request.max_tokens,
        streamed=request.streamed,
        timeout_ms=request.timeout_ms,
        max_bytes=request.max_bytes,
        endpoint=endpoint,
    )


def _check(right: bool, what: str) -> None:
    if not right:
        raise misconfigured(f"{what} cannot be sent: it is not of the shape that models are asked in")


def _is_message(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        return False
    if not isinstance(message.get("content"), str | None):
        return False
    if message["role"] == "tool":
        return _is_name(message.get("tool_call_id"))
    calls = message.get("tool_calls") or []
    return isinstance(calls, list) and all(map(_is_call, calls))


def _is_call(call: Json) -> bool:
    named = isinstance(call, dict) and _is_name(call.get("id")) and _is_name(call.get("name"))
    return named and isinstance(call.get("arguments"), dict | None)


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and bool(name)
