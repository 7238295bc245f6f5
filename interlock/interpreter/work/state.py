"""The one serialisable state of a procedure's run: all that a walk needs to go on where it stood."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]

Status: TypeAlias = Literal["running", "failed", "undoing", "done", "cancelled", "ended"]
"""`failed` waits for `retry`; `ended` is failed for good."""

RECORDS_KEPT = 50
EVENTS_KEPT = 1_000
"""Ids of events that are known again, and events that wait to be received."""

MAILBOX_BYTES = 512 * 1024
"""Room for the data of the events that wait to be received."""


NAMELESS = "?"
"""What stands in `left` for steps whose names are not known any more."""


@dataclass(slots=True)
class RunState:
    """A run between two events. Every value is JSON; `restored(state.as_json())` is an equal state.

    - `journal`: step instance to `{mark, …}`: what is done, left out, begun, being handled, or of unknown outcome.
      An instance is the step's id, behind the passes it stands in: `hires[E-7]/onboard`.
    - `cells` of the run, as a session's; `passes`: pass of a loop to the `{cells, vars, roots}` of its own; of one
      that is done and may have to be undone, with `undo` and what the journal had of its steps with results: `done`.
    - `vars`: of the run; beside each, behind a sign, where it is from, as `provenance` says.
    - `given_by`: the `{run, step}` that has run this one as a part of its own, and given it its input.
    - `undo`: what can be undone, in the order of completion: instance to `{step, pass, at_ms, cells}`; with `effect`
      false where a group that can be undone has changed nothing.
    - `left`: what has changed outside, or may have, and no step undoes: instance to how many; `[*]` in an instance
      stands for the passes of a loop that are done, which have lost their names.
    - `unknown`: those of them, and of what undoes a step, of which nobody knows whether they have happened; named and
      counted as in `left`.
    - `mailbox`: event name to the data that nobody has received yet, each `{id, data, at_ms}`.
    - `waits`: how many steps have waited for an event, so that they receive in the order in which they came.
    - `failure`: why it stands still: `{step, at, kind, message, …}`.
    - `records`: the last steps: `{number, step, action, at, began_ms, ended_ms, outcome, …}`.
    """

    run_id: str
    plan_digest: str
    input: Json
    requester: str = ""
    given_by: Json | None = None
    language: str = ""
    status: Status = "running"
    started_ms: int = 0
    last_ms: int = 0
    deadline_ms: int | None = None
    parked_ms: int | None = None
    cells: dict[str, dict[str, Json]] = field(default_factory=dict)
    vars: Json = field(default_factory=dict)
    passes: dict[str, Json] = field(default_factory=dict)
    journal: dict[str, Json] = field(default_factory=dict)
    undo: dict[str, Json] = field(default_factory=dict)
    undo_failures: list[Json] = field(default_factory=list)
    mailbox: dict[str, list[Json]] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    receipts: list[Json] = field(default_factory=list)
    calls: int = 0
    waits: int = 0
    left: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    failure: Json | None = None
    cancelled_by: str | None = None
    result: Json | None = None
    said: list[Json] = field(default_factory=list)
    records: list[Json] = field(default_factory=list)
    record_number: int = 0
    people: list[Json] = field(default_factory=list)

    @property
    def effects(self) -> list[str]:
        """The steps whose effects stand: they have happened, or may have, and are not undone."""
        undoable = [instance for instance, one in self.undo.items() if one.get("effect", True)]
        return list(dict.fromkeys([*self.left, *undoable]))

    @property
    def leaves(self) -> bool:
        """Whether something outside has changed, or may have, and is not undone."""
        return bool(self.effects)

    @property
    def ending(self) -> str:
        """What whoever has started it is told of a run that has not done its work."""
        if self.status == "cancelled":
            return "the run was cancelled"
        return (self.failure or {}).get("message") or "the procedure failed"

    def as_json(self) -> Json:
        """A deep copy made of JSON values only."""
        return asdict(self)


def restored(data: Json) -> RunState:
    """The state that `as_json` gave; raises TypeError for anything else."""
    if "undone" in data:
        data = _with_names(data)
    return RunState(**(data if "unknown" in data else data | {"unknown": _marked_unknown(data)}))


def _marked_unknown(data: Json) -> dict[str, int]:
    """Of a state that did not name them: the steps that nobody may repeat unasked."""
    return {at: 1 for at, one in data["journal"].items() if one["mark"] == "unknown"}


def _with_names(data: Json) -> Json:
    """The state of a version that only counted effects: most of those that no step undoes have no names."""
    known = {key: value for key, value in data.items() if key not in ("effects", "undone")}
    left = {at: 1 for at in _marked_unknown(data) if at not in data["undo"]}
    nameless = data["effects"] - len(data["undo"]) - len(left)
    return known | {"left": left | ({NAMELESS: nameless} if nameless > 0 else {})}
