"""The parts of a plan that touch the world: servers, tools, and how a result becomes a reply."""

from typing import Literal

from interlock.plan.base import Expression, Field, Part, Path, Placed, Text, Value
from interlock.plan.rules import Check


class Auth(Part):
    """Credentials as references (`{{ secrets.X }}`), resolved inside activities only."""

    kind: Literal["bearer", "basic", "header"]
    header: str = ""
    value: str


class Limits(Part):
    """How much one worker asks of a server in any minute."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class McpServer(Part):
    """A program to start, with what its environment holds as references, or the URL of one that runs."""

    command: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = ""


class Server(Placed):
    """Something with an address: `http`, `sql`, `mcp`, or that of a model; it may hold `{{ env.X }}`.

    `openai` is the base URL of chat completions, as providers give it (`https://api.openai.com/v1`); `anthropic` that
    of messages, with or without `/v1`; `provider` names one that an installed package brings, and `url` is its address.
    """

    http: str = ""
    sql: str = ""
    mcp: McpServer | None = None
    openai: str = ""
    anthropic: str = ""
    provider: str = ""
    url: str = ""
    limits: Limits | None = None
    read_only: bool = True
    auth: Auth | None = None
    timeout_ms: int | None = None
    redirects: tuple[str, ...] = ()


class Argument(Field):
    """One argument of a tool and its one source.

    `source` is a context path (`slots.x`, `cells.t.k`, `user.id` …), `caller`, or `value` with the template in `value`.
    """

    source: str
    value: Value = None
    max_age_ms: int | None = None
    place: Literal["path", "query", "body", "header", "argument"] = "argument"
    send_as: str
    history: Literal["", "single"] = ""


class Taking(Placed):
    """Something that takes arguments, each from one source."""

    input: dict[str, Argument] = {}


class Outcome(Placed):
    """What an answer means; the first whose `when` (over `payload` and `status`) holds wins."""

    when: Expression = ""
    outcome: Literal["success", "blocked", "error", "timeout"]
    missing: str = ""
    message: Text | None = None


class Produces(Part):
    """Which part of `result` fills a cell, and how long the cell lives."""

    at: Path
    scope: Literal["run", "turn"] = "run"


class Fact(Part):
    """Where in `result` a look-up has its value, unit and source."""

    value: Path
    unit: Path = ""
    source: dict[str, Path] = {}


class Idempotency(Part):
    """How a request carries its key. `kind` none: there is none, and one attempt is all; `key` empty: the engine's."""

    kind: Literal["header", "argument", "none"]
    name: str = ""
    key: Value = ""


class ReadBack(Placed):
    """The read that tells whether an effect of unknown outcome has happened: then `that` holds."""

    call: str
    bind: dict[str, Value] = {}
    that: Expression


class Retry(Part):
    """Attempts in all, and the pause between them."""

    attempts: int
    backoff_ms: int = 1000
    max_backoff_ms: int = 30_000


class Tool(Taking):
    """Something callable.

    `http` has method, path and server, `sql` statement and server, `python` an entry point; `mcp` has the name of a
    tool, its server, and the digest of its definition where that is pinned.
    """

    transport: Literal["http", "sql", "mcp", "python"]
    server: str = ""
    method: str = ""
    path: str = ""
    sql: str = ""
    mcp: str = ""
    definition: str = ""
    python: str = ""
    effect: Literal["none", "read", "write", "irreversible"]
    title: Text | None = None
    description: str = ""
    unwrap: Path = ""
    outcomes: tuple[Outcome, ...] = ()
    output: dict[str, Field] | None = None
    produces: dict[str, Produces] = {}
    fact: Fact | None = None
    invalidates: tuple[str, ...] = ()
    requires: tuple[Check, ...] = ()
    ensures: tuple[Check, ...] = ()
    idempotency: Idempotency | None = None
    read_back: ReadBack | None = None
    retry: Retry
    timeout_ms: int

    @property
    def writes(self) -> bool:
        """Whether a call changes something outside."""
        return self.effect in ("write", "irreversible")

    @property
    def repeatable(self) -> bool:
        """Whether a request may be sent again: it changes nothing, or carries a key."""
        return not self.writes or (self.idempotency is not None and self.idempotency.kind != "none")


class Retriever(Placed):
    """Something to search: the folder `documents` of a bundle, or an entry point; `top` passages at most."""

    kind: Literal["documents", "python"]
    bundle: str = ""
    documents: str = ""
    python: str = ""
    top: int = 5
    description: str = ""


class Facts(Part):
    """Texts for the three outcomes of a look-up; the engine has its own words for the last."""

    found: Text
    not_found: Text
    unrecognized: Text | None = None


class Response(Placed):
    """How a result becomes a reply without a model."""

    kind: Literal["raw", "fields", "text", "facts"]
    fields: tuple[Path, ...] = ()
    text: Text | None = None
    facts: Facts | None = None
    fenced: bool = False


class Mount(Placed):
    """What this conversation may do: a tool, the intent that makes it eligible, and its direct reply."""

    call: str
    intent: str = ""
    bind: dict[str, Value] = {}
    respond: str = ""


class RunMount(Taking):
    """A procedure that this conversation may run, under the plan that it was checked against; `input` is its own.

    `description` is there for models that may choose it, `intent` makes it eligible for them. `hides` are the parts of
    its result that are sensitive.
    """

    digest: str
    hides: tuple[Path, ...] = ()
    bind: dict[str, Value] = {}
    intent: str = ""
    description: str = ""
