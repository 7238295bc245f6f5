"""How a run begins: from what a caller sent, or from what the run before it carried over."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue

from interlock.client.attributes import RUN_MEMO
from interlock.contract import messages
from interlock.contract.messages import Malformed, Message
from interlock_workflows import carried, inbound

Json = dict[str, Any]

PINNED = "interlock_plan"
"""The memo by which a procedure that runs another names the plan that it was checked against."""

LANGUAGE = "interlock_language"
"""The memo by which it says the language that it speaks."""


@dataclass(slots=True)
class Opening:
    """What a run starts from: `state` or `work` where it goes on, else the user and perhaps the one message to answer.

    `given` is what the starter sent, for a procedure; `rules` come with the plan.
    """

    user: Json = field(default_factory=dict)
    message: Message | None = None
    model: Json | None = None
    given: Any = None
    state: Json | None = None
    work: Json | None = None
    pinned: bool = False
    refused: list[Json] = field(default_factory=list)
    rules: int = 1


def opening(arguments: Sequence[RawValue], info: workflow.Info) -> Opening:
    """Read the start's arguments; raises `Malformed` for what no spec can be started with."""
    if _continues(info):
        return Opening(**carried.unpacked(arguments[0]))
    return Opening(given=inbound.body(arguments))


def read_session(opening: Opening) -> None:
    """Read the start of a session; raises `Malformed` for what no agent can be started with."""
    if opening.state is None:
        start = messages.session_start(opening.given)
        opening.user, opening.message, opening.model = start.user, start.message, start.model


def session_of(info: workflow.Info) -> str:
    """The session's id: the workflow id without `<agent>:`."""
    return info.workflow_id.removeprefix(f"{info.workflow_type}:")


def memo_for(digest: str, language: str, run_id: str) -> Json:
    """What a run tells a procedure that it starts as a part of its own."""
    return {PINNED: digest, RUN_MEMO: run_id} | ({LANGUAGE: language} if language else {})


def pinned_plan() -> str:
    """The digest of the plan that whoever started this run as a part of its own was checked against."""
    return _told(PINNED)


def language_of_starter() -> str:
    """The language that whoever started this run as a part of its own speaks."""
    return _told(LANGUAGE)


def run_id_of(info: workflow.Info) -> str:
    """The id of a run, of which its idempotency keys are made: its starter's word for a part of its own run.

    A reset keeps the id of the first run, and starts what that one had started anew, under ids of Temporal's own. What
    anybody else starts has no say in its id.
    """
    told = _told(RUN_MEMO) if info.parent is not None else ""
    return told or info.first_execution_run_id


def starter(info: workflow.Info) -> Json | None:
    """The `{run, step}` that has started this run as a part of its own, if one has."""
    if info.parent is None or not pinned_plan():
        return None
    run = info.parent.workflow_id
    return {"run": run, "step": info.workflow_id.removeprefix(f"{run}/")}


def _told(name: str) -> str:
    kept = workflow.memo_value(name, None, type_hint=RawValue)
    if kept is None:
        return ""
    try:
        named = inbound.body([kept])
    except Malformed:
        return ""
    return named if isinstance(named, str) else ""


def _continues(info: workflow.Info) -> bool:
    # A retry or a cron start also names a run before it, but begins with the caller's own arguments again.
    return info.continued_run_id is not None and info.attempt == 1 and not info.cron_schedule
