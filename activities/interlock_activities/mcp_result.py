"""What the result of an MCP tool is for us: a status, and a payload that is plain JSON."""

from typing import Any

from mcp import MCPError
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    CallToolResult,
    InputRequiredResult,
    TextContent,
)

from interlock.contract import strict_json
from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.failures import failed
from interlock_activities.heavy import aside
from interlock_activities.meaning import Received

OURS = frozenset({INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS})
"""Errors of the protocol that say that the same request will fail again."""


async def received(result: CallToolResult | InputRequiredResult | MCPError, max_bytes: int) -> Received:
    """The answer of a tool: status 200, or 500 where the tool says that it failed. Raises Failure.

    Where the server does not even call the tool, it is the server's error `{code, message, data}`, with 400 or 500.
    """
    if isinstance(result, InputRequiredResult):
        raise failed("the server asks for more input before it goes on, which a tool cannot give", retryable=False)
    if isinstance(result, MCPError):
        payload: Any = {"code": result.code, "message": result.message, "data": result.data}
        status = 400 if result.code in OURS else 500
    else:
        payload, status = _payload(result, max_bytes), 500 if result.is_error else 200
    await aside(max_bytes > INLINE_LIMIT, _check, payload, max_bytes)
    return Received(status, payload)


def _check(payload: Any, max_bytes: int) -> None:
    """Raises Failure for a payload that is too large, or no plain JSON."""
    try:
        strict_json.check(payload, max_bytes)
    except NotStrictJsonError as problem:
        raise failed(f"its answer is refused: {problem}", retryable=False) from None


def _payload(result: CallToolResult, max_bytes: int) -> Any:
    """What is structured; else the JSON that a text is; else the text, with what is no text beside it."""
    if result.structured_content is not None:
        return result.structured_content
    text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
    others = [block for block in result.content if not isinstance(block, TextContent)]
    if others:
        dumped = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in others]
        return {"text": text, "content": dumped}
    return _parsed(text, max_bytes) if text.lstrip()[:1] in ("{", "[") else {"text": text}


def _parsed(text: str, max_bytes: int) -> Any:
    """An object or a list; a text that only looks like one stays text, and one that is not strict is refused."""
    try:
        return strict_json.loads(text.encode(), max_bytes)
    except NotStrictJsonError as problem:
        if problem.code == "not-json":
            return {"text": text}
        raise failed(f"its answer is refused: {problem}", retryable=False) from None
