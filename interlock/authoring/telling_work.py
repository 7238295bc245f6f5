"""What the record of a procedure's step says, in lines for people: its calls, and where every argument is from."""

import json
from collections.abc import Iterator
from typing import Any

from interlock.authoring.telling import told_call, told_question, told_sources, told_tables

Json = dict[str, Any]
Line = tuple[str, str]

MARKS = {"done": "✓", "skipped": "–", "failed": "✗", "stopped": "■"}
"""How a step ended, as one sign."""

EVENTS = {
    "done": "the procedure is done",
    "failed": "nothing catches this",
    "ended": "the procedure has failed",
    "cancelled": "the procedure has not done its work",
    "terminated": "Temporal was told to end the run where it stood",
    "timed_out": "Temporal has ended the run where it stood: its time was over",
}


def told_step(record: Json) -> list[Line]:
    """`(subject, line)` pairs: the step first, then its calls, then why it failed."""
    return list(_event(record) if "event" in record else _step(record))


def headline(record: Json) -> str:
    """The step in one line: its name, place and how long it took."""
    took = _duration(record["ended_ms"] - record["began_ms"])
    named = record["step"] if record["action"] in ("call", record["step"]) else f"{record['action']} {record['step']}"
    return f"{MARKS[record['outcome']]} {named}  ({record['at']}, {took})"


def _step(record: Json) -> Iterator[Line]:
    yield "step", headline(record)
    yield from told_tables(record)
    for call in record["calls"]:
        yield from told_call(call)
    yield from told_sources(record, {})
    for asked in record.get("models", ()):
        yield told_question(asked)
    if child := record.get("child"):
        yield "run", f"{child['procedure']} {child['ending']} as run {child['run']}"
    if error := record.get("error"):
        yield "problem", f"{error['kind']}: {error['message']}"


def _event(record: Json) -> Iterator[Line]:
    event = record["event"]
    match event:
        case "event":
            yield "event", f"{record['name']} came in: {json.dumps(record['data'], ensure_ascii=False)}"
        case "retry" | "cancel":
            yield event, f"by {record['by'] or 'somebody'}"
        case "undone":
            yield "undone", str(record["step"])
        case _:
            yield str(event), EVENTS.get(event, str(event))
            yield from told_tables(record)


def _duration(ms: int) -> str:
    if ms < 1_000:
        return f"{ms} ms"
    if ms < 60_000:
        return f"{ms / 1_000:.1f} s"
    minutes, seconds = divmod(ms // 1_000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"
