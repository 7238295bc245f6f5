"""What the queries of a run answer, and the Markdown that Temporal's pages show about it."""

from typing import Any

from temporalio import workflow

from interlock.interpreter.state import State
from interlock.plan.plan import Plan
from interlock_workflows.opening import session_of

Json = dict[str, Any]


def status(state: State, spec: str, previous_run: str | None) -> Json:
    """Where the session stands; `previous_run` is the run that continued as this one."""
    return {
        "session": state.session_id,
        "run": state.run_id,
        "spec": spec,
        "digest": state.plan_digest,
        "status": state.status,
        "turn": state.turn,
        "waiting": waiting(state),
        "procedures": [
            {"procedure": one["procedure"], "run": child, "since_turn": one["turn"]}
            for child, one in state.background.items()
        ],
        "outbox": state.outbox_number,
        "previous_run": previous_run,
    }


def opening(info: workflow.Info) -> Json:
    """The answer of `status` while the plan is being looked up."""
    return {
        "session": session_of(info),
        "run": info.first_execution_run_id,
        "spec": info.workflow_type,
        "digest": None,
        "status": "opening",
        "turn": 0,
        "waiting": None,
        "procedures": [],
        "outbox": 0,
    }


def waiting(state: State) -> Json | None:
    """The flow that waits for the next message, and what it asked for."""
    if state.flow is None:
        return None
    return {"flow": state.flow.get("name"), "asked": state.flow.get("asked"), "since_turn": state.flow.get("turn")}


def outbox(state: State, after: int | None) -> list[Json]:
    """What was said outside a reply, later than number `after`."""
    return [entry for entry in state.outbox if entry["number"] > (after or 0)]


def records(state: State, refused: list[Json]) -> Json:
    """The records of the last turns, and the last signals that were refused."""
    return {"run": state.run_id, "turns": state.records, "refused": refused}


def record(state: State, turn: int) -> Json | None:
    """The record of one turn, as far as the state holds it."""
    return next((one for one in state.records if one["turn"] == turn), None)


def plan_of(plan: Plan, digest: str) -> Json:
    """Which plan the run is pinned to."""
    return {"spec": plan.name, "bundle": plan.bundle, "digest": digest, "format": plan.format}


def details(state: State, plan: Plan) -> str:
    """Markdown for Temporal's pages; free of anything that a user said."""
    lines = [f"**{plan.name}**: `{state.status}` under plan `{state.plan_digest[:12]}`"]
    if state.status == "human_active":
        lines.append("A person has taken over; the assistant waits for `release`.")
    if state.flow is not None:
        lines.append(f"Flow `{state.flow.get('name')}` waits for the next message.")
    return "\n\n".join(lines)


def summary(state: State) -> Json:
    """The result of a session that has ended."""
    return {"session": state.session_id, "status": state.status, "turns": state.turn, "digest": state.plan_digest}
