"""Servers: an address that is one, and credentials that stand outside the spec."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from interlock.compiler.written import has_template

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part

_ADDRESS = re.compile(r"https?://[^/\s?#@]+(/[^\s?#]*)?")
_TEMPLATE = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def check_servers(project: Project, findings: Findings) -> None:
    """All servers of all specs."""
    for unit in project.everything:
        for part in unit.parts("servers").values():
            _address(part, findings)
            _credentials(part, findings)


def _address(part: Part, findings: Findings) -> None:
    """`http` is a base URL; what a variable holds is looked at when a worker starts."""
    written = part.model.http
    if written.lstrip().startswith("{{") or _ADDRESS.fullmatch(_TEMPLATE.sub("x", written)):
        return
    message = f"{written!r} is not the address of a server"
    hint = "write 'https://api.example.com/v1', without user, query or fragment, or '{{ env.X }}'"
    findings.error("bad-address", message, part.value("http"), hint=hint)


def _credentials(part: Part, findings: Findings) -> None:
    auth = part.model.auth
    for key in ("bearer", "basic", "value") if auth is not None else ():
        written = getattr(auth, key)
        if written is not None and not has_template(written):
            hint = "write '{{ secrets.X }}': it is looked up in the worker's environment"
            findings.error("plain-secret", "a credential stands in the spec", part.value("auth", key), hint=hint)
