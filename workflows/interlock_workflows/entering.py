"""What a session begins with: the program of its plan, and the state of one that is new."""

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from interlock.contract.calls import PLAN_UNREADABLE, UNKNOWN_SPEC, ResolvedPlan
from interlock.interpreter.machine import InvalidMessage, opened
from interlock.interpreter.program import Program
from interlock.interpreter.state import State
from interlock_workflows import driver, inbound, plans
from interlock_workflows.clock import now_ms
from interlock_workflows.opening import Opening, pinned_plan, session_of


async def first_program(opening: Opening, info: workflow.Info) -> Program:
    """The newest plan of the spec, or the one that the run is pinned to; `opening` has its rules from then on.

    Raises ApplicationError if there is none.
    """
    before = opening.state or opening.work
    digest = before["plan_digest"] if before and (opening.pinned or opening.work) else pinned_plan()
    try:
        resolved = await driver.resolve_plan(info.workflow_type, digest)
    except ApplicationError as failure:
        if failure.type not in (UNKNOWN_SPEC, PLAN_UNREADABLE) or before is None:
            raise inbound.refusal(failure.type or inbound.INTERNAL, failure.message) from None
        # The spec is gone from the newest deployment, but not the plan of this session.
        resolved = await driver.resolve_plan(info.workflow_type, before["plan_digest"])
    opening.rules = resolved.rules
    return _program_of(resolved, begins=before is None)


def _program_of(resolved: ResolvedPlan, *, begins: bool) -> Program:
    """The program; without it a session that begins fails, and one that goes on waits for another worker."""
    try:
        return plans.program_of(resolved)
    except Exception as problem:
        if not begins or workflow.unsafe.is_replaying():
            raise
        raise inbound.refusal(PLAN_UNREADABLE, str(problem)) from problem


def new_state(program: Program, opening: Opening, info: workflow.Info) -> State:
    """The state of a session that begins. Raises ApplicationError for a user or model that does not fit the agent."""
    try:
        return opened(
            program,
            session_id=session_of(info),
            run_id=info.first_execution_run_id,
            user=opening.user,
            now_ms=now_ms(),
            model=opening.model,
        )
    except InvalidMessage as problem:
        raise inbound.invalid(problem) from None
