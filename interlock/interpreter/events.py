"""What happens to a session, as frozen data. The shell makes these; the machine only reads them.

Times are milliseconds since the epoch, from the workflow's clock.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from interlock.contract.calls import RULES

Body: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MessageReceived:
    """One inbound message, already validated in shape: strings are strings, `metadata` is a JSON object.

    `history` is context handed in by the caller, for generation only; `model` the settings of the one model to ask.
    """

    id: str
    text: str
    now_ms: int
    role: str = "user"
    type: str = "user_chat"
    metadata: Body = field(default_factory=dict)
    history: tuple[Body, ...] = ()
    model: Body | None = None


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """The end of one call with all its attempts.

    `returned`: an answer came (`status` is the HTTP status, 200 for a Python tool) and `payload` is its parsed JSON.
    `timeout` and `error`: none came, or not one that can be read; `payload` may still hold what did. `stopped`: nobody
    waits for it any more, and it only reads. `sent` is false where it is certain that nothing can have happened.
    `attempts` is 0 where the call could not be sent at all. `earlier` says of an answer that the request may have had
    its effect before the attempt that brought it. `rules` are those by which the worker has told both. `cut_short`: a
    `StopCall` was obeyed.
    """

    call_id: str
    ending: Literal["returned", "timeout", "error", "stopped"]
    now_ms: int
    status: int | None = None
    payload: Any = None
    message: str = ""
    attempts: int = 1
    elapsed_ms: int = 0
    sent: bool = True
    earlier: bool = False
    rules: int = RULES
    cut_short: bool = False


@dataclass(frozen=True, slots=True)
class Generated:
    """The end of one question to a model with all its attempts; what was written is not believed yet.

    `answer` has the fields of a `ModelAnswer`; none where no model has answered, which `message` explains.
    `attempts` is 0 where the question could not be sent at all.
    """

    call_id: str
    now_ms: int
    answer: Body | None = None
    message: str = ""
    elapsed_ms: int = 0
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The end of one search: passages `{text, source, score}`, best first; none where it failed, with the reason."""

    call_id: str
    now_ms: int
    passages: tuple[Body, ...] | None = None
    message: str = ""
    elapsed_ms: int = 0


@dataclass(frozen=True, slots=True)
class Remembered:
    """The end of a look into a memory, or of an entry: `memories` of the former; a `message` where it failed."""

    call_id: str
    now_ms: int
    memories: Body | None = None
    message: str = ""


Ended: TypeAlias = ToolReturned | Generated | Retrieved | Remembered
"""The end of something that a turn waits for."""


@dataclass(frozen=True, slots=True)
class TimerDue:
    """The time of a `StartTimer` has come."""

    timer_id: str
    now_ms: int


@dataclass(frozen=True, slots=True)
class ProcedureEnded:
    """The end of a `RunProcedure`; `result` is what it gives back, `message` why it did not end well.

    `left`: it has changed something outside, or may have, that it has not undone.
    """

    child_id: str
    ending: Literal["done", "failed", "cancelled"]
    now_ms: int
    result: Body = field(default_factory=dict)
    message: str = ""
    run_id: str = ""
    left: bool = False


@dataclass(frozen=True, slots=True)
class EventReceived:
    """Something was sent in for a procedure, as its plan declares it."""

    id: str
    name: str
    data: Body
    now_ms: int


@dataclass(frozen=True, slots=True)
class PersonActed:
    """A colleague's event: takeover, release or close; `by` names who, as far as the caller said."""

    event: Literal["takeover", "release", "close"]
    now_ms: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class TimerFired:
    """The session was idle for its declared time."""

    timer: Literal["idle"]
    now_ms: int


@dataclass(frozen=True, slots=True)
class RetryAsked:
    """Somebody has mended the cause of a failure. `resolved` says what became of unknown effects, by step."""

    now_ms: int
    by: str = ""
    resolved: dict[str, Literal["happened", "did_not_happen"]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CancelAsked:
    """Somebody wants a procedure to end."""

    now_ms: int
    by: str = ""


WorkEvent: TypeAlias = ToolReturned | Generated | TimerDue | ProcedureEnded | EventReceived | RetryAsked | CancelAsked

Event: TypeAlias = MessageReceived | Ended | PersonActed | ProcedureEnded | TimerFired
