"""What a scripted reply means as a structured answer to the engine: scripts speak of calls and texts."""

from typing import TYPE_CHECKING, Any

from interlock.interpreter.runtimes.port import NO_TOOL

if TYPE_CHECKING:
    from interlock.interpreter.state import Json

HAND_OFF = "hand_off"
"""What a script calls that hands over to a person."""


def as_value(reply: "Json", schema: "Json") -> "Json | None":
    """The object that `schema` asks for; none where the reply is a fault or an object of its own.

    `reply` answers, or chooses no tool; `call` chooses a tool, and gives its arguments when those are asked for.
    """
    asked = schema.get("properties", {})
    if "steps" in asked:
        return _plan(reply)
    chooses, proposes = "should_call_now" in asked, all(_may_be_null(one) for one in asked.values())
    if "reply" in reply:
        return _answer(reply["reply"], asked, chooses=chooses, proposes=proposes)
    if "call" not in reply:
        return None
    if chooses:
        return _choice(reply["call"], "the script says so", asked)
    given: dict[str, Any] = reply.get("with", {})
    return {name: given.get(name) for name in asked} if proposes else None


def _answer(text: str, asked: "Json", *, chooses: bool, proposes: bool) -> "Json | None":
    if chooses:
        return _choice(NO_TOOL, text, asked)
    if "confidence" in asked:
        return {"kind": "answer", "confidence": "high", "text": text}
    return dict.fromkeys(asked) if proposes else None


def _plan(reply: "Json") -> "Json | None":
    """A plan of the one action that is called, with its texts; of none where something is said."""
    if "reply" in reply:
        return {"thought": reply["reply"], "steps": []}
    if "call" not in reply:
        return None
    given = [{"name": name, "text": text, "step": None, "path": None} for name, text in reply.get("with", {}).items()]
    return {"thought": "the script says so", "steps": [{"action": reply["call"], "arguments": given}]}


def _may_be_null(schema: "Json") -> bool:
    return "null" in schema.get("type", ())


def _choice(name: str, reason: str, asked: "Json") -> "Json":
    """An action, or that nothing more is done, in the parts that the runtime asks for."""
    hands_over = name == HAND_OFF and name in asked.get("control", {}).get("enum", ())
    acts = name != NO_TOOL and not hands_over
    known: Json = {
        "tool": name if acts else NO_TOOL,
        "should_call_now": acts,
        "missing_required_arguments": [],
        "more": False,
        "reason": reason,
        "thought": reason,
        "goal_met": not acts and not hands_over,
        "control": HAND_OFF if hands_over else "continue" if acts else "end",
    }
    return {part: known[part] for part in asked if part in known}
