"""What a run was started with, as its history has it: whether two starts of one id say the same."""

import json
from dataclasses import asdict
from typing import Any

from temporalio.client import Client

from interlock.contract.messages import Malformed, body_of, session_start

Json = dict[str, Any]


async def began_with(client: Client, where: str, start: Json) -> bool:
    """Whether the session `where` was started with what `start` says; defaults that are left out count as said."""
    try:
        return _key(await input_of(client, where)) == _key(start)
    except Malformed:  # not from this contract: somebody else's run has the id
        return False


async def input_of(client: Client, where: str) -> Any:
    """The one JSON value that a run was started with. Raises `Malformed`."""
    handle = client.get_workflow_handle(where)
    first = await anext(handle.fetch_history_events(page_size=1))
    codec, sent = client.data_converter.payload_codec, first.workflow_execution_started_event_attributes.input.payloads
    plain = await codec.decode(sent) if codec else sent
    return body_of([(one.metadata.get("encoding", b"").decode("ascii", "replace"), one.data) for one in plain])


def _key(start: Any) -> str:
    parsed = asdict(session_start(start))
    return json.dumps(parsed, sort_keys=True)
