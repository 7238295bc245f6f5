"""What a scripted reply means as a structured answer to the engine: scripts speak of calls and texts."""

from typing import TYPE_CHECKING, Any

from interlock.interpreter.models.selecting import NO_TOOL

if TYPE_CHECKING:
    from interlock.interpreter.state import Json


def as_value(reply: "Json", schema: "Json") -> "Json | None":
    """The object that `schema` asks for; none where the reply is a fault or an object of its own.

    `reply` answers, or chooses no tool; `call` chooses a tool, and gives its arguments when those are asked for.
    """
    asked = schema.get("properties", {})
    chooses, proposes = "should_call_now" in asked, all(_may_be_null(one) for one in asked.values())
    if "reply" in reply:
        return _answer(reply["reply"], asked, chooses=chooses, proposes=proposes)
    if "call" not in reply:
        return None
    if chooses:
        return _choice(reply["call"], "the script says so")
    given: dict[str, Any] = reply.get("with", {})
    return {name: given.get(name) for name in asked} if proposes else None


def _answer(text: str, asked: "Json", *, chooses: bool, proposes: bool) -> "Json | None":
    if chooses:
        return _choice(NO_TOOL, text)
    if "confidence" in asked:
        return {"kind": "answer", "confidence": "high", "text": text}
    return dict.fromkeys(asked) if proposes else None


def _may_be_null(schema: "Json") -> bool:
    return "null" in schema.get("type", ())


def _choice(tool: str, reason: str) -> "Json":
    return {
        "tool": tool,
        "should_call_now": tool != NO_TOOL,
        "missing_required_arguments": [],
        "more": False,
        "reason": reason,
    }
