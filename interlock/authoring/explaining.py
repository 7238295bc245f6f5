"""Explains what the rules of a plan decide for one message: every gate and route asked, with the values compared.

No tool is called and no model asked: what would go out is shown, with the sources of arguments, and there it ends.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from interlock.authoring.telling import ANNOTATES, told
from interlock.expressions import NotMet, explain
from interlock.interpreter import machine, record
from interlock.interpreter.commands import CallTool, Generate, ReadMemory, Retrieve, WriteMemory
from interlock.interpreter.events import Generated, MessageReceived, Remembered, Retrieved, ToolReturned
from interlock.interpreter.opening import metadata_of
from interlock.interpreter.pipeline import answer
from interlock.interpreter.program import link
from interlock.interpreter.replies import Answer, body
from interlock.interpreter.roots import new_turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from interlock.interpreter.commands import Asked
    from interlock.interpreter.events import Ended
    from interlock.interpreter.turn import Turn
    from interlock.plan.plan import Plan

Json = dict[str, Any]
NOT_CALLED = "explain calls no tool and asks no model"
WOULD_GO_OUT = "would go out"
WOULD_BE_ASKED = "would be asked"
NO_MATCH = "no match"
"""Why a screen or prefix let the turn pass; its `when` was not asked then."""


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
    """What one message comes to; no `reply` if that depends on what tools answer."""

    rules: tuple[Rule, ...]
    lines: tuple[tuple[str, str], ...]
    reply: Json | None
    record: Json
    open_calls: tuple[str, ...]
    """The tools that would be called, on whose answers the rest depends."""

    def as_json(self) -> Json:
        """For programs; `version` changes when a key does."""
        rules = [{**asdict(one), "parts": dict(one.parts)} for one in self.rules]
        return {
            "version": 1,
            "rules": rules,
            "open_calls": self.open_calls,
            "reply": self.reply,
            "record": self.record,
        }


def explained(
    plan: Plan, text: str, *, now_ms: int, kind: str = "user_chat", user: Mapping[str, Any], metadata: Json
) -> Explanation:
    """What the rules decide for the first message of a session. Raises `InvalidMessage` if it does not fit."""
    program = link(plan)
    state = machine.opened(program, session_id="explain", run_id="explain", user=user, now_ms=now_ms)
    message = MessageReceived("explain", text, now_ms, type=kind, metadata=metadata)
    state.turn = 1
    turn = new_turn(program, state, message, metadata_of(program, message))
    found, known = _played(turn)
    reply = body(turn, found)
    kept = record.of_turn(turn, found, reply)
    if known is not None:
        kept |= known.as_record(kept["calls"])
    going_out = known.going_out if known else []
    open_calls = tuple(dict.fromkeys(_asked_of(one) for one in going_out))
    return Explanation((*_gates(turn), *_routes(turn)), tuple(told(kept)), None if known else reply, kept, open_calls)


@dataclass(frozen=True)
class _Known:
    """What was known when the first calls or questions would have gone out; what follows depends on their answers."""

    going_out: list[Asked]
    calls: int
    steps: list[Json]
    decisions: Json
    caught: list[Json]
    problems: list[Json]
    runtime: str | None

    def as_record(self, calls: list[Json]) -> Json:
        """These parts of the record as far as they are known; `calls` are those of the whole turn."""
        made = {call["receipt"]: call for call in calls if "receipt" in call}
        known = calls[: self.calls]
        asked: list[Json] = []
        searches: list[Json] = []
        for one in self.going_out:
            if isinstance(one, CallTool):
                call = made.get(one.call_id, {"tool": one.tool, "step": one.step, "at": one.at})
                known.append({**call, "outcome": WOULD_GO_OUT, "error": ""})
            elif isinstance(one, Retrieve):
                searches.append({"at": one.at, "retriever": one.retriever, "error": WOULD_BE_ASKED})
            elif isinstance(one, Generate):
                asked.append({"at": one.at, "stage": one.stage, "role": one.role, "problem": WOULD_BE_ASKED})
        parts: Json = {
            "steps": self.steps,
            "decisions": self.decisions,
            "caught": self.caught,
            "problems": self.problems,
        }
        parts |= {"calls": known, "generations": asked, "retrievals": searches, "selections": []}
        parts["runtime"] = self.runtime
        return {**parts, "waits_for": None, "outcome": None, "reason": "", "response_source": None}


def _played(turn: Turn) -> tuple[Answer, _Known | None]:
    """The end of the turn, in which every call fails, and what was known before the first one."""
    playing = answer(turn)
    known: _Known | None = None
    try:
        calls = next(playing)
        while all(isinstance(one, ReadMemory) for one in calls):  # what is remembered decides nothing
            calls = playing.send([_not_done(one, turn.now_ms) for one in calls])
        parts = ([*turn.steps], dict(turn.decisions), [*turn.caught], [*turn.problems])
        known = _Known(calls, len(turn.calls), *parts, record.runtime_of(turn))
        while True:
            ends = [_not_done(call, turn.now_ms) for call in calls]
            calls = playing.send(ends)
    except StopIteration as stop:
        found = stop.value
        assert isinstance(found, Answer)
        return found, known


def _asked_of(asked: Asked) -> str:
    """The tool, role or retriever."""
    if isinstance(asked, CallTool):
        return asked.tool
    if isinstance(asked, Generate):
        return asked.role
    return asked.retriever if isinstance(asked, Retrieve) else "memory"


def _not_done(asked: Asked, now_ms: int) -> Ended:
    if isinstance(asked, CallTool):
        return ToolReturned(asked.call_id, "error", now_ms, message=NOT_CALLED)
    if isinstance(asked, Retrieve):
        return Retrieved(asked.call_id, now_ms, message=NOT_CALLED)
    if isinstance(asked, ReadMemory | WriteMemory):
        return Remembered(asked.call_id, now_ms, {})
    return Generated(asked.call_id, now_ms, message=NOT_CALLED)


def _gates(turn: Turn) -> Iterator[Rule]:
    gates = {gate.id: gate for gate in turn.program.plan.gates}
    for seen in turn.gates:
        gate = gates[seen["id"]]
        hits = [("hit", f"{_shown(raw)} at {start}..{end}") for raw, start, end in seen.get("hits", ())]
        parts = (*hits, *(_parts(turn, gate.when) if gate.when and seen["why"] != NO_MATCH else ()))
        conditions = [f"screen {gate.screen}"] if gate.screen else [f"begins with {gate.prefix}"] if gate.prefix else []
        when = " and ".join([*conditions, *([gate.when] if gate.when else [])])
        outcome = seen["verdict"] if seen["verdict"] != "pass" else f"pass ({seen['why']})"
        yield Rule("gate", gate.id, gate.at, when, outcome, parts)


def _routes(turn: Turn) -> Iterator[Rule]:
    """The routes as far as they were asked: none after a gate that ended the turn, all if none holds."""
    if any(gate["verdict"] not in ANNOTATES for gate in turn.gates):
        return
    chosen = turn.route["id"] if turn.route else None
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
