"""What a session shows of itself: its records, the signals that it refused, and what Temporal's pages say."""

from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeKey

from interlock.client.attributes import DIGEST, SPEC, STATUS
from interlock.interpreter.state import State
from interlock.plan.plan import Plan
from interlock_workflows import views
from interlock_workflows.archive import BATCH, Archive
from interlock_workflows.clock import now_ms

Json = dict[str, Any]

REFUSED_KEPT = 50


class Shown:
    """The records of this run, and the last signals that were refused in this one or before."""

    def __init__(self, refused: list[Json]) -> None:
        self.refused = refused
        self._archive = Archive()

    def refuse(self, signal: str, code: str, message: str) -> None:
        """Keep in the record that a signal was not obeyed."""
        self.refused.append({"signal": signal, "code": code, "message": message, "at_ms": now_ms()})
        del self.refused[:-REFUSED_KEPT]

    def record(self, state: State, turn: int | None) -> Json | None:
        """The record of one turn of this run, or of its last turns."""
        if turn is None:
            return views.records(state, self.refused)
        return self._archive.find(turn) or views.record(state, turn)

    def update(self, state: State, plan: Plan) -> None:
        """Keep what can be asked of the run, and bring Temporal's pages up to date where something changes."""
        self._archive.take(state.records[-BATCH:])
        workflow.set_current_details(views.details(state, plan))
        wanted = {SPEC: plan.name, DIGEST: state.plan_digest, STATUS: state.status}
        changed = [key.value_set(value) for key, value in wanted.items() if _known(key) != value]
        if changed:
            workflow.upsert_search_attributes(changed)


def _known(key: SearchAttributeKey[str]) -> str | None:
    return workflow.info().typed_search_attributes.get(key)
