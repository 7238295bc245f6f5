"""How a result becomes a reply without a model: raw JSON, some of its fields, or a text; when that fails, raw JSON."""

import json
from typing import TYPE_CHECKING, Any

from interlock.expressions import Missing
from interlock.interpreter.cells import at_path
from interlock.interpreter.lookups import in_turn
from interlock.interpreter.rendered import OutputMode, Rendered
from interlock.interpreter.returned import business
from interlock.interpreter.showing import bound, show_arguments
from interlock.interpreter.stating import stated, stated_by_mounts
from interlock.interpreter.texts import said
from interlock.interpreter.turn import FINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.interpreter.turn import CallResult, Turn
    from interlock.plan.tools import Response


def direct(turn: "Turn") -> Rendered | None:
    """The reply by the mount of the only call that went out in this turn, or of all look-ups; none in other cases."""
    calls = [] if turn.asked is not None and turn.asked.earlier else turn.real_calls
    mount = turn.program.mounts.get(calls[0].tool) if len(calls) == 1 else None
    if mount is not None and mount.respond and not in_turn(turn):
        return render(turn, mount.respond, calls[0])
    return stated_by_mounts(turn)


def render(turn: "Turn", response: str | None, call: "CallResult") -> Rendered:
    """What came of `call` by a declared response, raw without one.

    A failed call is said in the author's own words for that; without any, or raw, by the same, if it has a payload.
    """
    declared = turn.program.plan.responses[response] if response else None
    if declared is not None and declared.kind == "facts":
        return stated(turn, declared, [call])
    if call.message and call.outcome not in FINE and declared is not None and declared.kind != "raw":
        return Rendered(call.message, "text")
    fenced = declared is not None and declared.fenced
    if call.payload is None and call.outcome != "success":
        return _as_json(_error_of(turn, call), "raw_json", fenced=fenced)
    rendered = _by(turn, declared, call) if declared is not None else None
    if rendered is not None:
        return rendered
    fell_back = declared is not None and declared.kind != "raw"
    return _as_json(_business(turn, call), "raw_json", fenced=fenced, fallback_used=fell_back)


def _by(turn: "Turn", response: "Response", call: "CallResult") -> Rendered | None:
    result = call.result if call.outcome in ("success", "ensures") else _business(turn, call)
    if response.kind == "fields":
        there, chosen = chosen_fields(result, response.fields)
        if there:
            return _as_json(chosen, "json_subset", fenced=response.fenced)
        turn.failed(response.at, "no-field-there", f"none of {', '.join(response.fields)} is in the result")
    elif response.kind == "text" and response.text is not None:
        show = show_arguments(turn, turn.program.plan.tools.get(call.tool), bound(turn, call))
        roots = {"args": call.arguments, "result": result, "payload": call.payload, "$show": show}
        context = turn.context.extended(**roots)
        try:
            return Rendered(said(turn, response.text, context), "text")
        except Missing as missing:
            turn.failed(response.at, "text-incomplete", str(missing))
    return None


def chosen_fields(value: Any, paths: "Sequence[str]") -> tuple[bool, Any]:
    """Whether any of `paths` is there in `value`, and those that are, nested as in `value`; of a list, in its order."""
    return _chosen(value, [path.split(".") for path in paths])


def _chosen(value: Any, paths: "Sequence[Sequence[str]]") -> tuple[bool, Any]:
    if any(not path for path in paths):
        return True, value
    by_head: dict[str, list[Sequence[str]]] = {}
    for head, *rest in paths:
        by_head.setdefault(head, []).append(rest)
    kept: dict[str, Any] = {}
    for head, rests in by_head.items():
        there, inner = at_path(value, head)
        chosen = _chosen(inner, rests) if there else (False, None)
        if chosen[0]:
            kept[head] = chosen[1]
    if isinstance(value, list):
        return bool(kept), [kept[head] for head in sorted(kept, key=int)]
    return bool(kept), kept


def _business(turn: "Turn", call: "CallResult") -> Any:
    if call.payload is None:  # a result of an earlier turn, or one taken from the context
        return call.result
    return business(turn.program.plan.tools[call.tool], call.payload)


def _error_of(turn: "Turn", call: "CallResult") -> dict[str, Any]:
    tool = turn.program.plan.tools.get(call.tool)  # none of a procedure
    return {
        "server_name": "procedure" if tool is None else tool.server or tool.transport,
        "tool_name": call.tool,
        "status": call.outcome,
        "error_message": call.message or call.audit.get("error", ""),
    }


def _as_json(value: Any, mode: OutputMode, *, fenced: bool, fallback_used: bool = False) -> Rendered:
    text = json.dumps(value, ensure_ascii=False)
    return Rendered(f"```json\n{text}\n```" if fenced else text, mode, value, fallback_used)
