"""Searches: passages for what is generated later in the turn. One that fails does not stop the turn."""

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
    from interlock.plan.steps import ActStep, RetrieveStep

TITLE_ONLY = ("title", "document", "locator")


def retrieve(turn: Turn, step: "RetrieveStep") -> "Calling[Json]":
    """Add what the retriever finds to the passages of the turn."""
    query = _query(turn, step)
    if not query:
        return {}
    passages = yield from searched(turn, step, step.retriever, query, step.top)
    if passages is None:
        return {}
    found = {"count": len(passages), "sources": turn.asking.retrievals[-1]["sources"]}
    return {"result": found, RESULT: [{"retriever": step.retriever}]}


def searched(
    turn: Turn, step: "RetrieveStep | ActStep", retriever: str, query: str, top: int | None = None
) -> "Calling[list[Json] | None]":
    """What a retriever finds, which joins the passages of the turn; none where the search fails, as the record says."""
    most = top or turn.program.plan.retrievers[retriever].top
    came: Retrieved = (yield [Retrieve(number(turn.state), retriever, query, most, step.id, step.at)])[0]
    entry: Json = {"step": step.id, "at": step.at, "retriever": retriever, "elapsed_ms": came.elapsed_ms}
    turn.asking.retrievals.append(entry)
    if turn.interrupted:
        raise Interrupted
    if came.passages is None:
        entry["error"] = came.message
        turn.failed(step.at, "retrieval-failed", came.message)
        return None
    entry["sources"] = [_named(one["source"]) for one in came.passages]
    passages = [dict(one) for one in came.passages]
    turn.asking.passages += passages
    return passages


def _query(turn: Turn, step: "RetrieveStep") -> str:
    """What is searched for; a search without words finds nothing."""
    try:
        return str(turn.program.value(step.query)(turn.context) or "").strip()
    except Missing as missing:
        turn.failed(step.at, "retrieval-failed", str(missing))
        return ""


def _named(source: "Json") -> "Json":
    return {key: source[key] for key in TITLE_ONLY if source.get(key)}
