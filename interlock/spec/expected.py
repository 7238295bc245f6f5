"""What a Suite expects of a turn: the models under `expect`."""

from typing import Annotated, Any, Literal

from pydantic import Field as Key
from pydantic import StringConstraints

from interlock.spec.base import Maybe, Name, Named, Said, SpecModel, Value, Wired, WireName
from interlock.spec.patterns import CELL_NAME
from interlock.spec.rules import AnyOf, NotEmpty
from interlock.spec.steps import ErrorKind

CellName = Annotated[str, StringConstraints(pattern=CELL_NAME)]

SUITE_OUTCOME = {"answer": "reply", "handed_off": "handoff", "empty": "none"}
"""Outcomes of the public contract that `expect.outcome` spells otherwise; the rest are the same."""


class ExpectedCall(SpecModel):
    """One call that must have been made."""

    tool: Name
    """The tool."""
    args: Maybe[dict[WireName, Any]] = None
    """Arguments that it must have had; others may be there."""


class ExpectedReply(SpecModel):
    """What the reply must be."""

    key_rules = (AnyOf("an expected reply", ("equals", "contains", "matches")),)

    equals: Maybe[str] = None
    """The whole text."""
    contains: Maybe[Said] = None
    """A part of it."""
    matches: Maybe[Said] = None
    """An RE2 pattern found in it."""


class ExpectedFailure(SpecModel):
    """Why the run must have failed, or stand still."""

    key_rules = (NotEmpty(),)

    kind: Maybe[ErrorKind] = None
    """Its kind, as a `catch` names it."""
    step: Maybe[Name] = None
    """The step that failed, in whichever pass of a loop; `result` and `deadline` where it was that."""
    contains: Maybe[Said] = None
    """A part of its message."""


class Expect(SpecModel):
    """What must come of a turn; all that is given must hold."""

    key_rules = (NotEmpty(),)

    outcome: Maybe[
        Literal["reply", "ask", "refuse", "decline", "queued", "handoff", "none", "closed", "degraded", "error"]
    ] = None
    """What kind of answer it is."""
    status: Maybe[
        Literal[
            "ai_active",
            "human_active",
            "closed",
            "running",
            "failed",
            "undoing",
            "done",
            "cancelled",
            "ended",
        ]
    ] = None
    """Status afterwards, of the session (the first three) or of the run."""
    reason: Maybe[Name] = None
    """The author's stable code."""
    gate: Maybe[Name] = None
    """The gate that ended the turn."""
    route: Maybe[Name] = None
    """The route taken."""
    slots: Maybe[Named[Value]] = None
    """Values of slots; null is unfilled."""
    missing: Maybe[list[WireName]] = None
    """What was asked for; of a run, the arguments that the failed call lacks."""
    calls: Maybe[list[ExpectedCall]] = None
    """The calls of steps, exactly and in order; those of checks and of `read_back` do not count."""
    reply: Maybe[ExpectedReply] = None
    """What was said."""
    answered_by: Maybe[
        Literal[
            "direct_response",
            "quick_match",
            "gate",
            "llm_generated",
            "narrative",
            "clarify",
            "human",
            "fallback",
            "facts",
            "fixed_reply",
            "empty",
        ]
    ] = None
    """What made the reply."""
    rounds: Maybe[Annotated[int, Key(ge=0)]] = None
    """How many rounds the `act` steps of the turn had."""
    remembered: Maybe[bool] = None
    """Whether the turn was left in the memory of the person."""
    cells: Maybe[Annotated[dict[CellName, Value], Key(min_length=1)]] = None
    """Values of cells by `tool.key`; null is not filled."""
    result: Maybe[Wired[Value]] = None
    """Values of the run's result by name; null is not there."""
    failure: Maybe[ExpectedFailure] = None
    """Why the run failed, or stands still."""
    undone: Maybe[list[Said]] = None
    """The steps that were undone, exactly and in order."""
