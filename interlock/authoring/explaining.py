"""Explains what the rules of a plan decide for one message: every gate and route asked, with the values compared.

Tools are not called: a call that would go out is shown with its arguments and their sources, and ends as an error.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.authoring.telling import told
from interlock.expressions import NotMet, explain
from interlock.interpreter import machine, record
from interlock.interpreter.events import MessageReceived, ToolReturned
from interlock.interpreter.opening import metadata_of
from interlock.interpreter.pipeline import answer
from interlock.interpreter.program import link
from interlock.interpreter.replies import Answer, body
from interlock.interpreter.roots import new_turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from interlock.interpreter.turn import Turn
    from interlock.plan.plan import Plan

Json = dict[str, Any]
NOT_CALLED = "explain calls no tool"
WOULD_GO_OUT = "would go out"


@dataclass(frozen=True)
class Rule:
    """A gate or route that was asked: its place, its condition, what came of it, and the values of its parts."""

    kind: str
    id: str
    at: str
    when: str
    outcome: str
    parts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Explanation:
    """What one message comes to, as far as no tool is needed."""

    rules: tuple[Rule, ...]
    lines: tuple[tuple[str, str], ...]
    reply: Json
    record: Json

    @property
    def open_calls(self) -> list[str]:
        """The tools that would be called; the reply depends on what they answer."""
        return [call["tool"] for call in self.record["calls"] if call["outcome"] == WOULD_GO_OUT]

    def as_json(self) -> Json:
        """For programs; `version` changes when a key does."""
        rules = [
            {
                "kind": one.kind,
                "id": one.id,
                "at": one.at,
                "when": one.when,
                "outcome": one.outcome,
                "parts": dict(one.parts),
            }
            for one in self.rules
        ]
        return {"version": 1, "rules": rules, "reply": self.reply, "record": self.record}


def explained(
    plan: Plan, text: str, *, now_ms: int, kind: str = "user_chat", user: Mapping[str, Any], metadata: Json
) -> Explanation:
    """What the rules decide for the first message of a session. Raises `InvalidMessage` if it does not fit."""
    program = link(plan)
    state = machine.opened(program, session_id="explain", run_id="explain", user=user, now_ms=now_ms)
    message = MessageReceived("explain", text, now_ms, type=kind, metadata=metadata)
    state.turn = 1
    turn = new_turn(program, state, message, metadata_of(program, message))
    found = _played(turn)
    reply = body(turn, found)
    kept = record.of_turn(turn, found, reply)
    _leave_open(kept)
    return Explanation((*_gates(turn), *_routes(turn)), tuple(told(kept)), reply, kept)


def _leave_open(kept: Json) -> None:
    """What follows from a call that was not made is not told as if it had been."""
    for call in kept["calls"]:
        if call.get("error") == NOT_CALLED:
            call["outcome"] = WOULD_GO_OUT
    kept["problems"] = [problem for problem in kept["problems"] if problem["message"] != NOT_CALLED]


def _played(turn: Turn) -> Answer:
    playing = answer(turn)
    try:
        calls = next(playing)
        while True:
            ends = [ToolReturned(call.call_id, "error", turn.now_ms, message=NOT_CALLED) for call in calls]
            calls = playing.send(ends)
    except StopIteration as stop:
        found = stop.value
        assert isinstance(found, Answer)
        return found


def _gates(turn: Turn) -> Iterator[Rule]:
    gates = {gate.id: gate for gate in turn.program.plan.gates}
    for seen in turn.gates:
        gate = gates[seen["id"]]
        hits = [("hit", f"{raw!r} at {start}..{end}") for raw, start, end in seen.get("hits", ())]
        parts = (*hits, *(_parts(turn, gate.when) if gate.when and seen["why"] != "no match" else ()))
        conditions = [f"screen {gate.screen}"] if gate.screen else [f"begins with {gate.prefix}"] if gate.prefix else []
        when = " and ".join([*conditions, *([gate.when] if gate.when else [])])
        outcome = seen["verdict"] if seen["verdict"] != "pass" else f"pass ({seen['why']})"
        yield Rule("gate", gate.id, gate.at, when, outcome, parts)


def _routes(turn: Turn) -> Iterator[Rule]:
    chosen = turn.route["id"] if turn.route else None
    if chosen is None:
        return
    for route in turn.program.plan.routes:
        parts = _parts(turn, route.when) if route.when else ()
        outcome = f"flow {route.flow}" if route.id == chosen else "not met"
        yield Rule("route", route.id, route.at, route.when or "otherwise", outcome, parts)
        if route.id == chosen:
            return


def _parts(turn: Turn, when: str) -> tuple[tuple[str, str], ...]:
    shown = {part.text: _shown(part.value) for part in explain(when, turn.context).parts}
    return tuple((text, value) for text, value in shown.items() if text != when and _says_something(text))


def _says_something(text: str) -> bool:
    """Literals and bare roots say nothing that the reader does not know."""
    return not (text[:1] in "'\"[" or text[:1].isdigit() or text.isidentifier())


def _shown(value: Any) -> str:
    if isinstance(value, NotMet):
        return f"{value.reason}: {value.path}"
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        return str(value)  # a time, which conditions may hold but JSON cannot
