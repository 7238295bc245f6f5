"""Plans built by hand, and conversations over them: the tools answer from a table, every event is a second apart."""

import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

from interlock.interpreter.commands import CallTool, Changed, Command, Reply
from interlock.interpreter.events import MessageReceived, PersonActed, TimerFired, ToolReturned
from interlock.interpreter.machine import Machine, opened
from interlock.interpreter.program import link
from interlock.interpreter.state import restored
from interlock.plan.plan import Plan

_LINES = itertools.count(1)
START_MS = 1_700_000_000_000
NUMBERS = (r"\b(?:S\d{2}ES|555E)\d{6,7}\b", r"\b[A-Z]{3}U\d{7}\b")


def placed(**parts: Any) -> dict[str, Any]:
    """A part with a place of its own."""
    return {"at": f"agent.yaml:{next(_LINES)}:3", **parts}


def words(*phrases: str, **codes: tuple[str, ...]) -> dict[str, Any]:
    """A vocabulary of words, or of codes with aliases."""
    terms = [{"code": one, "aliases": [one]} for one in phrases]
    terms += [{"code": code, "title": {"*": f"<{code}>"}, "aliases": aliases} for code, aliases in codes.items()]
    return placed(terms=terms)


def slot(**parts: Any) -> dict[str, Any]:
    """A slot; its kind follows from what is given."""
    kind = next(kind for kind in ("vocabulary", "patterns", "extract") if kind in parts)
    return placed(kind=kind, **parts)


def step(action: str, **parts: Any) -> dict[str, Any]:
    """A step; its id is what it acts on, or the action."""
    return placed(action=action, **{"id": parts.get("tool", action), **parts})


def reply(text: str, **parts: Any) -> dict[str, Any]:
    """A step that says one text in all languages."""
    return step("reply", text={"*": text}, **parts)


def tool(*slots: str, **parts: Any) -> dict[str, Any]:
    """An HTTP tool that takes the slots by their names."""
    taken = {name: {"type": "string", "source": f"slots.{name}", "send_as": name} for name in slots}
    base = {"transport": "http", "server": "desk", "method": "GET", "path": "/", "effect": "read"}
    return placed(**{**base, "retry": {"attempts": 1}, "timeout_ms": 1000, "input": taken, **parts})


def plan(**parts: Any) -> Plan:
    """A plan with one flow that says hello, unless `parts` say otherwise."""
    flows = parts.pop("flows", {})
    routes = [placed(**{"id": one["flow"], **one}) for one in parts.pop("routes", [])] + [
        placed(id="other", flow="talk")
    ]
    mounts = [placed(**one) for one in parts.pop("mounts", [])]
    base = {
        "bundle": "tests",
        "name": "desk",
        "languages": ("en",),
        "servers": {"desk": placed(http="http://desk")},
        "flows": {"talk": [reply("Hello.")], **flows},
        "routes": routes,
        "mounts": mounts,
        "gates": [placed(**one) for one in parts.pop("gates", [])],
    }
    return Plan.model_validate({**base, **parts})


def tracking(**parts: Any) -> Plan:
    """An agent that tracks shipments by number: the demo's shape, as small as it can be."""
    return plan(
        **{
            "languages": ("zh", "en"),
            "vocabularies": {
                "rivals": words("Flexport", "飞协博"),
                "follow_ups": words("查一下", "帮查一下", "那个呢", "check it"),
            },
            "slots": {
                "no": slot(
                    patterns=NUMBERS,
                    in_context=(r"\d{10}",),
                    labels=("单号", "HBL No."),
                    title={"zh": "单号", "en": "number"},
                    ask={"zh": "请提供单号。", "en": "Which number?"},
                )
            },
            "intents": {
                "tracking": placed(
                    keywords=("track shipment", "查一下进度", "查询货物", "where is"), follow_up="follow_ups"
                )
            },
            "tools": {
                "track": tool(
                    input={
                        "no": {"type": "string", "source": "slots.no", "send_as": "no", "history": "single"},
                        "query": {"type": "string", "source": "message.text", "send_as": "query"},
                    }
                )
            },
            "responses": {"brief": placed(kind="fields", fields=("no", "status"))},
            "mounts": [{"call": "track", "intent": "tracking", "respond": "brief"}],
            "gates": [
                {
                    "id": "rivals",
                    "screen": "rivals",
                    "verdict": "refuse",
                    "text": {"*": "Not them."},
                    "reason": "rival",
                },
                {
                    "id": "form",
                    "when": "message.type == 'form'",
                    "verdict": "reply",
                    "text": {"zh": "收到", "en": "Noted"},
                },
                {
                    "id": "quick",
                    "when": "message.type == 'user_chat'",
                    "prefix": "#get",
                    "fills": "no",
                    "verdict": "call",
                    "call": "track",
                    "respond": "brief",
                    "usage": {"*": "One number after #get, please."},
                },
            ],
            "routes": [{"when": "slots.no or intents.tracking", "flow": "tracking"}],
            "flows": {"tracking": [step("call", tool="track")]},
            **parts,
        }
    )


Answers = Mapping[str, Callable[[dict[str, Any]], Any] | Any]


class Talk:
    """One conversation. `answers` gives a payload by tool, or a function of the arguments that gives one.

    A `ToolReturned` field map under the key `end` (`{"end": {"ending": "timeout"}}`) stands for another end of a call.
    """

    def __init__(
        self, plan: Plan, answers: Answers | None = None, *, user: dict[str, Any] | None = None, reborn: bool = False
    ) -> None:
        self.program = link(plan)
        self.answers = answers or {}
        self.now_ms = START_MS
        self.state = opened(self.program, session_id="s", run_id="run", user=user or {}, now_ms=self.now_ms)
        self.machine = Machine(self.program, self.state)
        self.reborn = reborn
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.commands: list[Command] = []
        self._ids = itertools.count(1)

    @property
    def record(self) -> dict[str, Any]:
        """The last record."""
        return self.state.records[-1]

    @property
    def gates(self) -> dict[str, str]:
        """Verdict by gate of the last record."""
        return {gate["id"]: gate["verdict"] for gate in self.record["gates"]}

    def say(self, text: str, **parts: Any) -> dict[str, Any]:
        """A message, with all the calls it leads to; the reply."""
        return self.finish(self.begin(text, **parts))

    def begin(self, text: str, **parts: Any) -> list[Command]:
        """A message, up to its first calls."""
        self._tick()
        message_id = parts.pop("id", None) or f"m{next(self._ids)}"
        return self.machine.handle(MessageReceived(message_id, text, self.now_ms, **parts))

    def finish(self, commands: list[Command]) -> dict[str, Any]:
        """Answer the calls until the reply is there."""
        while any(isinstance(one, CallTool) for one in commands):
            calls = [one for one in commands if isinstance(one, CallTool)]
            commands = [command for call in calls for command in self.machine.handle(self.answer(call))]
        self.commands = commands
        (answer,) = [one for one in commands if isinstance(one, Reply)]
        return answer.body

    def answer(self, call: CallTool) -> ToolReturned:
        """The end of one call, as the table says."""
        self.calls.append((call.tool, call.arguments))
        found = self.answers.get(call.tool, {"ok": True})
        payload = found(call.arguments) if callable(found) else found
        if isinstance(payload, dict) and "end" in payload:
            return ToolReturned(call.call_id, **{"now_ms": self.now_ms, **payload["end"]})
        return ToolReturned(call.call_id, "returned", self.now_ms, status=200, payload=payload)

    def act(self, event: Any, by: str = "") -> list[Command]:
        """A colleague's event."""
        self._tick()
        return self.machine.handle(PersonActed(event, self.now_ms, by))

    def wait(self, ms: int) -> list[Command]:
        """Time passes, and the idle timer fires."""
        self.now_ms += ms
        return self.machine.handle(TimerFired("idle", self.now_ms))

    def changed(self) -> bool:
        """Whether the last event told the shell to show the session anew."""
        return any(isinstance(one, Changed) for one in self.commands)

    def _tick(self) -> None:
        self.now_ms += 1000
        if self.reborn and not self.machine.in_turn:
            self.state = restored(json.loads(json.dumps(self.state.as_json(), sort_keys=True)))
            self.machine = Machine(self.program, self.state)
