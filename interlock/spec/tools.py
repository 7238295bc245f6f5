"""The parts of a spec that touch the world: servers, tools, responses and mounts."""

from typing import Annotated, Literal

from pydantic import Field as Key
from pydantic import StringConstraints

from interlock.spec.base import (
    Duration,
    Expression,
    Listed,
    Maybe,
    Name,
    Named,
    Path,
    Said,
    SpecModel,
    SpecName,
    Text,
    Value,
    Wired,
    WireName,
)
from interlock.spec.fields import Argument, Check, Field
from interlock.spec.models import MODEL_SERVERS, Limits
from interlock.spec.patterns import DIGEST, ENTRY_POINT, HOST, HTTP_CALL
from interlock.spec.rules import Beside, OneOf

HttpCall = Annotated[str, StringConstraints(pattern=HTTP_CALL)]
EntryPoint = Annotated[str, StringConstraints(pattern=ENTRY_POINT)]
Digest = Annotated[str, StringConstraints(pattern=DIGEST)]
Host = Annotated[str, StringConstraints(pattern=HOST)]
Effect = Literal["none", "read", "write", "irreversible"]

WRITING = frozenset({"write", "irreversible"})
"""The effects that change something outside."""


class Auth(SpecModel):
    """How a server knows us. `{{ secrets.X }}` stands here, or in the `env` of an MCP server."""

    key_rules = (
        OneOf("a server is authorised in one way", ("bearer", "basic", "header")),
        Beside("value", ("header",)),
        Beside("header", ("value",)),
    )

    bearer: Maybe[Said] = None
    """A token."""
    basic: Maybe[Said] = None
    """`user:password`."""
    header: Maybe[Said] = None
    """Name of a header."""
    value: Maybe[Said] = None
    """Value of that header."""


class McpServer(SpecModel):
    """An MCP server: a program that the worker starts, or one that runs at a URL."""

    key_rules = (
        OneOf("an MCP server is started or reached in one way", ("command", "url")),
        Beside("env", ("command",)),
    )

    command: Maybe[Listed[Said]] = None
    """Program and arguments, as a list; they may hold `{{ env.X }}`. It speaks on its standard input and output."""
    env: Maybe[Wired[Said]] = None
    """What its environment holds beside `PATH`, `HOME` and the like: each `{{ env.X }}` or `{{ secrets.X }}`."""
    url: Maybe[Said] = None
    """Its endpoint, over streamable HTTP; it may hold `{{ env.X }}`."""


class Server(SpecModel):
    """Something with an address."""

    key_rules = (
        OneOf("a server has one address", ("http", "sql", "mcp", *MODEL_SERVERS)),
        Beside("redirects", ("http",)),
        Beside("read_only", ("sql",)),
        Beside("limits", MODEL_SERVERS),
        Beside("url", ("provider",)),
    )

    http: Maybe[Said] = None
    """Base URL; it may hold `{{ env.X }}`."""
    sql: Maybe[Said] = None
    """A database: `sqlite:///file`, `postgresql://host/database`, or `{{ env.X }}`."""
    openai: Maybe[Said] = None
    """Base URL of models that speak as OpenAI's do: `{{ env.LLM_URL }}`, up to and with `/v1`."""
    anthropic: Maybe[Said] = None
    """Base URL of models that speak as Anthropic's do."""
    provider: Maybe[EntryPoint] = None
    """Name under which an installed package brings a provider of models; it may want a `url`."""
    url: Maybe[Said] = None
    """Base URL for that provider; it may hold `{{ env.X }}`."""
    mcp: Maybe[McpServer] = None
    """A server of tools that speaks the Model Context Protocol."""
    auth: Maybe[Auth] = None
    """How it knows us; a database by `basic`."""
    limits: Maybe[Limits] = None
    """How much a worker may ask of it."""
    read_only: bool = True
    """No tool writes into this database."""
    timeout: Maybe[Duration] = None
    """Longest call, where a tool says nothing."""
    redirects: Maybe[Listed[Host]] = None
    """Hosts that a redirect may go to; by default none is followed."""


class Outcome(SpecModel):
    """What an answer means; the first that holds."""

    when: Maybe[Expression] = None
    """A bare expression over `payload` and `status`; the last outcome may have none."""
    outcome: Literal["success", "blocked", "error", "timeout"]
    """What it means."""
    missing: Maybe[WireName] = None
    """The argument that the service lacks."""
    message: Maybe[Text] = None
    """What the person is told."""


class Produces(SpecModel):
    """Which part of the result fills a cell."""

    at: Path
    """Path within `result`."""
    scope: Literal["run", "turn"] = "run"
    """How long the cell lives: as long as the session or run, or for one turn, which a Procedure has not."""


class Fact(SpecModel):
    """Which parts of the result are one fact; the tool is then a look-up that says it, or that there is none."""

    value: Path
    """Path of the value within `result`. In `rows.0.value` no row is no fact, and more than one an error."""
    unit: Maybe[Path] = None
    """Path of its unit."""
    source: Maybe[Named[Path]] = None
    """Paths of where it comes from, by name: a document, a page."""


class Retry(SpecModel):
    """How often, and with what pause, a call is tried."""

    attempts: Annotated[int, Key(ge=1, le=100)]
    """Attempts in all."""
    backoff: Maybe[Duration] = None
    """First pause; it doubles."""
    max_backoff: Maybe[Duration] = None
    """Longest pause."""


class Idempotency(SpecModel):
    """How a repeated request is known for the same, so that its effect happens once."""

    key_rules = (
        OneOf("a key travels in one way", ("header", "argument", "none")),
        Beside("key", ("header", "argument")),
    )

    header: Maybe[Said] = None
    """The header that carries the key."""
    argument: Maybe[WireName] = None
    """The argument that carries the key, in the path if it stands there; the engine fills it, so `input` does not."""
    none: Maybe[Said] = None
    """Why there is no key: the call is then tried once, and what became of a lost one is `unknown`."""
    key: Maybe[Said] = None
    """The key, a template; by default run, step and item, made by the engine."""


class ReadBack(SpecModel):
    """How to find out whether an effect of unknown outcome has happened."""

    call: Name
    """A read tool."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """Values of its arguments that come from `caller`."""
    that: Expression
    """What holds when the effect has happened, a bare expression over its `result`."""


class Tool(SpecModel):
    """Something callable."""

    key_rules = (
        OneOf("a tool has one transport", ("http", "sql", "mcp", "python")),
        Beside("server", ("http", "sql", "mcp")),
        Beside("definition", ("mcp",)),
    )

    title: Maybe[Text] = None
    """Name for people."""
    description: str = ""
    """What it does, for docs."""
    server: Maybe[Name] = None
    """The server; by default the only one of this transport."""
    http: Maybe[HttpCall] = None
    """Method and path: `GET /orders/{order_no}`."""
    sql: Maybe[Said] = None
    """One statement, its arguments as `:name`; `payload` is `{rows, count}`."""
    mcp: Maybe[Said] = None
    """Name of a tool of an MCP server; its arguments go by name, or by `send_as`."""
    definition: Maybe[Digest] = None
    """Digest of the tool as the server described it when it was imported; a call of another one is refused."""
    python: Maybe[EntryPoint] = None
    """Name of an entry point of the group `interlock.tools`."""
    effect: Effect
    """What it does outside: `write` can be undone, `irreversible` cannot."""
    input: Maybe[Wired[Argument]] = None
    """Its arguments."""
    unwrap: Maybe[Path] = None
    """Path of the business part of the answer, which is then `result`."""
    outcomes: Maybe[Listed[Outcome]] = None
    """What an answer means; by default by its status."""
    output: Maybe[Wired[Field]] = None
    """Fields of `result`; only these may be read."""
    produces: Maybe[Named[Produces]] = None
    """Cells that a success fills: `cells.<tool>.<name>`."""
    fact: Maybe[Fact] = None
    """Makes the tool a look-up, which a response with `facts` answers."""
    invalidates: Maybe[Listed[Name]] = None
    """Tools whose cells this call makes stale."""
    requires: Maybe[Listed[Check]] = None
    """What must hold before the call."""
    idempotency: Maybe[Idempotency] = None
    """How a repeated request is known; every write says it."""
    ensures: Maybe[Listed[Check]] = None
    """What must hold after the call; every write says it."""
    read_back: Maybe[ReadBack] = None
    """How an effect of unknown outcome is resolved."""
    retry: Maybe[Retry] = None
    """Attempts; by default those of the effect."""
    timeout: Maybe[Duration] = None
    """Longest call."""


class Retriever(SpecModel):
    """Something to search for passages of text."""

    key_rules = (OneOf("a retriever searches one thing", ("documents", "python")),)

    documents: Maybe[Said] = None
    """A folder of documents within the bundle, relative to the spec: Markdown, text, HTML, and what plug-ins read."""
    python: Maybe[EntryPoint] = None
    """Name of an entry point of the group `interlock.retrievers`."""
    top: Annotated[int, Key(ge=1, le=50)] = 5
    """Most passages of one search."""
    description: str = ""
    """What it holds, for a model that may search it."""


class Facts(SpecModel):
    """What is said of each look-up; `fact` holds its `value`, `unit`, `source`, and arguments by name."""

    found: Text
    """A fact, with its value and source."""
    not_found: Text
    """That there is none; it sees the arguments alone, so that it can name no figure."""
    unrecognized: Maybe[Text] = None
    """That a value was said which means nothing; it sees `fact.param` and `fact.raw`. By default the engine's words."""


class Response(SpecModel):
    """How a result becomes a reply."""

    key_rules = (OneOf("a response has one form", ("raw", "fields", "text", "facts")),)

    raw: Maybe[Literal[True]] = None
    """The result as JSON."""
    fields: Maybe[Listed[Path]] = None
    """These parts of the result as JSON."""
    text: Maybe[Text] = None
    """A text over `result`."""
    facts: Maybe[Facts] = None
    """A text for each look-up, whatever a model writes: what was found, and what was not."""
    fenced: bool = False
    """JSON stands in a fenced code block."""


class Mount(SpecModel):
    """What this conversation may do."""

    key_rules = (
        OneOf("a mount names one thing", ("call", "run")),
        Beside("respond", ("call",)),
    )

    call: Maybe[Name] = None
    """A tool."""
    run: Maybe[SpecName] = None
    """A procedure."""
    intent: Maybe[Name] = None
    """It is eligible only when this intent holds."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """Values of the arguments that come from `caller`, or of a procedure's input."""
    respond: Maybe[Name] = None
    """How its result is said when it was the turn's only call."""
