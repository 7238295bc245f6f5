"""The one serialisable state of a session: all that outlives a turn, and all that continue-as-new carries."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

Status: TypeAlias = Literal["ai_active", "human_active", "closed"]
Json: TypeAlias = dict[str, Any]

RECORDS_KEPT = 50
IDS_KEPT = 1_000
IDS_KEPT_MS = 7 * 86_400_000


@dataclass(slots=True)
class State:
    """A session between two turns. Every value is JSON; `restored(state.as_json())` is an equal state.

    - `messages`: the last trusted user messages, oldest first: `{turn, text, intents, called, slots}`; `text` without
      what a screen found, `slots` the identifiers in it: name to `[[value, raw, start, end]]`.
    - `transcript`: the last `session.history` entries: `{turn, role, text, at_ms}`.
    - `seen`: message id to `{body: digest of the body, at_ms, turn, size, reply}`, oldest first.
    - `slots`: kept slots: name to `{status, value, found: [[value, raw, start, end]], turn}`.
    - `cells`: tool to key to `{value, producer, run, step, receipt, at_ms, scope, turn, made_from}`; `made_from` holds
      the values its call was made from, by source path, so that a change makes the cell stale. One that a call has
      made stale has no value, and `invalidated`: `{tool, step, receipt}` of that call.
    - `receipts`: the last receipts: `{id, tool, step, turn, arguments, outcome, status, at_ms}`.
    - `flow`: a flow that waits: `{name, route, journal, path (of the step), asked, attempts, turn}`, or none.
    - `background`: flows that a procedure runs for: child id to what `flow` has, and `{procedure, language, slots,
      vars, ended}`; `ended` is how the procedure ended, until the flow has gone on.
    - `model`: the settings of the one model that this session asks, where whoever opened it named one.
    - `outbox`: what was said outside a reply: `{number, text, role, at_ms}`.
    """

    session_id: str
    run_id: str
    plan_digest: str
    user: Json
    status: Status = "ai_active"
    turn: int = 0
    opened_ms: int = 0
    last_ms: int = 0
    messages: list[Json] = field(default_factory=list)
    transcript: list[Json] = field(default_factory=list)
    seen: dict[str, Json] = field(default_factory=dict)
    slots: dict[str, Json] = field(default_factory=dict)
    cells: dict[str, dict[str, Json]] = field(default_factory=dict)
    receipts: list[Json] = field(default_factory=list)
    vars: Json = field(default_factory=dict)
    flow: Json | None = None
    background: dict[str, Json] = field(default_factory=dict)
    outbox: list[Json] = field(default_factory=list)
    outbox_number: int = 0
    records: list[Json] = field(default_factory=list)
    calls: int = 0
    model: Json | None = None

    @property
    def layers(self) -> list[dict[str, dict[str, Json]]]:
        """All cells that can be seen; a session has one layer of them."""
        return [self.cells]

    def as_json(self) -> Json:
        """A deep copy made of JSON values only."""
        return asdict(self)


def restored(data: Json) -> State:
    """The state that `as_json` gave; raises TypeError for anything else."""
    return State(**data)
