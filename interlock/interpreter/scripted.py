"""Models by script: which reply answers what is asked, and what it stands for. No I/O, and nothing is counted here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from interlock.contract import strict_json
from interlock.contract.calls import Json
from interlock.expressions import Context, Expression, ExpressionError, compile_all
from interlock.interpreter.models.scripting import as_value

NO_REPLY: Final = "the script has no reply"
FAULTS: Final = frozenset(
    {"timeout", "error", "overloaded", "malformed", "wrong_tool", "extra_fields", "length", "refused", "huge"}
)
_ANSWERS = ("reply", "call", "value", "fault")
_KEYS = frozenset({*_ANSWERS, "when", "with", "times"})
_CUT = '{"answer": "it breaks o'
_UNASKED = "unasked_for"

Fault: TypeAlias = Literal["", "timeout", "error", "overloaded"]


class ScriptError(ValueError):
    """A script that cannot be used; the message names the reply and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a model, as far as a script reads it; `messages`, `tools` and `schema` as in `ModelRequest`."""

    role: str
    messages: Sequence[Json]
    tools: Sequence[Json] = ()
    schema: Json | None = None
    max_bytes: int = 0

    @property
    def context(self) -> Context:
        """What `when` may read: the last message of a user, all messages, the names of the tools, the role."""
        texts = [str(message.get("content") or "") for message in self.messages]
        spoken = [text for text, message in zip(texts, self.messages, strict=True) if message.get("role") == "user"]
        return {
            "message": spoken[-1] if spoken else "",
            "prompt": "\n".join(texts),
            "tools": [tool["name"] for tool in self.tools],
            "role": self.role,
        }


@dataclass(frozen=True, slots=True)
class Said:
    """What a scripted model says; `fault` where it says nothing."""

    text: str = ""
    calls: tuple[Json, ...] = ()
    finish: Literal["stop", "calls", "length", "refused"] = "stop"
    fault: Fault = ""


class Script:
    """The replies of one role, their conditions compiled together. Raises ScriptError."""

    def __init__(self, replies: Sequence[Json]) -> None:
        for number, reply in enumerate(replies, 1):
            problem = _problem(reply)
            if problem:
                raise ScriptError(f"reply {number}: {problem}")
        self.replies = tuple(replies)
        try:
            self._conditions = compile_all(
                {at: Expression(one["when"]) for at, one in enumerate(replies) if "when" in one}
            )
        except ExpressionError as error:
            raise ScriptError(f"a `when` cannot be read: {error}") from None

    def pick(self, asked: Asked, used: Mapping[int, int]) -> int | None:
        """The number of the first reply that matches and has been `used` fewer times than it may be."""
        context = asked.context
        for at, reply in enumerate(self.replies):
            left = "times" not in reply or used.get(at, 0) < reply["times"]
            if left and (at not in self._conditions or self._conditions[at](context)):
                return at
        return None


def said(reply: Json, asked: Asked) -> Said:
    """What a reply stands for."""
    meant = as_value(reply, asked.schema) if asked.schema is not None else None
    if meant is not None:
        return Said(strict_json.dumps(meant).decode())
    if "reply" in reply:
        return Said(reply["reply"])
    if "call" in reply:
        return _calling(reply["call"], reply.get("with", {}))
    if "value" in reply:
        return Said(strict_json.dumps(reply["value"]).decode())
    return _faulty(reply["fault"], asked)


def _faulty(fault: str, asked: Asked) -> Said:
    calls_tools = bool(asked.tools) and asked.schema is None
    match fault:
        case "malformed":
            return _calling(asked.tools[0]["name"], None) if calls_tools else Said(_CUT)
        case "wrong_tool":
            return _calling("no_such_tool", {})
        case "extra_fields":
            filled = _filled(asked.tools[0].get("parameters") if calls_tools else asked.schema)
            more = {**filled, _UNASKED: "nobody asked for this"}
            return _calling(asked.tools[0]["name"], more) if calls_tools else Said(strict_json.dumps(more).decode())
        case "length":
            return Said(_CUT, finish="length")
        case "refused":
            return Said(finish="refused")
        case "huge":
            return Said("x" * (asked.max_bytes + 1))
        case "timeout" | "error" | "overloaded":
            return Said(fault=fault)
    raise ScriptError(f"there is no fault {fault!r}")


def _calling(name: str, arguments: Json | None) -> Said:
    return Said(calls=({"id": "call_1", "name": name, "arguments": arguments},), finish="calls")


def _filled(schema: Json | None) -> Json:
    """An object with every member that a plain schema requires."""
    members = (schema or {}).get("properties", {})
    return {name: _sample(members.get(name, {})) for name in (schema or {}).get("required", ())}


def _sample(schema: Json) -> Any:
    if "const" in schema or "enum" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    least = schema.get("minimum", 1)
    match kind:
        case "array":
            return [_sample(schema.get("items", {}))]
        case "object":
            return _filled(schema)
    return {"string": "x", "integer": least, "number": least, "boolean": True}.get(str(kind))


def _problem(reply: Any) -> str:
    if not isinstance(reply, dict) or not set(reply) <= _KEYS:
        return f"it is a mapping of {', '.join(sorted(_KEYS))}"
    if sum(key in reply for key in _ANSWERS) != 1:
        return f"it has one of {', '.join(_ANSWERS)}"
    if not all(isinstance(reply.get(key, ""), str) for key in ("reply", "call", "fault", "when")):
        return "`reply`, `call`, `fault` and `when` are texts"
    if "with" in reply and not ("call" in reply and isinstance(reply["with"], dict)):
        return "`with` are the arguments of a `call`"
    if "value" in reply and not isinstance(reply["value"], dict):
        return "`value` is an object"
    if "fault" in reply and reply["fault"] not in FAULTS:
        return f"`fault` is one of {', '.join(sorted(FAULTS))}"
    times = reply.get("times", 1)
    return "" if type(times) is int and times >= 1 else "`times` is a whole number from 1"
