"""Servers and tools of the plan, with what follows from a tool's effect where its author says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.closure import server_of, transport_of
from interlock.compiler.http_paths import BODILESS, method_and_path, parameters
from interlock.compiler.lower_fields import field_values, fields, maybe_ms, maybe_text
from interlock.plan.rules import Check
from interlock.plan.tools import (
    Argument,
    Auth,
    Fact,
    Idempotency,
    Limits,
    McpServer,
    Outcome,
    Produces,
    ReadBack,
    Retry,
    Server,
    Tool,
)

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from interlock.compiler.units import Part
    from interlock.spec.fields import Argument as WrittenArgument
    from interlock.spec.fields import Check as WrittenCheck
    from interlock.spec.tools import McpServer as WrittenMcpServer
    from interlock.spec.tools import Tool as WrittenTool

SECOND_MS = 1_000
RETRY = {
    "none": Retry(attempts=3, backoff_ms=SECOND_MS),
    "read": Retry(attempts=3, backoff_ms=SECOND_MS),
    "write": Retry(attempts=5, backoff_ms=SECOND_MS),
    "irreversible": Retry(attempts=5, backoff_ms=SECOND_MS),
}
"""Attempts by effect: what changes nothing may be tried again, and so may what carries a key."""

ONCE = Retry(attempts=1)
"""The attempts of a write that no key tells from its repetition."""

TIMEOUT_MS = 30 * SECOND_MS
"""The longest call, where neither the tool nor its server says."""


def server(part: Part) -> Server:
    """A server; references to the environment stay references."""
    written = part.model
    return Server(
        at=str(part.key()),
        http=written.http or "",
        sql=written.sql or "",
        mcp=None if written.mcp is None else _mcp(written.mcp),
        read_only=written.read_only,
        openai=written.openai or "",
        anthropic=written.anthropic or "",
        provider=written.provider or "",
        url=written.url or "",
        limits=None if written.limits is None else Limits(**written.limits.model_dump()),
        auth=None if written.auth is None else _auth(written.auth),
        timeout_ms=maybe_ms(written.timeout),
        redirects=tuple(written.redirects or ()),
    )


def _mcp(written: WrittenMcpServer) -> McpServer:
    return McpServer(command=tuple(written.command or ()), env=dict(written.env or {}), url=written.url or "")


def _auth(written: Any) -> Auth:
    if written.bearer is not None:
        return Auth(kind="bearer", value=written.bearer)
    if written.basic is not None:
        return Auth(kind="basic", value=written.basic)
    return Auth(kind="header", header=written.header, value=written.value)


def tool(part: Part, called: Container[str]) -> Tool:
    """A tool; of `invalidates` only what is `called` at all matters."""
    written = part.model
    method, path = method_and_path(written.http) if written.http is not None else ("", "")
    host = server_of(part)
    return Tool(
        at=str(part.key()),
        transport=transport_of(written),
        server=host.name if host else "",
        method=method,
        path=path,
        sql=written.sql or "",
        mcp=written.mcp or "",
        definition=written.definition or "",
        python=written.python or "",
        effect=written.effect,
        title=maybe_text(written.title),
        description=written.description,
        input={name: _argument(name, one, place_of(written, name)) for name, one in (written.input or {}).items()},
        unwrap=written.unwrap or "",
        outcomes=_outcomes(part),
        output=None if written.output is None else fields(written.output),
        produces={key: Produces(at=cell.at, scope=cell.scope) for key, cell in (written.produces or {}).items()},
        fact=_fact(written.fact),
        invalidates=tuple(name for name in written.invalidates or () if name in called),
        requires=_checks(part, "requires", written.requires or ()),
        ensures=_checks(part, "ensures", written.ensures or ()),
        idempotency=_idempotency(written.idempotency),
        read_back=_read_back(part),
        retry=_retry(written),
        timeout_ms=maybe_ms(written.timeout) or (host and maybe_ms(host.model.timeout)) or TIMEOUT_MS,
    )


def _argument(name: str, written: WrittenArgument, place: Any) -> Argument:
    return Argument(
        **field_values(written),
        source=written.from_ or "value",
        value=written.value,
        max_age_ms=maybe_ms(written.max_age),
        place=place,
        send_as=written.send_as or name,
        history=written.history or "",
    )


def place_of(tool: WrittenTool, name: str) -> str:
    """Where an argument travels: over HTTP where it says, or else by its name and the method."""
    if tool.http is None:
        return "argument"
    argument, (method, path) = (tool.input or {})[name], method_and_path(tool.http)
    if argument.in_ is not None:
        return argument.in_
    if (argument.send_as or name) in parameters(path):
        return "path"
    return "query" if method in BODILESS else "body"


def _outcomes(part: Part) -> tuple[Outcome, ...]:
    return tuple(
        Outcome(
            at=str(part.value("outcomes", index)),
            when=outcome.when or "",
            outcome=outcome.outcome,
            missing=outcome.missing or "",
            message=maybe_text(outcome.message),
        )
        for index, outcome in enumerate(part.model.outcomes or ())
    )


def _checks(part: Part, key: str, written: Sequence[WrittenCheck]) -> tuple[Check, ...]:
    return tuple(
        Check(
            at=str(part.value(key, index)),
            that=check.that or "",
            condition=check.condition or "",
            call=check.call or "",
            bind=check.with_ or {},
            otherwise=maybe_text(check.else_),
        )
        for index, check in enumerate(written)
    )


def _fact(written: Any) -> Fact | None:
    if written is None:
        return None
    return Fact(value=written.value, unit=written.unit or "", source=dict(written.source or {}))


def _idempotency(written: Any) -> Idempotency | None:
    if written is None:
        return None
    if written.none is not None:
        return Idempotency(kind="none")
    kind = "header" if written.header is not None else "argument"
    return Idempotency(kind=kind, name=getattr(written, kind), key=written.key or "")


def _read_back(part: Part) -> ReadBack | None:
    back = part.model.read_back
    if back is None:
        return None
    return ReadBack(at=str(part.value("read_back")), call=back.call, bind=back.with_ or {}, that=back.that)


def _retry(written: Any) -> Retry:
    if written.idempotency is not None and written.idempotency.none is not None:
        return ONCE
    base = RETRY[written.effect]
    if written.retry is None:
        return base
    values = {"backoff_ms": maybe_ms(written.retry.backoff), "max_backoff_ms": maybe_ms(written.retry.max_backoff)}
    given = {key: value for key, value in values.items() if value is not None}
    return base.model_copy(update={"attempts": written.retry.attempts, **given})
