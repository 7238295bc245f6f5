"""The step `retrieve`: passages for what is generated later in the turn. A search that fails does not stop the turn."""

from typing import TYPE_CHECKING

from interlock.expressions import Missing
from interlock.interpreter.commands import Retrieve
from interlock.interpreter.failures import Interrupted
from interlock.interpreter.provenance import RESULT
from interlock.interpreter.receipts import number
from interlock.interpreter.turn import Calling, Turn

if TYPE_CHECKING:
    from interlock.interpreter.events import Retrieved
    from interlock.interpreter.state import Json
    from interlock.plan.steps import RetrieveStep

TITLE_ONLY = ("title", "document", "locator")


def retrieve(turn: Turn, step: "RetrieveStep") -> "Calling[Json]":
    """Add what the retriever finds to the passages of the turn."""
    query = _query(turn, step)
    if not query:
        return {}
    declared = turn.program.plan.retrievers[step.retriever]
    asked = Retrieve(number(turn.state), step.retriever, query, step.top or declared.top, step.id, step.at)
    came: Retrieved = (yield [asked])[0]
    entry: Json = {"step": step.id, "at": step.at, "retriever": step.retriever, "elapsed_ms": came.elapsed_ms}
    turn.asking.retrievals.append(entry)
    if turn.interrupted:
        raise Interrupted
    if came.passages is None:
        entry["error"] = came.message
        turn.failed(step.at, "retrieval-failed", came.message)
        return {}
    entry["sources"] = [_named(one["source"]) for one in came.passages]
    turn.asking.passages += [dict(one) for one in came.passages]
    found = {"count": len(came.passages), "sources": entry["sources"]}
    return {"result": found, RESULT: [{"retriever": step.retriever}]}


def _query(turn: Turn, step: "RetrieveStep") -> str:
    """What is searched for; a search without words finds nothing."""
    try:
        return str(turn.program.value(step.query)(turn.context) or "").strip()
    except Missing as missing:
        turn.failed(step.at, "retrieval-failed", str(missing))
        return ""


def _named(source: "Json") -> "Json":
    return {key: source[key] for key in TITLE_ONLY if source.get(key)}
