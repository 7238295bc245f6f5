"""What the record of a turn says, in lines for people: gates, route, steps, calls with the source of every argument."""

import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
ANNOTATES = frozenset({"pass", "assume", "skip"})
"""Verdicts that let the turn go on."""


def ending_gate(record: Json) -> Json | None:
    """The gate that ended the turn."""
    return next((gate for gate in reversed(record.get("gates") or ()) if gate["verdict"] not in ANNOTATES), None)


def told(record: Json) -> list[tuple[str, str]]:
    """What decided the turn: `(subject, line)` pairs in the order of the turn, gates that let it pass left out."""
    return list(_told(record))


def _told(record: Json) -> Iterator[tuple[str, str]]:
    if record.get("kind") == "event":
        yield "event", f"{record['event']}: {record['effect']}"
        return
    for gate in record.get("gates") or ():
        if gate["verdict"] != "pass":
            yield "gate", f"{gate['id']} ({gate['at']}): {gate['verdict']}{_hits(gate)}"
    for found in record.get("identifiers") or ():
        yield "slot", f"{found['slot']} = {found['value']} ← {found['raw']!r} at {found['start']}..{found['end']}"
    if record.get("intents"):
        yield "intent", ", ".join(record["intents"])
    route = record.get("route")
    if route:
        going_on = "goes on with flow" if route.get("continued") else "flow"
        yield "route", f"{route['id']}{_at(route)}: {going_on} {route['flow']}"
    for name, decided in (record.get("decisions") or {}).items():
        rows = ", ".join(decided.get("rows") or ()) or "no row"
        came = decided.get("error") or json.dumps(decided.get("result"), ensure_ascii=False)
        yield "table", f"{name} ({rows}): {came}"
    calls = {call["at"] for call in record.get("calls") or ()}
    for call in record.get("calls") or ():
        yield from _call(call)
    for step in record.get("steps") or ():
        if step["at"] not in calls:
            yield "step", f"{step['id']} ({step['at']})"
    for caught in record.get("caught") or ():
        yield "catch", f"{caught['kind']} of step {caught.get('step', '?')} ({caught['at']})"
    for problem in record.get("problems") or ():
        yield "problem", f"{problem['code']} ({problem['at']}): {problem['message']}"
    if record.get("waits_for"):
        yield "waits", f"for {', '.join(record['waits_for'])}"


def _hits(gate: Json) -> str:
    return "".join(f", {raw!r} at {start}..{end}" for raw, start, end in gate.get("hits") or ())


def _at(rule: Json) -> str:
    return f" ({rule['at']})" if rule.get("at") else ""


def _call(call: Json) -> Iterator[tuple[str, str]]:
    yield "call", f"{call['tool']} ({call['at']}): {call['outcome']}"
    for name, source in (call.get("sources") or {}).items():
        value = json.dumps(call["arguments"].get(name), ensure_ascii=False)
        yield "source", f"{name} = {value} ← {_source(source)}"


def _source(source: Any) -> str:
    if not isinstance(source, dict):
        return str(source)
    rest = ", ".join(
        f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in source.items() if key != "source"
    )
    return f"{source.get('source', '')}{f' ({rest})' if rest else ''}"
