"""Builds the request of an HTTP tool from its verified arguments, so that no value can leave its place."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from interlock.contract import strict_json
from interlock.contract.calls import Json, ToolRequest
from interlock.contract.headers import OURS, is_header
from interlock_activities.addresses import Origin, required_url
from interlock_activities.failures import misconfigured
from interlock_activities.references import References
from interlock_activities.repeating import repeats

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_WRITTEN = "/%:@!$&'()*+,;=~-._"
"""What an author may write in a path as it is."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request. `private` headers (credentials and arguments) are for `origin` alone."""

    method: str
    origin: Origin
    target: str
    private: Mapping[str, str]
    content: bytes | None
    redirects: tuple[str, ...]
    timeout_ms: int
    max_bytes: int
    secrets: tuple[str, ...] = field(repr=False)

    def repeated_in(self, text: str) -> bool:
        """Whether `text` holds one of the secrets; short ones prove nothing."""
        return repeats(text, self.secrets)


def outgoing(request: ToolRequest, references: References) -> Outgoing:
    """The request to send; raises Failure, naming the argument or variable, for what cannot be sent."""
    server = request.server or {}
    base = required_url(references.address(str(server.get("http", ""))))
    placed = _by_place(request.arguments)
    auth, secrets = auth_headers(server.get("auth"), references)
    return Outgoing(
        method=request.method,
        origin=base.origin,
        target=base.path.rstrip("/") + _target(request.path, placed),
        private={**_argument_headers(placed.get("header", [])), **auth},
        content=_body(placed.get("body", [])),
        redirects=tuple(references.address(host) for host in server.get("redirects", ())),
        timeout_ms=request.timeout_ms,
        max_bytes=request.max_bytes,
        secrets=secrets,
    )


def _by_place(arguments: list[Json]) -> dict[str, list[Json]]:
    placed: dict[str, list[Json]] = {}
    for argument in arguments:
        place = argument["place"]
        if place not in ("path", "query", "body", "header"):
            raise misconfigured(f"argument {argument['name']!r} has no place in an HTTP request: {place!r}")
        placed.setdefault(place, []).append(argument)
    return placed


def _target(template: str, placed: Mapping[str, list[Json]]) -> str:
    path, mark, written = template.partition("?")
    segments = [_segment(part, placed.get("path", [])) for part in path.lstrip("/").split("/")]
    query = [quote(written, safe=_WRITTEN + "?")] if mark else []
    query += [pair for argument in placed.get("query", []) for pair in _pairs(argument)]
    return "/" + "/".join(segments) + ("?" + "&".join(query) if query else "")


def _segment(template: str, arguments: list[Json]) -> str:
    values = {key: a for a in arguments for key in (a["send_as"], a["name"])}
    filled = ""
    at = 0
    names = []
    for match in _PLACEHOLDER.finditer(template):
        name = match[1]
        if name not in values:
            raise misconfigured(f"no argument fills {match[0]!r} in the path")
        names.append(name)
        filled += quote(template[at : match.start()], safe=_WRITTEN) + quote(_text(values[name]), safe="")
        at = match.end()
    filled += quote(template[at:], safe=_WRITTEN)
    if names and filled in ("", ".", ".."):
        raise misconfigured(f"argument {names[0]!r} cannot stand in a path: it would name another one")
    return filled


def _pairs(argument: Json) -> list[str]:
    value = argument["value"]
    values = value if isinstance(value, list) else [] if value is None else [value]
    key = quote(argument["send_as"], safe="")
    return [f"{key}={quote(_text({**argument, 'value': item}), safe='')}" for item in values]


def _text(argument: Json) -> str:
    value = argument["value"]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return strict_json.dumps(value).decode()
    raise misconfigured(f"argument {argument['name']!r} is neither text nor a number, which its place needs")


def _argument_headers(arguments: list[Json]) -> dict[str, str]:
    headers = {}
    for argument in arguments:
        if argument["value"] is None:
            continue
        name, value = argument["send_as"].lower(), _text(argument)
        if not is_header(name) or name in OURS:
            raise misconfigured(f"argument {argument['name']!r} cannot be sent as header {name!r}")
        if not _is_header_text(value):
            raise misconfigured(f"argument {argument['name']!r} cannot stand in a header: it is not printable ASCII")
        headers[name] = value
    return headers


def auth_headers(auth: Json | None, references: References) -> tuple[dict[str, str], tuple[str, ...]]:
    """The header that a server's `auth` asks for, and the secrets in it; raises Failure where it cannot be sent."""
    if auth is None:
        return {}, ()
    value, secrets = references.credential(auth["value"])
    name = "authorization"
    if auth["kind"] == "bearer":
        sent = f"Bearer {value}"
    elif auth["kind"] == "basic":
        if ":" not in value:
            raise misconfigured("the value under auth.basic is not of the form user:password")
        encoded = base64.b64encode(value.encode()).decode()
        sent, secrets = f"Basic {encoded}", (*secrets, encoded)
    else:
        name, sent = auth["header"].lower(), value
    if not is_header(name) or name in OURS:
        raise misconfigured(f"a credential cannot be sent as header {name!r}")
    if not _is_header_text(sent):
        raise misconfigured("a value under auth is not printable ASCII; a line break at its end is a common cause")
    return {name: sent}, secrets


def _is_header_text(value: str) -> bool:
    return value.isascii() and value.isprintable() and value == value.strip()


def _body(arguments: list[Json]) -> bytes | None:
    if not arguments:
        return None
    body: dict[str, Any] = {argument["send_as"]: argument["value"] for argument in arguments}
    try:
        return strict_json.dumps(body)
    except ValueError:
        raise misconfigured("an argument of the body is not JSON") from None
