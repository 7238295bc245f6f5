"""What the machines ask of their shell, as frozen data. Nothing here is done by a machine itself."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from interlock.contract.memory import MemoryEntry, MemoryQuestion


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool of the plan once (with the attempts of its retry policy) and answer with `ToolReturned`.

    Several in one list are independent and may run side by side. `arguments` are by declared argument name; `key`
    travels with every attempt as the tool's `idempotency` says, empty where it has none. `finishes`: it belongs to an
    effect that has begun, and whatever stops lets it come to its end. `again`: an earlier call with this request may
    have had its effect.
    """

    call_id: str
    tool: str
    arguments: dict[str, Any]
    step: str
    at: str
    key: str = ""
    finishes: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Generate:
    """Ask the model of a role once (with its attempts), and answer with `Generated`.

    `messages`, `tools`, `choose` and `schema` are those of a `ModelRequest`; with `streamed` what is written may be
    shown while it is; `partial` as there. `named` are settings that count before those of the role.
    """

    call_id: str
    stage: str
    role: str
    messages: list[dict[str, Any]]
    step: str
    at: str
    schema: dict[str, Any] | None = None
    streamed: bool = False
    partial: bool = False
    named: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Retrieve:
    """Search a retriever of the plan, and answer with `Retrieved`."""

    call_id: str
    retriever: str
    query: str
    top: int
    step: str
    at: str


@dataclass(frozen=True, slots=True)
class ReadMemory:
    """Look up what is remembered of a person, and answer with `Remembered`."""

    call_id: str
    question: MemoryQuestion


@dataclass(frozen=True, slots=True)
class WriteMemory:
    """Leave an exchange in the memory of a person, and answer with `Remembered`."""

    call_id: str
    entry: MemoryEntry


Asked: TypeAlias = CallTool | Generate | Retrieve | ReadMemory | WriteMemory
"""What a turn waits for the end of, each by its `call_id`."""


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Answer with `TimerDue` at `due_ms`, a time that may have passed."""

    timer_id: str
    due_ms: int


@dataclass(frozen=True, slots=True)
class CancelTimer:
    """A timer that nobody waits for any more."""

    timer_id: str


@dataclass(frozen=True, slots=True)
class StopCall:
    """Begin no further attempt of a call; its end still comes.

    A tool that only reads is not waited for at all: `stopped`. One that writes ends the attempt that is under way; with
    `only_reads` it has all its attempts.
    """

    call_id: str
    only_reads: bool = False


@dataclass(frozen=True, slots=True)
class RunProcedure:
    """Run a procedure under the plan of `digest`, and answer with `ProcedureEnded`. `input` is as it declares.

    `language` is what whoever runs it speaks.
    """

    child_id: str
    procedure: str
    digest: str
    input: dict[str, Any]
    step: str
    at: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class CancelProcedure:
    """Cancel a procedure that is running; its end still comes."""

    child_id: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of a turn: `body` is the reply of the public contract, and stands in the state too."""

    message_id: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """The end of a turn that no message began: `body` is like a reply, and its text stands in the outbox."""

    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Changed:
    """The status of the session or its outbox changed; the shell may update what it shows about the run."""

    status: str


Command: TypeAlias = (
    Asked | Reply | Said | Changed | StartTimer | CancelTimer | StopCall | RunProcedure | CancelProcedure
)
