"""What the record keeps of every step: its times, what came of it, and its calls with where values are from."""

from typing import TYPE_CHECKING, Any

from interlock.interpreter.work.state import RECORDS_KEPT

if TYPE_CHECKING:
    from interlock.interpreter.secrets import Secrets
    from interlock.interpreter.turn import CallResult
    from interlock.interpreter.work.state import Json, RunState
    from interlock.plan.steps import Step


class Notes:
    """Writes records into the state; `running` are the steps that have begun and not ended, by instance.

    `secrets` is what is known to be sensitive; there is none under a plan that declares nothing so.
    """

    def __init__(self, run: "RunState", secrets: "Secrets | None" = None) -> None:
        self._run = run
        self.secrets = secrets
        self.running: dict[str, Json] = {}
        self._fresh: list[Json] = []

    def began(self, step: "Step", instance: str, now_ms: int) -> "Json":
        """A step begins, or is taken up again."""
        note: Json = {"step": instance, "action": step.action, "at": step.at, "began_ms": now_ms, "calls": []}
        self.running[instance] = note
        return note

    def called(self, note: "Json", call: "CallResult") -> None:
        """A call of a step has ended. Of a step that polls, the last calls are kept."""
        note["calls"].append(call.audit)
        del note["calls"][:-RECORDS_KEPT]

    def ended(self, note: "Json", outcome: str, now_ms: int, **more: Any) -> None:
        """A step has ended."""
        self.running.pop(note["step"], None)
        self._keep({**note, "ended_ms": now_ms, "outcome": outcome, **more})

    def skipped(self, step: "Step", instance: str, now_ms: int, **more: Any) -> None:
        """A step was left out: its `when` does not hold."""
        self._keep(
            {
                "step": instance,
                "action": step.action,
                "at": step.at,
                "began_ms": now_ms,
                "ended_ms": now_ms,
                "outcome": "skipped",
                "calls": [],
                **more,
            }
        )

    def happened(self, event: str, now_ms: int, **more: Any) -> None:
        """Something that is no step: a person's act, an event that came in, the end."""
        self._keep({"event": event, "at_ms": now_ms, **more})

    def _keep(self, record: "Json") -> None:
        self._run.record_number += 1
        numbered = {"number": self._run.record_number, **self.kept(record)}
        self._run.records.append(numbered)
        del self._run.records[:-RECORDS_KEPT]
        self._fresh.append(numbered)

    def kept(self, entry: "Json") -> "Json":
        """What may be shown of a record, or of a failure."""
        return entry if self.secrets is None else self.secrets.kept(entry, record=True)

    def fresh(self) -> "list[Json]":
        """The records since this was last asked; the state itself holds the last ones only."""
        fresh, self._fresh = self._fresh, []
        return fresh
