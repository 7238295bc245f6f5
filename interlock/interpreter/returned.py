"""What came back from a call: its outcome, its business part, and what it leaves in the state."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.interpreter import cells, lookups, receipts
from interlock.interpreter.outcomes import Classified, Rules, classify, understand

if TYPE_CHECKING:
    from interlock.interpreter.arguments import Assembled
    from interlock.interpreter.events import ToolReturned
    from interlock.interpreter.sources import Desk
    from interlock.interpreter.state import Json, State
    from interlock.interpreter.turn import CallResult, Turn
    from interlock.plan.tools import Tool


@dataclass(frozen=True, slots=True)
class Landed:
    """The meaning of an answer; `error` says in words why there is no result."""

    meaning: Classified
    result: Any = None
    error: str = ""


def landed(turn: "Turn", tool: "Tool", returned: "ToolReturned") -> Landed:
    """What `returned` means for `tool`: a success has a result that is as declared and small enough to keep."""
    rules = tuple(turn.program.condition(rule.when) if rule.when else None for rule in tool.outcomes)
    if returned.ending != "returned":
        return Landed(_ended(tool, returned, rules), error=returned.message or returned.ending)
    status = 200 if returned.status is None else returned.status
    meaning = classify(tool, status, returned.payload, rules)
    if meaning.outcome != "success":
        return Landed(meaning, error=returned.message or f"status {status}")
    understood = understand(tool, returned.payload)
    problem = understood.problem or cells.too_large(tool, understood.result)
    problem = problem or lookups.problem(tool, understood.result)
    if problem:
        return Landed(Classified("error"), error=problem)
    return Landed(meaning, understood.result)


def _ended(tool: "Tool", returned: "ToolReturned", rules: Rules) -> Classified:
    """The last attempt has failed; if it brought an answer, the declared outcome has the words for the person."""
    if returned.status is not None:
        meaning = classify(tool, returned.status, returned.payload, rules)
        if meaning.outcome == returned.ending:
            return meaning
    return Classified("timeout" if returned.ending == "timeout" else "error")


def business(tool: "Tool", payload: Any) -> Any:
    """What an answer of whatever outcome has where a result stands; all of it, if it has nothing there."""
    there, value = cells.at_path(payload, tool.unwrap)
    return value if there else payload


def kept(state: "State", call: "CallResult", returned: "ToolReturned") -> "Json":
    """Leave the receipt; what the record says of it."""
    assert call.receipt_id is not None
    receipts.keep(
        state,
        {
            "id": call.receipt_id,
            "tool": call.tool,
            "step": call.step,
            "turn": state.turn,
            "arguments": call.audit["arguments"],
            "outcome": call.outcome,
            "status": returned.status,
            "at_ms": returned.now_ms,
        },
    )
    return {
        "receipt": call.receipt_id,
        "status": returned.status,
        "attempts": returned.attempts,
        "elapsed_ms": returned.elapsed_ms,
    }


def changed(desk: "Desk", call: "CallResult", assembled: "Assembled", came: "ToolReturned") -> "Json":
    """Fill the cells of a success, and drop those of the tools it invalidates, unless it surely has changed nothing.

    What an answer would have filled that does not hold is for whoever undoes the call.
    """
    state, tool = desk.turn.state, desk.turn.program.plan.tools[call.tool]
    done: Json = {}
    sources = assembled.made_from
    without_effect = call.effect == "none" if tool.writes else call.outcome == "blocked"
    if tool.invalidates and not without_effect:
        by = {"tool": call.tool, "step": call.step, "receipt": call.receipt_id}
        done["invalidated"], sources = cells.invalidate(state, tool.invalidates, sources, desk.current, by)
    if call.sent is not None:  # sent once more, it does not find stale what it has made stale itself
        call.sent["made_from"] = sources
    if call.receipt_id is None or call.outcome not in ("success", "ensures"):
        return done
    where = {"receipt": call.receipt_id, "step": call.step}
    filled = cells.made(state, tool, call.tool, call.result, **where, sources=sources, now_ms=came.now_ms)
    if call.outcome == "success" and tool.produces:
        state.cells[call.tool] = filled
        done["filled"] = cells.shown(desk.turn.program.sensitive, tool, call.tool, call.result)
    if call.outcome == "success" or came.rules > 1:
        call.cells = filled
    return done
