"""What a request carries: parameters and the members of a JSON body, as inputs of a tool."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from interlock.authoring.importing import naming, prose
from interlock.authoring.importing.operations import Carried, Input, Shape
from interlock.authoring.importing.schemas import shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.authoring.importing.nodes import Node

JSON_TYPE = re.compile(r"(?:application|text)/(?:[\w.+-]+\+)?json\b.*|\*/\*", re.IGNORECASE | re.DOTALL)
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
"""Header parameters that mean nothing, as OpenAPI has it; the client and `auth` set them."""
CLIENTS_HEADERS = frozenset(
    {
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "accept-encoding",
        "te",
        "trailer",
        "upgrade",
        "expect",
    }
)
BODILESS = frozenset({"GET", "DELETE"})
_IDEMPOTENCY = re.compile(r"(?:x-)?idempot[a-z]*-?(?:key|id|token)", re.IGNORECASE)
_SCALARS = frozenset({"string", "integer", "number", "boolean", "date", "datetime"})


class CannotSendError(Exception):
    """A tool cannot make this call; the text says why."""


@dataclass
class Request:
    """What one request carries."""

    path: str
    inputs: list[Input] = field(default_factory=list)
    idempotency: str = ""
    notes: list[str] = field(default_factory=list)


def request_of(root: Node, item: Node, operation: Node, method: str, path: str) -> Request:
    """The request of an operation. Raises CannotSendError for one that no tool can make."""
    request = Request(path)
    parameters = _parameters(item, operation)
    for (carried, name), node in parameters.items():
        if carried not in ("body", "formData"):
            _parameter(request, node, carried, name, method)
    known = {one.wire for one in request.inputs if one.carried == "path"}
    for name in dict.fromkeys(PLACEHOLDER.findall(path)):
        if name not in known:
            shape = Shape("string", notes=("the document does not describe it",))
            request.inputs.insert(0, Input(name, name, "path", shape, required=True))
    _body(request, root, operation, parameters, method)
    _name(request)
    return request


def _parameters(item: Node, operation: Node) -> dict[tuple[str, str], Node]:
    """Every parameter by its place and name; those of the operation stand before those of the path."""
    found = {}
    for node in (*item.items("parameters"), *operation.items("parameters")):
        target = node.followed()
        if target.is_a(dict):
            found[target.text("in"), target.text("name")] = target
    return found


def _parameter(request: Request, node: Node, carried: str, name: str, method: str) -> None:
    lower, required = name.lower(), node.flag("required")
    called = f"{prose.line(carried, 20)} parameter {prose.line(name, 60)!r}"
    if carried == "header" and lower in IGNORED_HEADERS | CLIENTS_HEADERS:
        return
    if carried == "header" and _IDEMPOTENCY.fullmatch(name) and method != "GET":
        request.idempotency = name
        return
    if carried == "path" and f"{{{name}}}" not in request.path:
        request.notes.append(f"{called} is not in the path: left out")
        return
    if carried not in ("path", "query", "header") or not _can_be_sent(name, carried):
        _leave_out(request, required, called, "one")
        return
    shape = _sendable(node)
    if shape is None:
        _leave_out(request, required, called, "an object there")
        return
    places: Mapping[str, Carried] = {"path": "path", "query": "query", "header": "header"}
    request.inputs.append(Input(name, name, places[carried], shape, required or carried == "path"))


def _can_be_sent(name: str, carried: str) -> bool:
    return bool(HEADER.fullmatch(name)) if carried == "header" else bool(name) and prose.is_clean(name)


def _leave_out(request: Request, required: bool, called: str, what: str) -> None:
    if required:
        raise CannotSendError(f"it needs {called}: a tool cannot send {what}")
    request.notes.append(f"{called} is left out: a tool cannot send {what}")


def _sendable(node: Node) -> Shape | None:
    """The shape of a parameter, which is text, a number, or several of them; None for anything else."""
    if content := node.members("content"):
        schema = next(iter(content.values())).get("schema")
        shape = replace(shape_of([schema] if schema else []), type="string", fields=None, items=None, facts={})
        shape = replace(shape, notes=(*shape.notes, f"it is sent as text: {prose.line(next(iter(content)), 60)}"))
    else:
        shape = shape_of([node.get("schema") or node])
    description = prose.line(node.text("description")) or shape.description
    shape = replace(shape, description=description)
    if shape.type in _SCALARS:
        return shape
    if shape.type == "":
        return replace(shape, type="string", notes=(*shape.notes, "proposed: text"))
    if shape.type != "list" or (shape.items is not None and shape.items.type not in _SCALARS):
        return None
    if _is_repeated(node):
        return shape
    note = f"several values in one text, separated as the service wants it ({_separator(node)})"
    return Shape("string", shape.description, notes=(*shape.notes, note))


def _is_repeated(node: Node) -> bool:
    """Whether a list is sent as one pair for each item, which is how a tool sends it."""
    if node.text("in") != "query":
        return False
    if not node.get("schema"):
        return node.text("collectionFormat") == "multi"
    return node.text("style") in ("", "form") and (not node.get("explode") or node.flag("explode"))


def _separator(node: Node) -> str:
    return prose.line(node.text("collectionFormat") or node.text("style"), 20) or "commas"


def _body(request: Request, root: Node, operation: Node, parameters: dict[tuple[str, str], Node], method: str) -> None:
    body = operation.get("requestBody").followed()
    fields = [name for (carried, name) in parameters if carried == "formData"]
    old = next((node for (carried, _), node in parameters.items() if carried == "body"), None)
    if fields:
        raise CannotSendError("it sends a form, and a tool sends JSON")
    if old is not None:
        types = operation.texts("consumes") or root.texts("consumes") or ["application/json"]
        _members(request, old.get("schema"), types, method, required=old.flag("required"))
    elif body and body.is_a(dict):
        content = body.members("content")
        media = next((node for name, node in content.items() if JSON_TYPE.fullmatch(name)), None)
        schema = (media or body).get("schema")
        _members(request, schema, list(content), method, required=body.flag("required"))


def _members(request: Request, schema: Node, types: list[str], method: str, *, required: bool) -> None:
    """The members of the body as inputs."""
    problem, shape = "", Shape("object")
    if method in BODILESS:
        problem = f"the body of a {method} request"
    elif types and not any(JSON_TYPE.fullmatch(one) for one in types):
        problem = f"a body of type {prose.line(', '.join(types), 80)}"
    elif schema:
        shape = shape_of([schema])
        problem = "" if shape.type == "object" else f"a body that is {_article(shape.type)}"
    if problem:
        if required:
            raise CannotSendError(f"it needs {problem}, which a tool cannot send")
        request.notes.append(f"{problem} is left out: a tool cannot send it")
        return
    if not shape.fields:
        request.notes.append("the document declares no members of its body: write those that you send under `input`")
    request.notes += [note for note in shape.notes if shape.fields]
    for name, member in (shape.fields or {}).items():
        if name and prose.is_clean(name) and not member.shape.received_only:
            request.inputs.append(Input(name, name, "body", member.shape, member.required and required))


def _article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}" if kind else "of no one type"


def _name(request: Request) -> None:
    """Give every input a name of its own, and the path those of its inputs."""
    elsewhere = {one.wire for one in request.inputs if one.carried != "path"}
    taken: set[str] = set()
    for index, one in enumerate(request.inputs):
        name = naming.wire(one.wire)
        if one.carried == "path" and name in elsewhere:
            name = f"{name}_in_path"
        name = naming.unique(name, taken | (elsewhere if one.carried == "path" else set()))
        taken.add(name)
        if one.carried == "path":
            request.path = request.path.replace(f"{{{one.wire}}}", f"{{\0{name}}}")
        request.inputs[index] = replace(one, name=name)
    request.path = request.path.replace("\0", "")
