"""How long a run of a session lasts: until it is idle, or so long that another run takes over."""

from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue

from interlock.interpreter.state import State
from interlock.plan.plan import Plan
from interlock_workflows import carried
from interlock_workflows.clock import now_ms

Json = dict[str, Any]

TURNS_PER_RUN = 200
"""Turns after which a run continues as new; changing it needs new rules: see `calls.RULES`."""

TURNS_WITH_CHILDREN, HISTORY_WITH_CHILDREN = 1_500, 20_000
"""Turns and events after which it does so although a procedure is running, whose end it then cannot see."""

OUT_OF_SIGHT = "the conversation has gone on for so long that the end of the procedure cannot be seen from here"


def is_due(turns: int, running: int) -> bool:
    """Whether another run is to go on after so many turns, while so many procedures are running."""
    info = workflow.info()
    if running and info.get_current_history_length() < HISTORY_WITH_CHILDREN:
        return turns >= TURNS_WITH_CHILDREN
    return turns >= TURNS_PER_RUN or info.is_continue_as_new_suggested()


def idle_left(state: State, plan: Plan) -> timedelta:
    """How long nothing may happen from now on; a session is not idle while a procedure is running."""
    longest = plan.session.idle_timeout_ms
    left = longest if state.background else state.last_ms + longest - now_ms()
    return timedelta(milliseconds=max(left, 1))


def is_idle(state: State, plan: Plan) -> bool:
    """Whether nothing has happened for too long."""
    return now_ms() - state.last_ms >= plan.session.idle_timeout_ms and not state.background


def handed_over(state: State, *, pinned: bool, refused: list[Json]) -> RawValue:
    """All that the next run needs; what is running beside this one reports to a run that is gone then."""
    for waiting in state.background.values():
        waiting["ended"] = waiting["ended"] or {
            "ending": "failed",
            "result": {},
            "message": OUT_OF_SIGHT,
            "run": "",
        }
    return carried.packed(state, pinned=pinned, refused=refused)
