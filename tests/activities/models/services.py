"""Model services as they answer over the wire, in both formats, whole and as events."""

import json

import pytest

from tests.activities.wire import raw

OBJECT = {"city": "Hamburg"}


def openai(text="It is in Hamburg.", *, calls=(), finish=None, usage=(11, 7), **more):
    """A chat completion."""
    made = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(calls, 1)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "gpt-x-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if made else "stop")}],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
        **more,
    }


def anthropic(text="It is in Hamburg.", *, calls=(), finish=None, usage=(11, 7), **more):
    """A message."""
    content = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": arguments}
        for n, (name, arguments) in enumerate(calls, 1)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x-2026",
        "content": content,
        "stop_reason": finish or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": usage[0], "output_tokens": usage[1]},
        **more,
    }


ANSWERS = {"openai": openai, "anthropic": anthropic}

BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])
STREAMED = pytest.mark.parametrize("streamed", [False, True])


def openai_chunks(pieces=("It is ", "in Hamburg", "."), *, calls=(), finish="stop", usage=(11, 7)):
    """The chunks of a streamed chat completion."""

    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "chatcmpl-1", "model": "gpt-x-2026", "choices": [choice], "usage": None}

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces:
        yield chunk({"content": piece})
    for index, (name, arguments) in enumerate(calls):
        head = {"index": index, "id": f"call_{index + 1}", "type": "function"}
        yield chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]})
        for letter in json.dumps(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": letter}}]})
    yield chunk({}, "tool_calls" if calls else finish)
    if usage:
        told = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
        yield {"id": "chatcmpl-1", "model": "gpt-x-2026", "choices": [], "usage": told}


def anthropic_events(pieces=("It is ", "in Hamburg", "."), *, calls=(), finish="end_turn", usage=(11, 7)):
    """The events of a streamed message."""
    start = {"id": "msg_1", "model": "claude-x-2026", "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": {**start, "usage": {"input_tokens": usage[0], "output_tokens": 1}}}
    yield {"type": "ping"}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in pieces:
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
    yield {"type": "content_block_stop", "index": 0}
    for index, (name, arguments) in enumerate(calls, 1):
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for letter in json.dumps(arguments):
            delta = {"type": "input_json_delta", "partial_json": letter}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if calls else finish
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": usage[1]}}
    yield {"type": "message_stop"}


EVENTS = {"openai": openai_chunks, "anthropic": anthropic_events}


def event_bytes(provider, events):
    """Events as they stand in the body."""
    body = b""
    for event in events:
        name = f"event: {event['type']}\n" if provider == "anthropic" else ""
        body += f"{name}data: {json.dumps(event)}\n\n".encode()
    return body + (b"data: [DONE]\n\n" if provider == "openai" else b"")


def streamed(provider, **words):
    """A whole streamed answer."""
    return stream_of(event_bytes(provider, EVENTS[provider](**words)))


def stream_of(body):
    """The bytes of an answer of events, whose end is the end of the connection's."""
    return raw(body=body, content_type="text/event-stream")


def obliging(provider):
    """A service that does what it is told, and knows every way to be asked; a handler for `serve`."""

    async def answer(request, writer):
        asked = json.loads(request.body)
        format_of = asked.get("output_config") or asked.get("response_format")
        forced = asked.get("tool_choice", {})
        forced = forced.get("name") or forced.get("function", {}).get("name") if isinstance(forced, dict) else None
        words = (
            {"pieces": ['{"city": ', '"Hamburg"}']} if format_of else {"calls": [(forced, OBJECT)]} if forced else {}
        )
        if asked.get("stream"):
            writer.write(streamed(provider, **words))
        else:
            if "pieces" in words:
                words = {"text": "".join(words["pieces"])}
            writer.write(raw(body=ANSWERS[provider](**words)))
        await writer.drain()

    return answer


def answers(provider, as_events=False, **words):
    """The bytes of an answer, whole or as a stream."""
    if as_events:
        return streamed(provider, **words)
    return raw(body=ANSWERS[provider](**words))
