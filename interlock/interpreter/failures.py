"""How a flow leaves its steps before their end: it fails, ends, waits, or a person takes over."""

from dataclasses import dataclass, field
from typing import Any

from interlock.interpreter.arguments import Assembled
from interlock.interpreter.replies import Outcome
from interlock.interpreter.slots import Question
from interlock.interpreter.turn import CallResult
from interlock.plan.base import Text
from interlock.plan.steps import ErrorKind


@dataclass
class StepFailed(Exception):  # noqa: N818 - what a `catch` takes
    """A step failed; a `catch` may take it. `message` is for the record, `text` for the person, where there is one.

    `lacks` are the reasons why a call did not go out. `instance` is the way to the step in a procedure's run.
    """

    kind: ErrorKind
    message: str
    step: str
    at: str
    tool: str = ""
    text: str = ""
    call: CallResult | None = None
    question: Question | None = None
    path: str = ""
    lacks: list[dict[str, Any]] = field(default_factory=list)
    instance: str = ""

    @property
    def where(self) -> str:
        """The way to the step, through the passes that it stands in: `hires[E-7]/onboard`."""
        return self.instance or self.step

    def as_root(self) -> dict[str, Any]:
        """The context root `error`."""
        return {"kind": self.kind, "message": self.message, "step": self.step, "tool": self.tool}

    def as_noted(self) -> dict[str, Any]:
        """What the record of a procedure's run has of it."""
        return {**self.as_root(), "step": self.where}


@dataclass
class FlowEnded(Exception):  # noqa: N818 - an end, not an error
    """A `refuse` or `handoff` ends the flow."""

    outcome: Outcome
    reason: str = ""
    data: dict[str, Any] | None = None


@dataclass
class FlowWaits(Exception):  # noqa: N818 - a wait, not an error
    """The flow asks and goes on with the next message, at the step of this path."""

    question: Question
    path: str
    reason: str = ""


@dataclass
class FlowRuns(Exception):  # noqa: N818 - a wait, not an error
    """The flow runs a procedure and goes on at the step of this path when that has ended."""

    procedure: str
    step: str
    at: str
    path: str
    given: Assembled
    waiting: Text | None = None


class Interrupted(Exception):  # noqa: N818 - an end, not an error
    """A person took over, or the session was closed, while a tool was working."""
