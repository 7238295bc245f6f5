"""The kind Suite: conversations and what must come of them."""

from typing import Annotated, Any, Literal

from pydantic import Field as Key
from pydantic import StringConstraints

from interlock.spec.base import (
    Duration,
    Expression,
    Listed,
    Maybe,
    Name,
    Named,
    Said,
    SpecModel,
    SpecName,
    Text,
    Value,
    Wired,
    WireName,
)
from interlock.spec.patterns import CELL_NAME
from interlock.spec.rules import AnyOf, Beside, NotEmpty, OneOf
from interlock.spec.specs import Head

CellName = Annotated[str, StringConstraints(pattern=CELL_NAME)]

CONTRACT_OUTCOME = {"reply": "answer", "handoff": "handed_off", "none": "empty"}
"""Words of `expect.outcome` that the reply of the public contract spells otherwise; the rest are the same."""


class Stub(SpecModel):
    """One answer of a stubbed tool; the first that holds and is not used up."""

    key_rules = (OneOf("a stub answers in one way", ("payload", "outcome")), Beside("status", ("payload",)))

    when: Maybe[Expression] = None
    """When it answers, a bare expression over `args`."""
    payload: Value = None
    """The whole answer."""
    status: Maybe[Annotated[int, Key(ge=100, le=599)]] = None
    """Its HTTP status; 200 by default."""
    outcome: Maybe[Literal["timeout", "error"]] = None
    """A failure without an answer."""
    times: Maybe[Annotated[int, Key(ge=1)]] = None
    """How often; by default always."""


class Stubs(SpecModel):
    """The world, as the suite wants it."""

    key_rules = (NotEmpty(),)

    now: Maybe[Said] = None
    """The time at which every case begins, ISO 8601 with its zone."""
    tools: Maybe[Named[Listed[Stub]]] = None
    """Answers by tool."""


class CaseSession(SpecModel):
    """How the service opens the session."""

    key_rules = (NotEmpty(),)

    user: Maybe[Wired[Value]] = None
    """Attributes of the user."""
    locale: Maybe[Said] = None
    """The user's locale."""


class SentMessage(SpecModel):
    """A message with more than its text."""

    text: str
    """What the user wrote."""
    type: Maybe[Name] = None
    """Its type; user_chat by default."""
    metadata: Maybe[Wired[Value]] = None
    """Its metadata."""


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


class Expect(SpecModel):
    """What must come of a turn; all that is given must hold."""

    key_rules = (NotEmpty(),)

    outcome: Maybe[Literal["reply", "ask", "refuse", "decline", "handoff", "none", "closed", "error"]] = None
    """What kind of answer it is."""
    status: Maybe[Literal["ai_active", "human_active", "closed"]] = None
    """Status of the session afterwards."""
    reason: Maybe[Name] = None
    """The author's stable code."""
    gate: Maybe[Name] = None
    """The gate that ended the turn."""
    route: Maybe[Name] = None
    """The route taken."""
    slots: Maybe[Named[Value]] = None
    """Values of slots; null is unfilled."""
    missing: Maybe[list[WireName]] = None
    """What was asked for."""
    calls: Maybe[list[ExpectedCall]] = None
    """The calls, exactly and in order; those of checks do not count."""
    reply: Maybe[ExpectedReply] = None
    """What was said."""
    answered_by: Maybe[
        Literal[
            "direct_response",
            "quick_match",
            "gate",
            "clarify",
            "human",
            "fallback",
            "fixed_reply",
            "empty",
        ]
    ] = None
    """What made the reply."""
    cells: Maybe[Annotated[dict[CellName, Value], Key(min_length=1)]] = None
    """Values of cells by `tool.key`; null is not filled."""


class Turn(SpecModel):
    """Something that happens, and what must come of it."""

    key_rules = (OneOf("a turn is one event", ("user", "message", "agent", "event", "advance")),)

    user: Maybe[str] = None
    """The user writes this."""
    message: Maybe[SentMessage] = None
    """The service sends this message."""
    agent: Maybe[str] = None
    """A human colleague writes this."""
    event: Maybe[Literal["takeover", "release", "close"]] = None
    """The service raises this event."""
    advance: Maybe[Duration] = None
    """This much time passes."""
    expect: Maybe[Expect] = None
    """What must come of it."""


class Case(SpecModel):
    """One conversation."""

    id: Name
    """Its name in reports."""
    title: Maybe[Text] = None
    """What it shows."""
    session: Maybe[CaseSession] = None
    """How the session is opened."""
    turns: Listed[Turn]
    """What happens, in order."""


class SuiteSpec(Head):
    """Tests of one agent."""

    kind: Literal["Suite"]
    """What this file describes."""
    of: SpecName
    """The agent that is tested."""
    stubs: Maybe[Stubs] = None
    """The world."""
    cases: Listed[Case]
    """The conversations."""
