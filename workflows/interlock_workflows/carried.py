"""What a run hands to the next one when it continues as new: its state in one compressed payload, within the cap."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue

from interlock.client.converter import INFLATED_LIMIT, JsonConverter, compressed
from interlock.interpreter.state import State
from interlock.interpreter.work.state import RunState

CARRIED_LIMIT = 1_500_000
"""Bytes; the server refuses a payload of 2 MB, and a run that cannot continue would be stuck."""

_SHED_FIRST = ("records", "transcript", "outbox", "said", "receipts")
"""What goes before the replies to known messages; the events that a procedure has received are never forgotten."""


def fits(state: State | RunState, called: str = "state", **more: Any) -> bool:
    """Whether what `packed` gives is within the cap."""
    return len(packed(state, called, **more).payload.data) <= CARRIED_LIMIT


def packed(state: State | RunState, called: str = "state", **more: Any) -> RawValue:
    """The payload that carries `state` and what comes with it, unpacked as `{called: state, **more}`.

    Where it is too large the oldest records go first, then the oldest replies; `state` itself stays as it is. Where
    even the least is too large, that is what is given.
    """
    kept = {field.name: getattr(state, field.name) for field in fields(state)}
    sheds = [name for name in (*_SHED_FIRST, "seen") if name in kept and not (name == "seen" and called == "work")]
    small = _small({called: kept, **more})
    if small is None:
        least = kept | {name: type(kept[name])() for name in sheds}
        if _small({called: least, **more}) is None:  # every attempt takes its time, and none would help
            return RawValue(compressed(JsonConverter().to_payload({called: least, **more})))
    while small is None:
        _shed(kept, sheds)
        small = _small({called: kept, **more})
    return RawValue(small)


def _small(carry: dict[str, Any]) -> Payload | None:
    """The payload, if it is within the cap."""
    plain = JsonConverter().to_payload(carry)
    if len(plain.data) >= INFLATED_LIMIT // 2:
        return None
    small = compressed(plain)
    return small if len(small.data) <= CARRIED_LIMIT else None


def unpacked(value: RawValue) -> dict[str, Any]:
    """What `packed` was given."""
    carry: dict[str, Any] = json.loads(value.payload.data)
    return carry


def _shed(state: dict[str, Any], names: Sequence[str]) -> None:
    """Let the older half of the first that has any go."""
    name = next(name for name in names if state[name])
    left = list(state[name].items() if name == "seen" else state[name])
    left = left[(len(left) + 1) // 2 :]
    state[name] = dict(left) if name == "seen" else left
