"""Look-ups: what a call of a tool with `fact` has found, what it has not, and what it was never asked for."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from interlock.interpreter.cells import at_path
from interlock.plan.templates import paths_in

if TYPE_CHECKING:
    from interlock.interpreter.sources import Desk
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import CallResult, Turn
    from interlock.plan.plan import Plan
    from interlock.plan.tools import Fact, Taking, Tool

FOUND, NOT_FOUND, UNRECOGNIZED = "found", "not_found", "unrecognized_param"

_FIRST = "0"
_SCALARS = (str, int, float)


def problem(tool: "Tool", result: Any) -> str:
    """Why `result` is neither one fact nor none, in words; empty if it is, or if the tool is no look-up."""
    declared = tool.fact
    if declared is None:
        return ""
    rows = _rows(declared, result)
    if rows is None:
        return "the answer has no rows where `fact` looks for one"
    if len(rows) > 1:
        return f"the answer has {len(rows)} rows, and a fact is one"
    there, value = at_path(result, declared.value)
    if rows and not there and tool.output is None:  # where it is declared, it may be left out
        return f"the answer has nothing at `fact.value`: {declared.value}"
    if value is not None and not isinstance(value, _SCALARS):
        return "the answer has no single value where `fact` looks for one"
    return ""


def of(declared: "Fact", result: Any, arguments: "Json") -> "Json":
    """The look-up that a `result` without a problem is: found with its value and source, or not found."""
    there, value = at_path(result, declared.value)
    if not there or value is None:
        return {"status": NOT_FOUND, "arguments": arguments}
    return {
        "status": FOUND,
        "value": value,
        "unit": at_path(result, declared.unit)[1] if declared.unit else None,
        "source": {name: at_path(result, path)[1] for name, path in declared.source.items()},
        "arguments": arguments,
    }


def _rows(declared: "Fact", result: Any) -> list[Any] | None:
    """The rows that the value is in the first of; a value that stands in no list is a row of its own."""
    if not _has_rows(declared):
        return [result]
    names = declared.value.split(".")
    there, rows = at_path(result, ".".join(names[: names.index(_FIRST)]))
    return rows if there and isinstance(rows, list) else None


def _has_rows(declared: "Fact") -> bool:
    return _FIRST in declared.value.split(".")


# -- what was said and means nothing ----------------------------------------------------------------------------------


def slots_behind(tool: "Taking", bind: Mapping[str, Any]) -> dict[str, str]:
    """Argument to the one slot that it is copied or computed from."""
    slots: dict[str, str] = {}
    for name, argument in tool.input.items():
        given = bind.get(name) if argument.source == "caller" else argument.value
        paths = paths_in(given) if argument.source in ("caller", "value") else {argument.source}
        read = {path.split(".")[1] for path in paths if path.startswith("slots.")}
        if len(read) == 1:
            slots[name] = read.pop()
    return slots


def looked_up(plan: "Plan") -> tuple[str, ...]:
    """The slots with a vocabulary that some look-up reads."""
    bound = {mount.call: mount.bind for mount in plan.mounts}
    read = {
        slot: None
        for name, tool in plan.tools.items()
        if tool.fact is not None
        for slot in slots_behind(tool, bound.get(name, {})).values()
    }
    return tuple(slot for slot in read if slot in plan.slots and plan.slots[slot].vocabulary)


def unrecognized(turn: "Turn", tool: "Taking", bind: Mapping[str, Any]) -> "Iterator[Json]":
    """A look-up for every word in the message that means none of the codes that an argument takes."""
    for argument, slot in slots_behind(tool, bind).items():
        filled = turn.slots.get(slot)
        for one in filled.unknown if filled is not None else ():
            yield {"status": UNRECOGNIZED, "param": argument, "slot": slot, "raw": one.raw}


def stands_still(desk: "Desk", tool: "Taking", bind: Mapping[str, Any]) -> bool:
    """Whether no call can be made: some argument has only words that mean nothing."""
    known = (desk.filled(slot) for slot in slots_behind(tool, bind).values())
    return any(filled is not None and filled.status == "unrecognized" for filled in known)


# -- of a turn --------------------------------------------------------------------------------------------------------


def in_turn(turn: "Turn") -> "list[Json]":
    """The look-ups of a turn, in order."""
    return [call.fact for call in turn.calls if call.fact is not None]


def missed(call: "CallResult") -> bool:
    """Whether a call was a look-up that has found no fact."""
    return call.fact is not None and call.fact["status"] != FOUND


def none_found(turn: "Turn") -> bool | None:
    """Whether there were look-ups and none of them has found anything; none where there can be none."""
    if not turn.program.looks_up:
        return None
    lookups = in_turn(turn)
    return bool(lookups) and all(one["status"] != FOUND for one in lookups)
