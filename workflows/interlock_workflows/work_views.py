"""What the queries of a procedure's run answer, and the Markdown that Temporal's pages show about it."""

from typing import Any

from interlock.interpreter.commands import CallTool, Generate, RunProcedure, StartTimer
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.retrying import unresolved
from interlock.interpreter.work.state import RunState
from interlock.interpreter.work.tasks import Awaited, AwaitEvent
from interlock.plan.plan import Plan
from interlock.plan.steps import ForEachStep, Step, lists_in

Json = dict[str, Any]

STATES = {"done": "done", "skipped": "skipped", "entered": "running", "caught": "handling", "unknown": "unknown"}
"""What a mark of the journal means to people."""


def status(machine: WorkMachine, plan: Plan, previous_run: str | None) -> Json:
    """Where the run stands: what runs, what it waits for, what is done, and what it lacks."""
    state = machine.state
    return {
        "run": state.run_id,
        "spec": plan.name,
        "digest": state.plan_digest,
        "status": state.status,
        "requester": state.requester or None,
        "running": [{"step": one["step"], "at": one["at"], "since_ms": one["began_ms"]} for one in _running(machine)],
        "waiting": [_waiting(one) for one in machine.tasks.waiting],
        "failure": state.failure,
        "unknown": list(state.unknown),
        "unresolved": unresolved(state),
        "effects": state.effects,
        "undo": list(state.undo),
        "undo_failures": state.undo_failures,
        "records": state.record_number,
        "result": state.result,
        "previous_run": previous_run,
    }


def steps(machine: WorkMachine, plan: Plan) -> list[Json]:
    """Every step of the procedure in the order written, with its state; of a loop, how many passes are done."""
    assert plan.work is not None
    return list(_listed(machine.state, plan.work.steps, 0))


def ended(state: RunState) -> Json:
    """What a run leaves that has not done its work."""
    return {
        "run": state.run_id,
        "status": state.status,
        "failure": state.failure,
        "leaves_effects": state.leaves,
        "effects": state.effects,
        "unknown": list(state.unknown),
        "not_undone": list(state.undo),
        "undo_failures": state.undo_failures,
    }


def details(machine: WorkMachine, plan: Plan) -> str:
    """Markdown for Temporal's pages; free of any value."""
    state = machine.state
    lines = [f"**{plan.name}**: `{state.status}` under plan `{state.plan_digest[:12]}`"]
    running = [one["step"] for one in _running(machine)]
    if running:
        lines.append("Running: " + ", ".join(f"`{name}`" for name in running[:20]))
    if state.failure is not None:
        lines.append(f"Failed at `{state.failure['step']}` with `{state.failure['kind']}`; it waits for `retry`.")
    if unknown := state.unknown:
        lines.append("Whether these effects happened is not known: " + ", ".join(f"`{name}`" for name in unknown))
    return "\n\n".join(lines)


def _running(machine: WorkMachine) -> list[Json]:
    return list(machine.notes.running.values())


def _waiting(one: Awaited) -> Json:
    match one:
        case CallTool():
            return {"for": "call", "tool": one.tool, "step": one.step}
        case Generate():
            return {"for": "model", "role": one.role, "step": one.step}
        case StartTimer():
            return {"for": "time", "until_ms": one.due_ms, "step": one.timer_id.partition("!")[0]}
        case RunProcedure():
            return {"for": "procedure", "procedure": one.procedure, "step": one.step}
        case AwaitEvent():
            return {"for": "event", "event": one.name, "step": one.wait_id.partition("!")[0]}


def _listed(state: RunState, steps: tuple[Step, ...], depth: int) -> "list[Json]":
    found: list[Json] = []
    for step in steps:
        entry = state.journal.get(step.id, {})
        one: Json = {"id": step.id, "action": step.action, "at": step.at, "depth": depth}
        one["state"] = STATES.get(entry.get("mark", ""), "pending")
        if one["state"] == "unknown" and step.id not in state.unknown:
            one["state"] = "failed"
        if state.failure is not None and _failed_at(state.failure, step):
            one["state"] = "failed"
        if isinstance(step, ForEachStep):
            one |= _passes(entry)
        found.append(one)
        for inner in lists_in(step):
            found += _listed(state, inner, depth + 1)
    return found


def _failed_at(failure: Json, step: Step) -> bool:
    """Whether the run has failed at a step, in whichever pass it stands."""
    return bool(failure["at"] == step.at and failure["step"].rpartition("/")[2] == step.id)


def _passes(loop: Json) -> Json:
    """How many items a loop has, and how many have passed or failed: of one that is over, what was counted then."""
    if "passes" in loop:
        return {**loop["passes"]}
    return {"items": loop.get("items"), **{name: len(loop.get(name, {})) for name in ("passed", "failed")}}
