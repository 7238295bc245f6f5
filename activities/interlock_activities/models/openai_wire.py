"""Chat completions as OpenAI and its many kin speak them: a chat as their JSON, and their JSON as a completion."""

from typing import Any, Final

from interlock.contract import strict_json
from interlock.contract.calls import Json
from interlock_activities.models import reading
from interlock_activities.models.chat import Chat, Completion, Finish

RUNGS: Final = ("schema", "tool", "json", "text")

REASONS: Final[dict[str, Finish]] = {
    **dict.fromkeys(("", "stop", "eos", "eos_token", "stop_sequence"), "stop"),
    **dict.fromkeys(("tool_calls", "function_call"), "calls"),
    "length": "length",
    "content_filter": "refused",
}
"""Their reasons for an end, those of servers that are nearly compatible too."""

_PLAIN_CHOICES = ("auto", "none", "required")
_OBJECT = "answer"


def to_wire(chat: Chat) -> Json:
    """The body of a request.

    With a schema the model is told in words too: servers that do not know it pass it over, and small models do better.
    """
    messages = chat.instructed().messages if chat.rung == "schema" else chat.messages
    body: Json = {"model": chat.model, "messages": [_message(one) for one in messages]}
    if chat.tools:
        body["tools"] = [{"type": "function", "function": _function(tool)} for tool in chat.tools]
        named = {"type": "function", "function": {"name": chat.choose}}
        body["tool_choice"] = chat.choose if chat.choose in _PLAIN_CHOICES else named
    if chat.rung == "schema":
        schema = {"name": _OBJECT, "strict": is_strict(chat.schema), "schema": chat.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif chat.rung == "json":
        body["response_format"] = {"type": "json_object"}
    if chat.temperature is not None:
        body["temperature"] = chat.temperature
    if chat.max_tokens is not None:
        body["max_tokens"] = chat.max_tokens
    if chat.streamed:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return body


def from_wire(payload: Any) -> Completion:
    """The first choice of an answer; raises Failure where there is none."""
    choices = reading.members(payload, "choices")
    if not choices:
        raise reading.malformed("it has no choices")
    message = reading.member(choices[0], "message")
    calls: list[Json] = []
    for one in reading.members(message, "tool_calls"):
        function = reading.member(one, "function")
        calls.append(reading.call(one.get("id"), reading.text(function, "name"), function.get("arguments"), calls))
    return completion(
        payload,
        content(message.get("content")),
        calls,
        refused=bool(message.get("refusal")),
        reason=choices[0].get("finish_reason"),
        usage=reading.member(payload, "usage"),
    )


def completion(payload: Json, text: str, calls: list[Json], *, refused: bool, reason: Any, usage: Json) -> Completion:
    """A completion of its parts, whether they came at once or one after the other."""
    told = reading.finish(reason, REASONS, bool(calls))
    return Completion(
        text=text,
        calls=tuple(calls),
        finish="refused" if refused else told,
        model=reading.text(payload, "model"),
        id=reading.text(payload, "id"),
        input_tokens=reading.count(usage, "prompt_tokens"),
        output_tokens=reading.count(usage, "completion_tokens"),
    )


def content(told: Any) -> str:
    """The text of a message or of a piece of one: a text, none, or a list of parts."""
    if isinstance(told, list):
        return "".join(reading.text(part, "text") for part in told if isinstance(part, dict) and _is_text(part))
    return reading.text({"content": told}, "content")


def is_strict(schema: Any) -> bool:
    """Whether a schema is of the kind that can be enforced: each object closed, and all its members required."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if "properties" in schema or schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", {})):
            return False
    return all(map(is_strict, schema.values()))


def _message(message: Json) -> Json:
    sent = {"role": message["role"], "content": message.get("content") or ""}
    if message.get("tool_calls"):
        sent["content"] = message.get("content") or None
        sent["tool_calls"] = [_call(one) for one in message["tool_calls"]]
    if message["role"] == "tool":
        sent["tool_call_id"] = message["tool_call_id"]
    return sent


def _call(call: Json) -> Json:
    written = strict_json.dumps(call.get("arguments") or {}).decode()
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": written}}


def _function(tool: Json) -> Json:
    function = {"name": tool["name"], "parameters": tool.get("parameters") or {"type": "object", "properties": {}}}
    return {**function, "description": tool["description"]} if tool.get("description") else function


def _is_text(part: Json) -> bool:
    return part.get("type") in ("text", "output_text", None)
