"""The loop that carries the machine's commands out: calls as activities, side by side, until the reply is there."""

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError

from interlock.contract import calls
from interlock.contract.calls import PlanRequest, ResolvedPlan
from interlock.interpreter.commands import (
    Asked,
    CallTool,
    Command,
    Generate,
    ReadMemory,
    Reply,
    Retrieve,
    WriteMemory,
)
from interlock.interpreter.events import Ended
from interlock.interpreter.machine import Machine
from interlock.plan.plan import Plan
from interlock_workflows.asking import ask_model, search
from interlock_workflows.calling import call_tool
from interlock_workflows.remembering import leave_behind, look_up
from interlock_workflows.trail import Trail

ATTEMPTS_HERE = 3
"""How often the worker that has a run is asked for its plan, before others are."""


async def carried_out(
    machine: Machine, plan: Plan, run_id: str, commands: list[Command], trail: Trail
) -> list[Command]:
    """Make the calls of a turn to its end; what is left to be done then. Raises CancelledError if it is cancelled."""
    while True:
        trail.saw(machine.stages.fresh())
        asked = [one for one in commands if isinstance(one, Asked)]
        if not asked:
            return commands
        ends = await _side_by_side([_done(plan, run_id, one) for one in asked])
        if _cancelled():
            raise asyncio.CancelledError
        commands = [command for end in ends for command in machine.handle(end)]


def _done(plan: Plan, run_id: str, asked: Asked) -> Coroutine[Any, Any, Ended]:
    match asked:
        case CallTool():
            return call_tool(plan, run_id, asked)
        case Generate():
            return ask_model(plan, run_id, asked)
        case Retrieve():
            return search(plan, run_id, asked)
        case ReadMemory():
            return look_up(asked)
        case WriteMemory():
            return leave_behind(asked)


def _cancelled() -> bool:
    """Whether this was cancelled, which Temporal tells as a failure of the activity: the turn must not go on."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _side_by_side(running: list[Coroutine[Any, Any, Ended]]) -> list[Ended]:
    """The ends in the order of `running`; one alone needs no task of its own."""
    return [await running[0]] if len(running) == 1 else await asyncio.gather(*running)


def reply_in(commands: list[Command]) -> dict[str, Any]:
    """The reply among the last commands of a turn."""
    for command in commands:
        if isinstance(command, Reply):
            return command.body
    raise RuntimeError("the machine ended a turn without a reply")


async def resolve_plan(name: str, digest: str, *, attempts: int = 0) -> ResolvedPlan:
    """Ask which plan stands behind a name or digest; the answer is in the history, so that a replay sees the same.

    Raises ApplicationError. Without `attempts` every worker is asked until one knows, unless an answer is final.
    """
    asked = PlanRequest(name, digest)
    within, pause = timedelta(seconds=10), timedelta(milliseconds=200)
    try:
        here: ResolvedPlan = await workflow.execute_local_activity(
            calls.RESOLVE_PLAN,
            asked,
            result_type=ResolvedPlan,
            start_to_close_timeout=within,
            retry_policy=RetryPolicy(initial_interval=pause, maximum_attempts=0 or ATTEMPTS_HERE),
        )
    except ApplicationError as failure:
        if attempts or failure.non_retryable:
            raise
    else:
        return here
    try:
        elsewhere: ResolvedPlan = await workflow.execute_activity(
            calls.RESOLVE_PLAN,
            asked,
            result_type=ResolvedPlan,
            start_to_close_timeout=within,
            retry_policy=RetryPolicy(initial_interval=pause, maximum_interval=within),
        )
    except ActivityError as failure:
        raise failure.cause if isinstance(failure.cause, ApplicationError) else failure from None
    return elsewhere
