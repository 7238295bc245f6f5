"""A turn as traces and metrics see it: what its record says of it, without any words of people."""

from collections.abc import Sequence
from typing import Any

from temporalio import workflow

from interlock.interpreter.commands import Command, Reply, Said
from interlock.interpreter.machine import InvalidMessage
from interlock.interpreter.state import State
from interlock.plan.plan import Plan
from interlock.telemetry import measures
from interlock.telemetry.spans import Facts
from interlock_workflows import inbound
from interlock_workflows.trail import Trail, of_run

Json = dict[str, Any]


class Watched:
    """One turn, from before its machine knows of it to its reply or its failure."""

    def __init__(self, plan: Plan, state: State) -> None:
        self._state, self._before = state, state.turn
        self.trail = Trail("turn", of_run(plan, state), texts=plan.trace_text)

    def failed(self, error: Exception) -> None:
        """It has no reply."""
        measures.counted(workflow.metric_meter(), measures.TURNS, outcome="failed")
        kind = inbound.INVALID_MESSAGE if isinstance(error, InvalidMessage) else type(error).__name__
        self.trail.end({}, error=kind, stays=True)  # what is logged of it now names its trace

    def ended(self, commands: Sequence[Command], said: str) -> None:
        """It has a reply among the commands, of which `said` may be kept; one given before is no turn of its own."""
        reply = next(one.body for one in commands if isinstance(one, Reply | Said))
        if self._state.turn == self._before:
            measures.counted(workflow.metric_meter(), measures.TURNS, outcome="repeated")
            self.trail.end({"interlock.outcome": reply["outcome"], "interlock.repeated": True})
            return
        record = self._state.records[-1]
        measures.turn_taken(workflow.metric_meter(), record)
        texts = {"interlock.message": (record["message"] or {}).get("text"), "interlock.reply": said}
        self.trail.end(_facts(record), texts)


def _facts(record: Json) -> Facts:
    return {
        "interlock.turn": record["turn"],
        "interlock.record": record["record_id"],
        "interlock.route": (record["route"] or {}).get("id"),
        "interlock.outcome": record["outcome"],
        "interlock.reason": record["reason"],
        "interlock.response_source": record["response_source"],
        "interlock.language": record["language"],
        "interlock.gates": [f"{one['id']}: {one['verdict']}" for one in record["gates"] if one["verdict"] != "pass"],
        "interlock.calls": record["invocation_count"],
        "interlock.problems": [one["code"] for one in record["problems"]],
    }
