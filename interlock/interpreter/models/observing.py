"""What a model is shown of a scratchpad: as data, with what may be seen of results, and bounded."""

from typing import TYPE_CHECKING

from interlock.interpreter.models.prompts import CONTEXT_BYTES, as_data, seen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn

KEYS = ("kind", "round", "name", "outcome", "message", "text")
LEFT_OUT = "left out: there is too much to show"


def observed(turn: "Turn", blocks: "Sequence[Json]") -> str:
    """The blocks as JSON, empty if there are none; the oldest results go first where all are too large."""
    done = [_seen(turn, block) for block in blocks]
    for block in done:
        if len(as_data(done).encode(errors="replace")) <= CONTEXT_BYTES:
            break
        for key in {"result", "passages"} & block.keys():
            block[key] = LEFT_OUT
    return as_data({"done": done}) if done else ""


def _seen(turn: "Turn", block: "Json") -> "Json":
    known = {key: block[key] for key in KEYS if key in block}
    result = {"result": seen(turn, block["name"], block["result"])} if "result" in block else {}
    passages = {"passages": [_passage(one) for one in block["passages"]]} if block.get("passages") else {}
    return {**known, **result, **passages}


def _passage(found: "Json") -> "Json":
    return {"title": found["source"].get("title", ""), "text": found["text"]}
