"""How a run begins: from what a caller sent, or from what the run before it carried over."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue

from interlock.contract import messages
from interlock.contract.messages import Message
from interlock_workflows import carried, inbound

Json = dict[str, Any]


@dataclass(slots=True)
class Opening:
    """What a run starts from: `state` where it goes on, else the user and perhaps the one message to answer."""

    user: Json = field(default_factory=dict)
    message: Message | None = None
    state: Json | None = None
    pinned: bool = False
    refused: list[Json] = field(default_factory=list)


def opening(arguments: Sequence[RawValue], info: workflow.Info) -> Opening:
    """Read the start's arguments; raises `Malformed` for what a caller may not send."""
    if _continues(info):
        return Opening(**carried.unpacked(arguments[0]))
    start = messages.session_start(inbound.body(arguments))
    return Opening(user=start.user, message=start.message)


def session_of(info: workflow.Info) -> str:
    """The session's id: the workflow id without `<agent>:`."""
    return info.workflow_id.removeprefix(f"{info.workflow_type}:")


def _continues(info: workflow.Info) -> bool:
    # A retry or a cron start also names a run before it, but begins with the caller's own arguments again.
    return info.continued_run_id is not None and info.attempt == 1 and not info.cron_schedule
