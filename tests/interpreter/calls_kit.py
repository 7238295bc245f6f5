"""Builds small plans and turns for the tests of calls, and plays the world that answers the tools."""

from collections.abc import Callable
from typing import Any

from interlock.interpreter import calls, reading, trusted
from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import MessageReceived, ToolReturned
from interlock.interpreter.program import link
from interlock.interpreter.roots import new_turn
from interlock.interpreter.state import State
from interlock.interpreter.turn import CallResult, Turn
from interlock.plan.plan import Plan
from interlock.plan.rules import Route
from interlock.plan.steps import ReplyStep
from interlock.plan.tools import Argument, Mount, Retry, Tool

AT = "agent.yaml:1:1"
SLOT = {"at": AT, "kind": "patterns", "patterns": (r"\b(?:S\d{2}ES|555E)\d{6,7}\b", r"\b\d{10,40}\b")}
"""An identifier: two letters-and-digits forms, and long plain numbers."""


def argument(source: str, of_type: str = "string", **rest: Any) -> Argument:
    return Argument(**{"type": of_type, "source": source, "send_as": "x", **rest})


def tool(arguments: dict[str, Argument] | None = None, **rest: Any) -> Tool:
    defaults = {
        "at": AT,
        "transport": "python",
        "python": "x",
        "effect": "read",
        "retry": Retry(attempts=1),
        "timeout_ms": 1000,
    }
    return Tool(**{**defaults, "input": arguments or {}, **rest})


def plan(tools: dict[str, Tool], **rest: Any) -> Plan:
    """A plan with these tools mounted, and nothing to say of its own."""
    reply = ReplyStep(at=AT, id="r", action="reply", text={"*": "ok"})
    defaults: dict[str, Any] = {
        "bundle": "b",
        "name": "a",
        "languages": ("en",),
        "slots": {"no": SLOT},
        "mounts": tuple(Mount(at=AT, call=name) for name in tools),
        "routes": (Route(at=AT, id="r", flow="f"),),
        "flows": {"f": (reply,)},
    }
    return Plan.model_validate({**defaults, "tools": tools, **rest})


Answer = Callable[[CallTool], ToolReturned]


def returns(payload: Any, status: int = 200) -> Answer:
    """A world that gives every call this answer."""
    return lambda call: ToolReturned(call.call_id, "returned", 1_000, status, payload)


def fails(ending: str = "error", message: str = "", payload: Any = None, status: int | None = None) -> Answer:
    """A world in which every attempt fails; the last one may have brought an answer."""
    return lambda call: ToolReturned(call.call_id, ending, 1_000, status, payload, message)


NOTHING = returns({})


class Talk:
    """A session of a plan: messages one after another, calls made by hand, and all that went out."""

    def __init__(self, plan: Plan, **user: Any) -> None:
        self.program = link(plan)
        self.state = State(session_id="s", run_id="run", plan_digest=plan.digest, user={"id": "u1", **user})
        self.sent: list[CallTool] = []
        self.turn: Turn | None = None

    def hears(
        self, text: str, kind: str = "user_chat", now_ms: int = 1_000, metadata: dict[str, Any] | None = None
    ) -> Turn:
        """The next message, read; the one before joins the trusted history."""
        if self.turn is not None:
            self.state.messages.append(trusted.trusted_entry(self.turn))
        self.state.turn += 1
        message = MessageReceived(f"m{self.state.turn}", text, now_ms, type=kind, metadata=metadata or {})
        self.turn = new_turn(self.program, self.state, message, message.metadata)
        reading.read(self.turn)
        return self.turn

    def runs(self, calling: Any, world: Answer = NOTHING) -> Any:
        """Run work that may call, answered by `world`."""
        try:
            commands = next(calling)
            while True:
                self.sent += commands
                commands = calling.send([world(command) for command in commands])
        except StopIteration as stop:
            return stop.value

    def calls(self, tool: str, world: Answer = NOTHING, **options: Any) -> CallResult:
        """One call of a tool in this turn."""
        assert self.turn is not None
        options = {"bind": {}, "step_id": "f/s", "at": AT, **options}
        return self.runs(calls.call(self.turn, tool=tool, **options), world)
