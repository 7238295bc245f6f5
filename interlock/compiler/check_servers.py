"""Servers: an address that is one, and credentials that stand outside the spec."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from interlock.compiler.closure import only_server, servers_of
from interlock.compiler.written import has_template
from interlock.spec.models import OUR_PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part
    from interlock.diagnostics import Location

_ADDRESS = re.compile(r"https?://[^/\s?#@]+(/[^\s?#]*)?")
_SQLITE = re.compile(r"sqlite:///[^/\s?#][^\s?#]*")
_POSTGRES = re.compile(r"postgres(ql)?://[^/\s?#@]+/[^/\s?#]+(\?sslmode=(disable|require|verify-full))?")
_SENTENCE = re.compile(r"[\w.-]+(\s+[\w./=:-]+)+")
_TEMPLATE = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def check_servers(project: Project, findings: Findings) -> None:
    """All servers of all specs."""
    for unit in project.everything:
        for part in unit.parts("servers").values():
            for key in ("http", *OUR_PROVIDERS, "url"):
                if getattr(part.model, key) is not None:
                    _address(part, getattr(part.model, key), findings, key)
            if part.model.provider in OUR_PROVIDERS:
                _ours(part, findings)
            if part.model.mcp is not None:
                _mcp(part, findings)
            if part.model.sql is not None:
                _database(part, findings)
                _user(part, findings)
            _credentials(part, findings)


def _address(part: Part, written: str, findings: Findings, *keys: str) -> None:
    """A URL of a server; what a variable holds is looked at when a call is made."""
    if (
        part.unit.is_stand_in(written)
        or written.lstrip().startswith("{{")
        or _ADDRESS.fullmatch(_TEMPLATE.sub("x", written))
    ):
        return
    message = f"{written!r} is not the address of a server"
    hint = "write 'https://api.example.com/v1', without user, query or fragment, or '{{ env.X }}'"
    findings.error("bad-address", message, part.value(*keys), hint=hint)


def _ours(part: Part, findings: Findings) -> None:
    """A format that we know is a key of its own, for it needs an address."""
    name = part.model.provider
    message = f"{name!r} is no provider of a package, but a key"
    findings.error("bad-form", message, part.value("provider"), hint=f"write `{name}: https://…`")


def _mcp(part: Part, findings: Findings) -> None:
    """A server that is reached has an address; one that is started gets its secrets in its environment."""
    server = part.model.mcp
    if server.url is not None:
        _address(part, server.url, findings, "mcp", "url")
        return
    if part.model.auth is not None:
        hint = "hand it a secret under `env`"
        findings.error("key-without-effect", "a program that is started knows no `auth`", part.key("auth"), hint=hint)
    if len(server.command) == 1 and _SENTENCE.fullmatch(server.command[0]):
        hint = f"write every word by itself: [{', '.join(server.command[0].split())}]"
        message = f"{server.command[0]!r} is one word of a command, and its spaces belong to it"
        findings.error("bad-form", message, part.value("mcp", "command", 0), hint=hint)
    for name, written in (server.env or {}).items():
        if not has_template(written):
            message = f"{name!r} has a value that stands in the spec, and nothing tells it from a credential"
            hint = "write '{{ secrets.X }}' or '{{ env.X }}'; what everybody may see can stand in `command`"
            findings.error("plain-secret", message, part.value("mcp", "env", name), hint=hint)


def _database(part: Part, findings: Findings) -> None:
    written = part.model.sql
    plain = _TEMPLATE.sub("x", written)
    if part.unit.is_stand_in(written) or written.lstrip().startswith("{{") or _POSTGRES.fullmatch(plain):
        return
    if _SQLITE.fullmatch(plain) and ".." not in plain.split("/"):
        return
    message = f"{written!r} is not the address of a database"
    hint = "write 'sqlite:///file' within the data folder, 'postgresql://host/database' without user, or '{{ env.X }}'"
    findings.error("bad-address", message, part.value("sql"), hint=hint)


def _user(part: Part, findings: Findings) -> None:
    """PostgreSQL knows us by user and password, SQLite not at all."""
    auth, written = part.model.auth, part.model.sql
    for key in ("bearer", "header") if auth is not None else ():
        if getattr(auth, key) is not None:
            hint = "write `auth: {basic: …}`, of the form user:password"
            findings.error("key-without-effect", f"a database knows no {key!r}", part.key("auth", key), hint=hint)
    if auth is not None and written.startswith("sqlite:"):
        findings.error("key-without-effect", "SQLite knows no users", part.key("auth"))
    if auth is None and written.startswith("postgres"):
        hint = "write `auth: {basic: '{{ secrets.X }}'}`, of the form user:password"
        findings.error("no-user", f"nothing says as whom {part.name!r} is called", part.value("sql"), hint=hint)


def _credentials(part: Part, findings: Findings) -> None:
    auth = part.model.auth
    for key in ("bearer", "basic", "value") if auth is not None else ():
        written = getattr(auth, key)
        if written is not None and not has_template(written) and not part.unit.is_stand_in(written):
            hint = "write '{{ secrets.X }}': it is looked up in the worker's environment"
            findings.error("plain-secret", "a credential stands in the spec", part.value("auth", key), hint=hint)


def check_answering(part: Part, kinds: Sequence[str], what: str, place: Location, findings: Findings) -> None:
    """A tool or model has a server with an address of one of the kinds: the one it names, or the only one."""
    unit, written = part.unit, part.model.server
    named = unit.find("servers", written) if written is not None else None
    if named is not None and not servers_of({named.name: named}, *kinds):
        also = ((named.key(), "it is declared here"),)
        findings.error("wrong-server", f"{named.called} cannot answer {what}", part.value("server"), also=also)
    if written is not None or unit.incomplete or only_server(unit, *kinds) is not None:
        return
    if any(member.broken.get("servers") for member in unit.closure()):
        return
    known = [server.name for server in servers_of(unit.visible.get("servers", {}), *kinds)]
    if known:
        hint = f"say `server:` and one of {', '.join(known)}"
        findings.error("ambiguous-server", f"several servers could answer {part.name!r}", place, hint=hint)
    else:
        message = f"no server is declared that could answer {part.name!r}"
        hint = f"declare one with {' or '.join(f'`{kind}`' for kind in kinds)} under `servers`"
        findings.error("no-server", message, place, hint=hint)
