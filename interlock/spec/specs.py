"""The kinds of spec: Agent, Procedure and Library, and the parts they share. Suites stand in `suite`."""

from typing import Annotated, Literal

from pydantic import Field as Key

from interlock.spec.base import (
    Constant,
    Duration,
    Language,
    Listed,
    Maybe,
    Name,
    Named,
    Reference,
    Said,
    SpecModel,
    SpecName,
    Text,
    Value,
    Wired,
)
from interlock.spec.deciding import Condition, Decision, Gate, Route
from interlock.spec.fields import Field
from interlock.spec.models import Grounding, Memory, Model, ModelRule
from interlock.spec.rules import NotEmpty
from interlock.spec.steps import Step
from interlock.spec.tools import Mount, Response, Retriever, Server, Tool
from interlock.spec.words import Intent, Slot, Vocabulary


class Head(SpecModel):
    """What every spec begins with."""

    apiVersion: Literal["interlock/v1"]  # noqa: N815 -- the key is spelt as in other tools' files
    """Version of the language."""
    kind: str
    """What this file describes."""
    name: SpecName
    """Its name, kebab-case."""
    title: Maybe[Text] = None
    """Name for people."""
    description: str = ""
    """What it is for."""


class Shared(Head):
    """The parts that Agents and Libraries both may declare."""

    uses: Maybe[Listed[Reference]] = None
    """Libraries whose parts are taken in: `name`, or `folder/name` of another bundle."""
    languages: Maybe[Listed[Language]] = None
    """Languages of the texts; the first is the fallback."""
    config: Maybe[Named[Constant]] = None
    """Constants, read as `config.<name>`; who uses a Library may override them."""
    servers: Maybe[Named[Server]] = None
    """Everything with an address."""
    models: Maybe[Named[Model]] = None
    """Roles of models."""
    vocabularies: Maybe[Named[Vocabulary]] = None
    """Phrases to find."""
    slots: Maybe[Named[Slot]] = None
    """Values in the user's words."""
    intents: Maybe[Named[Intent]] = None
    """What the user is after."""
    conditions: Maybe[Named[Condition]] = None
    """Named assertions."""
    decisions: Maybe[Named[Decision]] = None
    """Decision tables."""
    responses: Maybe[Named[Response]] = None
    """How results become replies."""
    retrievers: Maybe[Named[Retriever]] = None
    """What can be searched."""
    tools: Maybe[Named[Tool]] = None
    """What can be called."""


class LibrarySpec(Shared):
    """Parts for others to use."""

    kind: Literal["Library"]
    """What this file describes."""


class MessageSpec(SpecModel):
    """What the service may send with a message."""

    key_rules = (NotEmpty(),)

    types: Maybe[Listed[Name]] = None
    """Types of message; by default user_chat, rule, form, other."""
    metadata: Maybe[Wired[Field]] = None
    """Fields of `message.metadata`."""


class SessionSpec(SpecModel):
    """How long a conversation lives and what it remembers."""

    key_rules = (NotEmpty(),)

    history: Maybe[Annotated[int, Key(ge=0, le=1000)]] = None
    """Messages kept; 20 by default."""
    idle_timeout: Maybe[Duration] = None
    """Silence after which the session closes; 7d by default."""
    upgrade: Maybe[Literal["next_turn", "never"]] = None
    """When a running session takes up a new version of the spec; next_turn by default."""


class AgentSpec(Shared):
    """A conversation: what it may do, what it lets in, and how it answers."""

    kind: Literal["Agent"]
    """What this file describes."""
    runtime: Maybe[Name] = None
    """How `act` steps choose: `pipeline`, `react`, or a plug-in's name; `pipeline` by default."""
    instructions: Maybe[Text] = None
    """What models are told, whatever they write."""
    fallback: Maybe[Text] = None
    """What is said when no model answers."""
    model_rules: Maybe[Listed[ModelRule]] = None
    """Which role writes where a step says `auto`, in order; `general` by default."""
    grounding: Maybe[Grounding] = None
    """How far prose must rest on evidence; off by default."""
    model_override: Maybe[Literal["session", "message"]] = None
    """Who may name the one model for everything: whoever opens a session, or each `message` too; nobody by default."""
    memory: Maybe[Memory] = None
    """What is remembered of a person over conversations; off by default."""
    user: Maybe[Wired[Field]] = None
    """Attributes of the user that the service gives, beside id, groups, tenant and locale."""
    message: Maybe[MessageSpec] = None
    """What the service may send with a message."""
    mounts: Maybe[Listed[Mount]] = None
    """What this conversation may do; nothing else is eligible."""
    gates: Maybe[Listed[Gate]] = None
    """Deterministic admission, in order."""
    routes: Listed[Route]
    """Which flow handles a turn, in order."""
    flows: Named[Listed[Step]]
    """What is done, step by step."""
    session: Maybe[SessionSpec] = None
    """How long a conversation lives."""
    trace_text: bool = False
    """Whether traces hold what users, documents and arguments say; without it they hold names, verdicts and times."""


class Guard(SpecModel):
    """Something that must be true of every path, proved when the spec is checked."""

    effect: Literal["write", "irreversible"]
    """Calls of tools with this effect, or a graver one."""
    by: Name
    """The condition that must have been asserted before each of them, on every path.

    In a procedure that is run it counts if it reads there what it reads here: inputs that `with` hands on as they are.
    """
    except_: Maybe[Listed[Name]] = Key(default=None, alias="except")
    """Tools that need it not."""


class ProcedureSpec(Shared):
    """Ordered work: steps that are done in full, each once, with a record of where every value came from."""

    kind: Literal["Procedure"]
    """What this file describes."""
    input: Maybe[Wired[Field]] = None
    """What starts it, read as `input.<name>`."""
    events: Maybe[Named[Wired[Field]]] = None
    """What may be sent in while it runs, and the fields of each."""
    requester: Maybe[Said] = None
    """On whose behalf it runs, a template; by default nobody in particular."""
    language: Maybe[Said] = None
    """In which of `languages` it speaks, a template that gives a locale; by default as whoever runs it does."""
    steps: Listed[Step]
    """What is done, step by step."""
    result: Maybe[Wired[Value]] = None
    """What it gives back, by template."""
    on_failure: Literal["stop", "compensate"] = "stop"
    """What follows a failure that nothing catches: stop and wait for `retry`, or undo what was done."""
    on_cancel: Literal["stop", "compensate"] = "stop"
    """What follows when somebody cancels it."""
    deadline: Maybe[Duration] = None
    """Longest time in all, as `timeout` of a step."""
    park: Maybe[Duration] = None
    """How long a stopped run waits for `retry`; 7d by default."""
    guard: Maybe[Listed[Guard]] = None
    """What must be true of every path."""
    trace_text: bool = False
    """Whether traces hold what arguments and documents say; without it they hold names, verdicts and times."""
