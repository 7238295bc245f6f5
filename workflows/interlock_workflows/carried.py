"""What a run hands to the next one when it continues as new: its state in one compressed payload, within the cap."""

import json
from dataclasses import fields
from typing import Any

from temporalio.common import RawValue

from interlock.client.converter import INFLATED_LIMIT, JsonConverter, compressed
from interlock.interpreter.state import State
from interlock.interpreter.work.state import RunState

CARRIED_LIMIT = 1_500_000
"""Bytes; the server refuses a payload of 2 MB, and a run that cannot continue would be stuck."""

_SHED_FIRST = ("records", "transcript", "outbox", "said", "receipts")


def packed(state: State | RunState, called: str = "state", **more: Any) -> RawValue:
    """The payload that carries `state` and what comes with it, unpacked as `{called: state, **more}`.

    Where it is too large the oldest records go first, then the oldest replies; `state` itself stays as it is.
    """
    kept = {field.name: getattr(state, field.name) for field in fields(state)}
    while True:
        plain = JsonConverter().to_payload({called: kept, **more})
        if len(plain.data) < INFLATED_LIMIT // 2:
            small = compressed(plain)
            if len(small.data) <= CARRIED_LIMIT:
                return RawValue(small)
        if not _shed(kept):
            return RawValue(compressed(plain))


def unpacked(value: RawValue) -> dict[str, Any]:
    """What `packed` was given."""
    carry: dict[str, Any] = json.loads(value.payload.data)
    return carry


def _shed(state: dict[str, Any]) -> bool:
    for name in _SHED_FIRST:
        if state.get(name):
            state[name] = state[name][(len(state[name]) + 1) // 2 :]
            return True
    seen = list(state["seen"].items())
    state["seen"] = dict(seen[(len(seen) + 1) // 2 :])
    return bool(seen)
