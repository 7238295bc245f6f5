"""Writes what a document offers as a Library to be reviewed: proposals are marked, and no argument has a source yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.authoring.importing import naming, prose
from interlock.authoring.importing.fields import argument_of, begun, put_output
from interlock.authoring.importing.requests import BODILESS
from interlock.source.document import MOST_BYTES
from interlock.source.written import Block, length, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from interlock.authoring.importing.operations import Input, LeftOut, Offer, Operation, Service

EFFECTS = {
    "GET": ("read", "a GET usually only reads"),
    "POST": ("write", "a POST usually writes; `read` if it only looks, `irreversible` if nothing undoes it"),
    "PUT": ("write", "a PUT usually writes what can be written back"),
    "PATCH": ("write", "a PATCH usually writes what can be written back"),
    "DELETE": ("irreversible", "what a DELETE takes away is usually gone"),
}


def library(offer: Offer, name: str, source: str, server: str = "") -> str:
    """The text of the Library `name`, "" if no spec can be so large.

    `source` is what it was made from, `server` the name of its first server.
    """
    names = _server_names(offer, server or name.replace("-", "_"))
    tree = Block([("apiVersion", "interlock/v1"), ("kind", "Library"), ("name", name)])
    if offer.title:
        tree["title"] = prose.inert(offer.title)
    if offer.description:
        tree["description"] = offer.description
    tree["servers"] = _servers(offer, names)
    tree["tools"] = Block([(one.name, _tool(one, names)) for one in offer.operations])
    for index, one in enumerate(offer.operations):
        if lines := [*([""] if index else []), *one.notes]:
            tree["tools"].say(one.name, *lines)
    for key in ("servers", "tools"):
        tree.say(key, "")
    if length(tree) > MOST_BYTES:
        return ""
    return written(tree, _head(offer, source)) + left_out_of(offer.left_out)


def _head(offer: Offer, source: str) -> list[str]:
    version = f" {offer.version}" if offer.version else ""
    return [
        prose.note(f"Imported from {source}: {offer.title or 'a service'}{version}, {offer.form}. To be reviewed:"),
        "- every argument needs its source: `from: slots.x`, `cells.tool.x`, `caller` …, or a `value`",
        "- what is marked `proposed` was guessed from the method; the document does not say it",
        "- every write says how a repeated request is known (`idempotency`) and what must hold after it (`ensures`)",
        "- take out the tools and the fields that you do not use; say `unwrap` where an answer has an envelope",
        *offer.notes,
    ]


def left_out_of(left_out: Sequence[LeftOut]) -> str:
    """Comments at the end of a Library on what is not in it."""
    if not left_out:
        return ""
    lines = [f"#   {prose.note(f'{one.call}: {one.why}')}\n" for one in left_out]
    return "\n# Not imported:\n" + "".join(lines)


def _server_names(offer: Offer, base: str) -> Mapping[Service, str]:
    """A name for every server; the one that most operations use has the shortest. Notes do not make another server."""
    names: dict[Service, str] = {}
    for service, _ in Counter(_unnoted(one.service) for one in offer.operations).most_common():
        called = f"{base}_{naming.snake(service.label, 'other')}" if names else base
        names[service] = naming.unique(called, names.values())
    return names


def _unnoted(service: Service) -> Service:
    return replace(service, notes=())


def _servers(offer: Offer, names: Mapping[Service, str]) -> Block:
    """The servers; those at one address that only the environment knows share its variable."""
    made, variables, said = Block(), dict[str, str](), set[tuple[str, str]]()
    noted = {_unnoted(one.service): one.service.notes for one in reversed(offer.operations)}
    for service, called in names.items():
        variable = variables.setdefault(service.origin, f"{called.upper()}_URL")
        address = service.address or f"{{{{ env.{variable} }}}}{service.below}"
        made[called] = Block([("http", address)])
        if service.auth:
            pairs = ((key, _secret(value, called.upper())) for key, value in service.auth)
            made[called]["auth"] = Block(pairs, flat=True)
        if notes := [note for note in noted[service] if (service.origin, note) not in said]:
            made.say(called, *notes)
        said |= {(service.origin, note) for note in notes}
    return made


def _secret(value: str, variable: str) -> str:
    return f"{{{{ secrets.{variable}_{value[1:-1]} }}}}" if value.startswith("{") else value


def _tool(operation: Operation, names: Mapping[Service, str]) -> Block:
    effect, why = EFFECTS[operation.method]
    tool = begun(operation.title, operation.description)
    if len(names) > 1:
        tool["server"] = names[_unnoted(operation.service)]
    tool["http"] = operation.call
    tool["effect"] = effect
    tool.beside["effect"] = f"proposed: {why}"
    if operation.inputs:
        tool["input"] = _inputs(operation)
    if operation.idempotency and effect != "read":
        tool["idempotency"] = Block([("header", operation.idempotency)], flat=True)
    put_output(tool, operation.answer)
    return tool


def _inputs(operation: Operation) -> Block:
    inputs = Block()
    for one in operation.inputs:
        extra = _travel(one, operation.method)
        inputs[one.name], notes = argument_of(one.shape, required=one.required, extra=extra)
        if notes:
            inputs.say(one.name, *notes)
    return inputs


def _travel(one: Input, method: str) -> dict[str, Any]:
    """How an argument travels, where that is not what it does by default."""
    extra: dict[str, Any] = {}
    usual = "path" if one.carried == "path" else "query" if method in BODILESS else "body"
    if one.carried != usual:
        extra["in"] = one.carried
    if one.wire != one.name and one.carried != "path":
        extra["send_as"] = one.wire
    return extra
