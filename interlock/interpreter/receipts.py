"""What stays of a call: its receipt in the state, and its entry in the record; sensitive values are masked in both."""

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from interlock.interpreter.cells import CELL_BYTES, is_short
from interlock.interpreter.fields import masked

if TYPE_CHECKING:
    from interlock.interpreter.arguments import Assembled
    from interlock.interpreter.sources import Block
    from interlock.interpreter.state import Json, State
    from interlock.plan.plan import Plan
    from interlock.plan.tools import Taking

RECEIPTS_KEPT = 100
MASK = "***"


def number(state: "State") -> str:
    """The id of the next call, which is its receipt's too: unique in the run, the same in every replay."""
    state.calls += 1
    return f"{state.run_id}/{state.calls}"


def keep(state: "State", receipt: "Json") -> None:
    """Add a receipt; the oldest goes when there are too many."""
    state.receipts.append(receipt)
    del state.receipts[:-RECEIPTS_KEPT]


def shown(plan: "Plan", tool: "Taking", assembled: "Assembled") -> "Json":
    """The arguments as receipts keep them; of those too large to keep, their digest."""
    arguments = {
        name: MASK if _of_sensitive_slot(plan, assembled.origins[name]) else masked(tool.input[name], value)
        for name, value in assembled.arguments.items()
    }
    if all(map(is_short, arguments.values())) and len(arguments) < CELL_BYTES // 1024:
        return arguments
    text = json.dumps(arguments, ensure_ascii=False, sort_keys=True).encode()
    return arguments if len(text) <= CELL_BYTES else {"sha256": hashlib.sha256(text).hexdigest(), "bytes": len(text)}


def origins(plan: "Plan", tool: "Taking", assembled: "Assembled") -> "Json":
    """Where each argument came from, without the raw words of what is sensitive."""
    return {
        name: {key: part for key, part in origin.items() if key not in ("raw", "found")}
        if tool.input[name].sensitive or _of_sensitive_slot(plan, origin)
        else origin
        for name, origin in assembled.origins.items()
    }


def refused(plan: "Plan", tool: "Taking", block: "Block") -> "Json":
    """A reason why a call did not go out, as the record keeps it."""
    hide = tool.input[block.argument].sensitive or (block.slot in plan.slots and plan.slots[block.slot].sensitive)
    candidates: list[Any] = [MASK] * len(block.candidates) if hide else list(block.candidates)
    entry = {"why": block.why, "argument": block.argument, "reason": block.reason}
    return entry | ({"slot": block.slot} if block.slot else {}) | ({"candidates": candidates} if candidates else {})


def _of_sensitive_slot(plan: "Plan", origin: Mapping[str, Any]) -> bool:
    paths = [origin["source"], *origin.get("reads", ())]
    names = [path.split(".")[1] for path in paths if path.startswith("slots.")]
    return any(plan.slots[name].sensitive for name in names if name in plan.slots)
