"""A place in a trace as a header of Temporal's, under the name that Temporal's own interceptors use in every language.

What comes from a caller is believed only as far as it is well-formed: nothing that is sent can fail a task.
"""

import json
from typing import TYPE_CHECKING, Any

from temporalio.api.common.v1 import Payload

if TYPE_CHECKING:
    from collections.abc import Mapping

HEADER = "_tracer-data"
NAMES = ("traceparent", "tracestate")
LIMIT, VALUE_LIMIT = 4_096, 512
"""Bytes of a header that are looked at, and of each value in it: they go into the history with every activity."""

TEXTS = "interlock-texts"
"""Set between workflow and activity alone: the spec lets what people say stand in traces."""


def read(headers: "Mapping[str, Payload]") -> dict[str, str]:
    """What names the parent; empty if nothing does."""
    sent = _sent(headers)
    return {name: one for name in NAMES if isinstance(one := sent.get(name), str) and len(one) <= VALUE_LIMIT}


def lets_texts(headers: "Mapping[str, Payload]") -> bool:
    """Whether a workflow has said that texts may stand in the trace."""
    return _sent(headers).get(TEXTS) == "true"


def written(
    headers: "Mapping[str, Payload]", carrier: "Mapping[str, str]", *, texts: bool = False
) -> "Mapping[str, Payload]":
    """The headers with a place among them, if there is one."""
    if not carrier:
        return headers
    data = json.dumps({**carrier, **({TEXTS: "true"} if texts else {})}).encode()
    return {**headers, HEADER: Payload(metadata={"encoding": b"json/plain"}, data=data)}


def _sent(headers: "Mapping[str, Payload]") -> dict[str, Any]:
    payload = headers.get(HEADER)
    if payload is None or len(payload.data) > LIMIT:
        return {}
    try:
        sent = json.loads(payload.data)
    except (ValueError, RecursionError):
        return {}
    return sent if isinstance(sent, dict) else {}
