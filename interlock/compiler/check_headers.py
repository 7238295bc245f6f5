"""Headers of a request: names that can be one, that are the client's alone, and that two things would send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.closure import server_of
from interlock.contract.headers import OURS, is_header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part
    from interlock.diagnostics import Location
    from interlock.spec.tools import Auth

Sent = tuple[str, "Location", str]
"""The name of a header, where it is written, and what is sent so, in words."""


def check_headers(project: Project, findings: Findings) -> None:
    """Those of all tools over HTTP and of what authorises at their servers."""
    for unit in project.everything:
        for part in unit.parts("servers").values():
            auth = part.model.auth
            if auth is not None and auth.header is not None and part.model.sql is None:
                _name(auth.header, part.value("auth", "header"), "", findings)
        for part in unit.parts("tools").values():
            if part.model.http is not None:
                _tool(part, findings)


def _tool(part: Part, findings: Findings) -> None:
    server = server_of(part)
    auth = server.model.auth if server is not None else None
    seen: dict[str, Sent] = {}
    if server is not None and auth is not None:
        header, key = _of_auth(auth)
        seen[header.lower()] = (header, server.key("auth", key), f"the `auth` of server {server.name!r}")
    for header, place, what in _headers(part):
        hint = "give it a name with `send_as`" if what != "the key" else "write it as `Idempotency-Key`"
        _name(header, place, hint, findings)
        name, other, first = seen.setdefault(header.lower(), (header, place, what))
        if other != place:
            message = f"{first} and {what} are both sent as the header {name!r}"
            findings.error("same-wire-name", message, place, also=((other, "the other one"),))


def _headers(part: Part) -> Iterator[Sent]:
    """Those that a tool sends of its own."""
    for name, argument in (part.model.input or {}).items():
        if argument.in_ == "header":
            place = part.value("input", name, "send_as") if argument.send_as is not None else part.key("input", name)
            yield argument.send_as or name, place, repr(name)
    written = part.model.idempotency
    if written is not None and written.header is not None:
        yield written.header, part.value("idempotency", "header"), "the key"


def _of_auth(auth: Auth) -> tuple[str, str]:
    """The header that a server's `auth` is sent in, and the key that says so."""
    if auth.header is not None:
        return auth.header, "header"
    return "Authorization", "bearer" if auth.bearer is not None else "basic"


def _name(header: str, place: Location, hint: str, findings: Findings) -> None:
    if not is_header(header):
        findings.error("bad-form", f"{header!r} cannot be the name of a header", place, hint=hint)
    elif header.lower() in OURS:
        message = f"{header!r} is the client's own: it says how a request is framed, or how it travels"
        findings.error("reserved-header", message, place, hint="send it under another name, or leave it out")
