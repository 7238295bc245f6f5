"""Messages as Anthropic speaks them: a chat as their JSON, and their JSON as a completion."""

from collections.abc import Iterable
from typing import Any, Final

from interlock.contract.calls import Json
from interlock_activities.failures import misconfigured
from interlock_activities.models import reading
from interlock_activities.models.chat import Chat, Completion, Finish

RUNGS: Final = ("schema", "tool", "text")
MAX_TOKENS: Final = 4_096
"""What an answer may have where nobody says more: they ask for a number."""

REASONS: Final[dict[str, Finish]] = {
    **dict.fromkeys(("", "end_turn", "stop_sequence"), "stop"),
    "tool_use": "calls",
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
    "refusal": "refused",
}

_CHOICES: Final = {"auto": "auto", "none": "none", "required": "any"}
_CACHED: Final = ("cache_creation_input_tokens", "cache_read_input_tokens")


def to_wire(chat: Chat) -> Json:
    """The body of a request; raises Failure where nothing is left to send beside what the system says."""
    system = [one["content"] for one in chat.messages if one["role"] == "system" and one.get("content")]
    messages = _merged(one for one in chat.messages if one["role"] != "system")
    if not messages:
        raise misconfigured("there is no message but the system's, which Anthropic does not answer")
    body: Json = {"model": chat.model, "max_tokens": chat.max_tokens or MAX_TOKENS, "messages": messages}
    if system:
        body["system"] = "\n\n".join(system)
    if chat.tools:
        body["tools"] = [_tool(tool) for tool in chat.tools]
        kind = _CHOICES.get(chat.choose)
        body["tool_choice"] = {"type": kind} if kind else {"type": "tool", "name": chat.choose}
    if chat.rung == "schema":
        body["output_config"] = {"format": {"type": "json_schema", "schema": chat.schema}}
    if chat.temperature is not None:
        body["temperature"] = chat.temperature
    if chat.streamed:
        body["stream"] = True
    return body


def from_wire(payload: Any) -> Completion:
    """The completion of a message; raises Failure where it is none."""
    if not isinstance(payload, dict) or not isinstance(payload.get("content"), list):
        raise reading.malformed("it has no content")
    return completion(payload, reading.members(payload, "content"), reading.member(payload, "usage"))


def completion(message: Json, blocks: Iterable[Json], usage: Json) -> Completion:
    """A completion of its blocks; those that are neither text nor a call, as of thinking, are passed over."""
    texts, calls = [], list[Json]()
    for block in blocks:
        if block.get("type") == "text":
            texts.append(reading.text(block, "text"))
        elif block.get("type") == "tool_use":
            calls.append(reading.call(block.get("id"), reading.text(block, "name"), block.get("input"), calls))
    return Completion(
        text="".join(texts),
        calls=tuple(calls),
        finish=reading.finish(message.get("stop_reason"), REASONS, bool(calls)),
        model=reading.text(message, "model"),
        id=reading.text(message, "id"),
        input_tokens=_input_tokens(usage),
        output_tokens=reading.count(usage, "output_tokens"),
    )


def _input_tokens(usage: Json) -> int | None:
    """They count what their cache holds apart."""
    fresh = reading.count(usage, "input_tokens")
    return None if fresh is None else fresh + sum(reading.count(usage, name) or 0 for name in _CACHED)


def _merged(messages: Iterable[Json]) -> list[Json]:
    """Messages of users and assistants in turn: neighbours of one role become one, and empty ones go."""
    merged: list[Json] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = _blocks(message)
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"] += blocks
        elif blocks:
            merged.append({"role": role, "content": blocks})
    return merged


def _blocks(message: Json) -> list[Json]:
    text = message.get("content") or ""
    if message["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": text}]
    said = [{"type": "text", "text": text}] if text.strip() else []
    return said + [
        {"type": "tool_use", "id": one["id"], "name": one["name"], "input": one.get("arguments") or {}}
        for one in message.get("tool_calls") or ()
    ]


def _tool(tool: Json) -> Json:
    known = {"name": tool["name"], "input_schema": tool.get("parameters") or {"type": "object", "properties": {}}}
    return {**known, "description": tool["description"]} if tool.get("description") else known
