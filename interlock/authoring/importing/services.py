"""Where a service is, and how it knows who calls: the servers and security schemes of a document."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from interlock.authoring.importing import prose
from interlock.authoring.importing.operations import Service
from interlock.authoring.importing.requests import HEADER

if TYPE_CHECKING:
    from interlock.authoring.importing.nodes import Node

_FIXED = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/-]*)?")
_BELOW = re.compile(r"(?:/[A-Za-z0-9._~-]+)*/?")

Auth = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]
"""The keys of `auth`, and what to do about what is not among them."""


def service_of(root: Node, item: Node, operation: Node) -> Service:
    """The service that answers one operation."""
    label, auth, todo = _auth(root, operation)
    where = _of_host(root) if root.get("swagger") else _of_servers(root, item, operation)
    return replace(where, auth=auth, notes=(*where.notes, *todo), label=label)


def _of_servers(root: Node, item: Node, operation: Node) -> Service:
    """The first server that counts for the operation."""
    servers = operation.items("servers") or item.items("servers") or root.items("servers")
    if not servers:
        return Service("", notes=("the document names no server",))
    url = servers[0].text("url")
    others = [prose.line(server.text("url"), 60) for server in servers[1:6]]
    notes = (prose.note(f"other servers: {', '.join(others)}"),) if others else ()
    if variables := servers[0].members("variables"):
        told = (f"{name}: {_variable(node)}" for name, node in variables.items())
        return Service(
            "", origin=url, notes=(prose.note(f"in the document: {url}"), prose.note("; ".join(told)), *notes)
        )
    return _at(url, notes)


def _of_host(root: Node) -> Service:
    """The address of an OpenAPI 2.0 document."""
    host, base = root.text("host"), root.text("basePath")
    schemes = root.texts("schemes")
    scheme = "http" if schemes and "https" not in schemes else "https"
    return _at(f"{scheme}://{host}{base}" if host else base, ())


def _at(url: str, notes: tuple[str, ...]) -> Service:
    """A service at an address, as far as it can stand in a spec."""
    address = url.rstrip("/")
    if _FIXED.fullmatch(address):
        return Service(address, origin=url, notes=notes)
    if _BELOW.fullmatch(address):
        return Service("", address, origin=url, notes=("the document names no host", *notes))
    return Service("", origin=url, notes=(prose.note(f"in the document: {url}"), *notes))


def _variable(node: Node) -> str:
    values = node.texts("enum")
    return prose.line(node.text("default") + (f" (of {', '.join(values[:8])})" if values else ""), 100)


def _auth(root: Node, operation: Node) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """A label, the keys of `auth`, and what to do about the rest: the first way in that can be written."""
    here = operation if operation.get("security") else root
    ways = [way for way in here.items("security") if way.is_a(dict) and way.value]
    if not ways:
        return "open", (), ()
    schemes = _schemes(root)
    found = [_way(way, schemes) for way in ways]
    label, auth, notes = next((one for one in found if one[1]), found[0])
    if len(found) > 1:
        others = [prose.line(" and ".join(way.value), 60) for way in ways if " and ".join(way.value) != label]
        notes = (*notes, prose.note(f"other ways in: {', '.join(others)}"))
    return label, auth, notes


def _schemes(root: Node) -> dict[str, Node]:
    if root.get("swagger"):
        return root.members("securityDefinitions")
    components = root.get("components")
    return components.members("securitySchemes") if components else {}


def _way(way: Node, schemes: dict[str, Node]) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """One way in, which may ask for several credentials; a server carries one of them."""
    auth: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    for name in way.value:
        if name not in schemes:
            way.fault("unknown-reference", f"there is no security scheme {prose.line(name, 60)!r}")
            continue
        keys, todo = _scheme(prose.line(name, 60), schemes[name].followed())
        if keys and auth:
            todo = (f"{name} is asked for as well, and a server carries one credential: let a proxy add it",)
        auth, notes = auth or keys, (*notes, *todo)
    return " and ".join(way.value), auth, notes


def _scheme(name: str, scheme: Node) -> Auth:
    kind, how = scheme.text("type"), scheme.text("scheme").lower()
    if kind == "http" and how == "bearer":
        return (("bearer", "{TOKEN}"),), ()
    if kind == "basic" or (kind == "http" and how == "basic"):
        return (("basic", "{LOGIN}"),), ("the secret has the form user:password",)
    header = scheme.text("name")
    if kind == "apiKey" and scheme.text("in") == "header" and HEADER.fullmatch(header):
        return (("header", header), ("value", "{KEY}")), ()
    if kind == "apiKey":
        where = prose.line(scheme.text("in"), 20) or "nowhere"
        return (), (f"{name} is a key that travels in the {where}: let a proxy add it, or ask for one in a header",)
    if kind in ("oauth2", "openIdConnect"):
        todo = "get a token by other means, keep it fresh, and write it as a bearer token under `auth`"
        return (), (f"{name} is {'OAuth 2' if kind == 'oauth2' else 'OpenID Connect'}: {todo}",)
    what = prose.line(f"{kind} {how}".strip(), 40)
    return (), (f"{name} ({what}) is not a credential that a server can carry: let a proxy add it",)
