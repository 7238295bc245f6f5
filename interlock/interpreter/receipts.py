"""What stays of a call: its receipt in the state, and its entry in the record; sensitive values are masked in both."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

from interlock.interpreter.cells import CELL_BYTES, is_short
from interlock.interpreter.masking import is_sensitive, secrets_of, without_secrets
from interlock.plan.marks import MASK
from interlock.plan.templates import paths_in

if TYPE_CHECKING:
    from interlock.interpreter.arguments import Assembled
    from interlock.interpreter.sources import Block
    from interlock.interpreter.state import Json, State
    from interlock.interpreter.turn import Turn
    from interlock.plan.tools import Idempotency

RECEIPTS_KEPT = 100


def number(state: "State") -> str:
    """The id of the next call, which is its receipt's too: unique in the run, the same in every replay."""
    state.calls += 1
    return f"{state.run_id}/{state.calls}"


def keep(state: "State", receipt: "Json") -> None:
    """Add a receipt; the oldest goes when there are too many."""
    state.receipts.append(receipt)
    del state.receipts[:-RECEIPTS_KEPT]


def shown(turn: "Turn", name: str, assembled: "Assembled") -> "Json":
    """The arguments of `name` as receipts keep them; of those too large to keep, their digest."""
    arguments = masked(turn, name, assembled.arguments, assembled.origins)
    if all(map(is_short, arguments.values())) and len(arguments) < CELL_BYTES // 1024:
        return arguments
    text = json.dumps(arguments, ensure_ascii=False, sort_keys=True).encode()
    return arguments if len(text) <= CELL_BYTES else {"sha256": hashlib.sha256(text).hexdigest(), "bytes": len(text)}


def masked(turn: "Turn", name: str, arguments: "Json", origins: "Json") -> "Json":
    """The arguments of `name` without what is sensitive, by what declares them and by where they are from."""
    marks, secrets = turn.program.sensitive, secrets_of(turn)
    if marks is None or secrets is None:
        return arguments
    kept: Json = {}
    for argument, value in arguments.items():
        origin, declared = origins[argument], ("inputs", name, argument)
        secrets.learn(declared, value)
        if marks.touch(origin.get("reads", ())):
            secrets.know(value)
            kept[argument] = MASK
        else:
            source = tuple(origin["source"].split("."))
            secrets.learn(source, value)
            kept[argument] = marks.masked(declared, marks.masked(source, value))
    return without_secrets(turn, kept)


def origins(turn: "Turn", name: str, assembled: "Assembled") -> "Json":
    """Where each argument came from, without the raw words of what is sensitive."""
    marks = turn.program.sensitive
    if marks is None:
        return assembled.origins
    kept = {
        argument: {key: part for key, part in origin.items() if key not in ("raw", "found")}
        if is_sensitive(turn, origin) or marks.within(("inputs", name, argument))
        else origin
        for argument, origin in assembled.origins.items()
    }
    return without_secrets(turn, {"sources": kept}, record=True)["sources"]


def refused(turn: "Turn", name: str, block: "Block") -> "Json":
    """A reason why a call of `name` did not go out, as the record keeps it."""
    marks = turn.program.sensitive
    hide = marks is not None and (
        block.slot in turn.program.sensitive_slots or bool(marks.within(("inputs", name, block.argument)))
    )
    candidates: list[Any] = [MASK] * len(block.candidates) if hide else list(block.candidates)
    entry: Json = {"why": block.why, "argument": block.argument, "reason": block.reason}
    entry |= ({"slot": block.slot} if block.slot else {}) | ({"candidates": candidates} if candidates else {})
    return without_secrets(turn, entry, record=True)


def key(turn: "Turn", declared: "Idempotency", made: str) -> str:
    """The key that a request goes out with, as the record keeps it."""
    marks = turn.program.sensitive
    return MASK if marks is not None and marks.touch(paths_in(declared.key)) else without_secrets(turn, made)
