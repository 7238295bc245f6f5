"""What workflows and activities say to each other: names, requests, answers and failures, all plain JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]

CALL_TOOL: Final = "call_tool"
RESOLVE_PLAN: Final = "resolve_plan"

TOOL_TIMEOUT: Final = "tool_timeout"
"""Failure type: no answer within the deadline, or the answer's `outcomes` say so. Retried."""

TOOL_ERROR: Final = "tool_error"
"""Failure type: no answer, none that can be read, or one that means failure. Retried unless it would fail again."""

TOOL_MISCONFIGURED: Final = "tool_misconfigured"
"""Failure type: a missing variable, an unknown entry point, an argument that cannot be sent. Never retried."""

BEING_OPENED: Final = "the session is being opened"
"""What a query that comes too early fails with. Temporal carries no type with it, so the words are the contract."""

RULES: Final = 2
"""The rules of this version: by them a worker tells what a call may have done, a run ends the calls that it stops, and
states facts beside the other calls of a loop.

They stand in what activities answer, and so in the history; one of before they were written is of rules 1.
"""

FINISHED: Final = frozenset({"done", "cancelled", "ended"})
"""Statuses of a procedure's run to which nothing is to come any more."""

UNKNOWN_SPEC: Final = "unknown_spec"
"""Failure type: no plan of that name. Never retried."""

UNKNOWN_DIGEST: Final = "unknown_digest"
"""Failure type: a plan that this worker does not have; another worker or a later start may. Retried."""

PLAN_UNREADABLE: Final = "plan_unreadable"
"""Failure type: the plan that a run is to begin with is too large for a history and in no store. Never retried."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call of a tool, arguments verified.

    `server` and `outcomes` are dumps of `plan.tools.Server` and `plan.tools.Outcome`, references to `env` and `secrets`
    unresolved. `writes` says that a statement may change something. `mcp` names a tool of an MCP server, `definition`
    the digest that its definition must have, if any. `arguments` are `{name, value, place, send_as}`; with `stored` the
    value is a reference. `max_bytes` caps the answer's decoded body. `stored` are those parts of it
    that stay outside the run: `{unwrap, fields}`, the fields dumps of `plan.base.Field`; none if there are none.
    `again` says that an earlier call with this request may have had its effect.
    """

    tool: str
    call_id: str
    run_id: str
    step: str
    transport: Literal["http", "sql", "mcp", "python"]
    timeout_ms: int
    max_bytes: int
    server: Json | None = None
    method: str = ""
    path: str = ""
    sql: str = ""
    mcp: str = ""
    definition: str = ""
    writes: bool = False
    python: str = ""
    arguments: list[Json] = field(default_factory=list)
    outcomes: list[Json] = field(default_factory=list)
    stored: Json | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """An answer that came and is final: its meaning is for `outcomes`, by `payload` and `status`.

    A Python tool has status 200, an MCP tool 200, 400 or 500.
    `payload` is none for an empty body, and for a final 4xx whose body is not JSON. `earlier` says that the request may
    have had its effect before this attempt.
    """

    status: int
    payload: Any
    elapsed_ms: int
    attempts: int
    earlier: bool = False
    rules: int = 1


@dataclass(frozen=True, slots=True)
class FailureDetails:
    """The first detail of a `tool_…` failure: what is known of the last attempt.

    `sent` is false where no attempt can have changed anything: nothing left the worker, all of it was rolled back, or
    the service has refused it. By rules 1 what is refused was sent. `attempts` is 0 where the worker refused to send
    the request at all.
    """

    ending: Literal["timeout", "error"]
    status: int | None = None
    payload: Any = None
    attempts: int = 1
    elapsed_ms: int = 0
    sent: bool = True
    rules: int = 1


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Which plan: the current one of a spec's name, or the one with the digest that a run is pinned to."""

    name: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedPlan:
    """A plan's canonical JSON and digest; over INLINE_LIMIT compressed the text is empty and stands in the store.

    `rules` are those of the version that has answered; a run goes by those that it has begun with.
    """

    digest: str
    plan_json: str
    rules: int = 1


def details_of(details: Sequence[Any], ending: Literal["timeout", "error"], *, attempts: int = 1) -> FailureDetails:
    """The details of a tool's failure, or bare ones where a failure carries none (Temporal's own time-outs)."""
    names = {f.name for f in fields(FailureDetails)}
    if details and isinstance(details[0], dict) and set(details[0]) <= names and "ending" in details[0]:
        return FailureDetails(**details[0])
    return FailureDetails(ending=ending, attempts=attempts)
