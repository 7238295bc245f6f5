"""The kind Suite: conversations, or runs of a procedure, and what must come of them."""

from typing import Annotated, Any, Literal

from pydantic import Field as Key

from interlock.spec.base import (
    Chosen,
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
)
from interlock.spec.expected import Expect
from interlock.spec.models import NamedModel
from interlock.spec.rules import AnyOf, Beside, NotEmpty, OneOf
from interlock.spec.specs import Head


class Stub(SpecModel):
    """One answer of a stubbed tool; the first that holds and is not used up."""

    key_rules = (OneOf("a stub answers in one way", ("payload", "outcome")), Beside("status", ("payload",)))

    when: Maybe[Expression] = None
    """When it answers, a bare expression over `args`."""
    payload: Value = None
    """The whole answer."""
    status: Maybe[Annotated[int, Key(ge=100, le=599)]] = None
    """Its HTTP status; 200 by default."""
    outcome: Maybe[Literal["timeout", "error", "lost"]] = None
    """A failure without an answer: none in time, none because nothing was sent, or lost after it was sent."""
    times: Maybe[Annotated[int, Key(ge=1)]] = None
    """How often; by default always."""


class ModelStub(SpecModel):
    """One reply of a stubbed model; the first that holds and is not used up."""

    key_rules = (
        OneOf("a model answers in one way", ("reply", "call", "value", "fault")),
        Beside("with", ("call",)),
    )

    when: Maybe[Expression] = None
    """When it answers, a bare expression over `message`, `prompt`, `tools` and `role`."""
    reply: Maybe[str] = None
    """What it writes; where tools are to be chosen, none is."""
    call: Maybe[Chosen] = None
    """The tool or procedure that it chooses, or `hand_off`."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """The arguments that it proposes."""
    value: Maybe[dict[str, Any]] = None
    """Its whole structured answer."""
    fault: Maybe[
        Literal[
            "timeout",
            "error",
            "overloaded",
            "malformed",
            "wrong_tool",
            "extra_fields",
            "length",
            "refused",
            "huge",
        ]
    ] = None
    """What goes wrong."""
    times: Maybe[Annotated[int, Key(ge=1)]] = None
    """How often; by default always."""


class StubbedPassage(SpecModel):
    """A passage of a document."""

    text: Said
    """Its words."""
    title: Maybe[Said] = None
    """The document's title."""
    document: Maybe[Said] = None
    """The document."""
    locator: Maybe[Said] = None
    """Where in the document."""


class FoundStub(SpecModel):
    """What a stubbed retriever finds; the first that holds."""

    key_rules = (OneOf("a retriever answers in one way", ("passages", "outcome")),)

    when: Maybe[Expression] = None
    """When it does, a bare expression over `query`."""
    passages: Maybe[list[StubbedPassage]] = None
    """The passages, best first."""
    outcome: Maybe[Literal["error"]] = None
    """The search fails."""


class StubbedExchange(SpecModel):
    """An exchange of an earlier conversation."""

    user: Said
    """What the person said."""
    assistant: Said
    """What was answered."""


class StubbedResult(SpecModel):
    """What a tool gave in an earlier conversation."""

    tool: Chosen
    """The tool, or procedure."""
    result: Value
    """Its result."""


class MemoryStub(SpecModel):
    """What is remembered of whoever a case is about, before it begins."""

    key_rules = (AnyOf("a stubbed memory", ("exchanges", "results", "outcome")),)

    exchanges: Maybe[Listed[StubbedExchange]] = None
    """Exchanges, oldest first."""
    results: Maybe[Listed[StubbedResult]] = None
    """Results, oldest first."""
    outcome: Maybe[Literal["error"]] = None
    """It can be neither read nor written."""


class Stubs(SpecModel):
    """The world, as the suite wants it."""

    key_rules = (NotEmpty(),)

    now: Maybe[Said] = None
    """The time at which every case begins, ISO 8601 with its zone."""
    tools: Maybe[Named[Listed[Stub]]] = None
    """Answers by tool."""
    models: Maybe[Named[Listed[ModelStub]]] = None
    """Replies by role; `general` answers for roles that have none."""
    retrievers: Maybe[Named[Listed[FoundStub]]] = None
    """Passages by retriever."""
    memory: Maybe[MemoryStub] = None
    """What is remembered; nothing by default."""


class CaseSession(SpecModel):
    """How the service opens the session."""

    key_rules = (NotEmpty(),)

    user: Maybe[Wired[Value]] = None
    """Attributes of the user."""
    locale: Maybe[Said] = None
    """The user's locale."""
    model: Maybe[NamedModel] = None
    """The one model for the whole session."""


class SentMessage(SpecModel):
    """A message with more than its text."""

    text: str
    """What the user wrote."""
    type: Maybe[Name] = None
    """Its type; user_chat by default."""
    metadata: Maybe[Wired[Value]] = None
    """Its metadata."""
    model: Maybe[NamedModel] = None
    """The one model for this turn."""


class ReceivedEvent(SpecModel):
    """An event that is sent in."""

    event: Name
    """The event."""
    data: Maybe[Wired[Value]] = None
    """Its data."""
    run: Maybe[Said] = None
    """The `run` step whose procedure it is for; by default the one that is tested."""


class AskedRetry(SpecModel):
    """Somebody has mended the cause of a failure."""

    resolved: Maybe[Annotated[dict[str, Literal["happened", "did_not_happen"]], Key(min_length=1)]] = None
    """What became of effects that are unknown, by step."""
    run: Maybe[Said] = None
    """The `run` step whose procedure is meant; by default the one that is tested."""


ONE_EVENT = "a turn is one event"
EVENTS = ("user", "message", "agent", "event", "receive", "retry", "advance")
"""The keys of a turn that make something happen; only the first turn of a run may have none, and is its start."""


class Turn(SpecModel):
    """Something that happens, and what must come of it."""

    key_rules = (NotEmpty(), OneOf(ONE_EVENT, EVENTS, optional=True))

    user: Maybe[str] = None
    """The user writes this."""
    message: Maybe[SentMessage] = None
    """The service sends this message."""
    agent: Maybe[str] = None
    """A human colleague writes this."""
    event: Maybe[Literal["takeover", "release", "close", "cancel"]] = None
    """The service raises this event; of a run `cancel`, of a session the others."""
    receive: Maybe[ReceivedEvent] = None
    """An event that the procedure declares is sent in."""
    retry: Maybe[AskedRetry] = None
    """The run is told to go on where it stands still."""
    advance: Maybe[Duration] = None
    """This much time passes."""
    expect: Maybe[Expect] = None
    """What must come of it."""


class Case(SpecModel):
    """One conversation, or one run."""

    id: Name
    """Its name in reports."""
    title: Maybe[Text] = None
    """What it shows."""
    session: Maybe[CaseSession] = None
    """How the session is opened."""
    input: Maybe[Wired[Value]] = None
    """What the run is started with."""
    turns: Listed[Turn]
    """What happens, in order."""


class SuiteSpec(Head):
    """Tests of one agent or procedure."""

    kind: Literal["Suite"]
    """What this file describes."""
    of: SpecName
    """The agent or procedure that is tested."""
    stubs: Maybe[Stubs] = None
    """The world."""
    cases: Listed[Case]
    """The conversations or runs."""
