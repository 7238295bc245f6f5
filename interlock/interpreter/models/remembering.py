"""Long-term memory: read before a model first writes in a turn, and written after it has answered.

It is context for what a model writes, and for nothing else: no argument, condition or figure may come from it.
"""

import json
from typing import TYPE_CHECKING

from interlock.contract.memory import MemoryEntry, MemoryQuestion, Person
from interlock.interpreter.commands import ReadMemory, WriteMemory
from interlock.interpreter.masking import text_to_keep, without_secrets
from interlock.interpreter.models.evidence import results
from interlock.interpreter.models.prompts import seen
from interlock.interpreter.receipts import number
from interlock.interpreter.replies import record_id

if TYPE_CHECKING:
    from interlock.interpreter.events import Remembered
    from interlock.interpreter.replies import Answer
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Calling, Turn

WRITTEN_AFTER = frozenset({"llm_generated", "narrative", "facts"})
"""What made a reply that is worth remembering; a direct reply is a result, and stands with its service."""

RESULT_CHARS = 1_000
"""The longest result that is remembered, as JSON; of a longer one nothing is."""

PART = 4
"""A message or an answer takes this part of all that is remembered, at most: so there is room for two exchanges."""


def recall(turn: "Turn") -> "Calling[None]":
    """Have at hand what is remembered of the person; it is looked up once a turn, and a failure stops nothing."""
    declared, asking = turn.program.plan.memory, turn.asking
    if declared is None or asking.memory is not None:
        return
    person = _person(turn)
    asking.memory = {"by": declared.by, "read": None, "written": None}
    if person is None:
        asking.memory["read"] = {"error": f"`{declared.by}` holds no value"}
        return
    question = MemoryQuestion(person, chars=declared.summary_chars, results=declared.tool_results)
    came: Remembered = (yield [ReadMemory(number(turn.state), question)])[0]
    if came.memories is None:
        asking.memory["read"] = {"error": came.message}
        turn.failed("memory", "memory-not-read", came.message)
        return
    asking.remembered = came.memories
    asking.memory["read"] = {name: len(entries) for name, entries in came.memories.items()}


def remember(turn: "Turn", answer: "Answer") -> "Calling[None]":
    """Leave the exchange and what calls gave in it, if a model has answered; a failure stops nothing."""
    declared = turn.program.plan.memory
    person = _person(turn)
    if declared is None or person is None or turn.interrupted:
        return
    if answer.outcome != "answer" or answer.source not in WRITTEN_AFTER:
        return
    asking = turn.asking
    asking.memory = asking.memory or {"by": declared.by, "read": None, "written": None}
    most = declared.summary_chars // PART
    entry = MemoryEntry(
        person,
        id=record_id(turn.state, turn.state.turn),
        at_ms=turn.now_ms,
        said=_cut(asking.said or text_to_keep(turn), most),
        answered=_cut(without_secrets(turn, answer.text), most),
        found=_found(turn)[-declared.tool_results :] if declared.tool_results else [],
        chars=declared.summary_chars,
        results=declared.tool_results,
    )
    came: Remembered = (yield [WriteMemory(number(turn.state), entry)])[0]
    if came.message:
        asking.memory["written"] = {"error": came.message}
        turn.failed("memory", "memory-not-written", came.message)
    else:
        asking.memory["written"] = {"exchanges": 1, "results": len(entry.found)}


def _person(turn: "Turn") -> Person | None:
    """Whose memory it is; nobody's, if the session does not say who that is."""
    declared, user = turn.program.plan.memory, turn.state.user
    value = user.get(declared.by.partition(".")[2]) if declared is not None else None
    if declared is None or value is None or value == "":
        return None
    return Person(turn.program.plan.name, declared.by, str(value), user.get("tenant") or "")


def _found(turn: "Turn") -> "list[Json]":
    found = [{"tool": call.tool, "result": seen(turn, call.tool, call.result)} for call in results(turn)]
    return [one for one in found if len(json.dumps(one["result"], ensure_ascii=False)) <= RESULT_CHARS]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
