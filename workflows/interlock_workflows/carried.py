"""What a run hands to the next one when it continues as new: its state in one compressed payload, within the cap."""

import json
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue

from interlock.client.converter import INFLATED_LIMIT, JsonConverter, compressed

CARRIED_LIMIT = 1_500_000
"""Bytes; the server refuses a payload of 2 MB, and a run that cannot continue would be stuck."""

_SHED_FIRST = ("records", "transcript", "outbox", "receipts")


def packed(carry: dict[str, Any]) -> RawValue:
    """The payload that carries `carry`; where it is too large the oldest records go first, then the oldest replies."""
    plain = JsonConverter().to_payload(carry)
    while not _fits(plain) and _shed(carry["state"]):
        plain = JsonConverter().to_payload(carry)
    return RawValue(compressed(plain))


def _fits(plain: Payload) -> bool:
    return len(plain.data) < INFLATED_LIMIT // 2 and len(compressed(plain).data) <= CARRIED_LIMIT


def unpacked(value: RawValue) -> dict[str, Any]:
    """What `packed` was given."""
    carry: dict[str, Any] = json.loads(value.payload.data)
    return carry


def _shed(state: dict[str, Any]) -> bool:
    for name in _SHED_FIRST:
        if state[name]:
            del state[name][: (len(state[name]) + 1) // 2]
            return True
    ids = list(state["seen"])
    for message_id in ids[: (len(ids) + 1) // 2]:
        del state["seen"][message_id]
    return bool(ids)
