"""From an OpenAPI document to what it offers: the version, the operations one by one, and what is left out and why."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from interlock.authoring.importing import naming, prose
from interlock.authoring.importing.operations import LeftOut, Offer, Operation, Shape
from interlock.authoring.importing.requests import JSON_TYPE, CannotSendError, request_of
from interlock.authoring.importing.schemas import shape_of
from interlock.authoring.importing.services import service_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.authoring.importing.nodes import Node

METHODS = ("get", "post", "put", "patch", "delete")
OTHER_METHODS = ("head", "options", "trace", "query")
_VERSION = re.compile(r"2\.0|3\.[01](?:\.[0-9]{1,3})?")
_PATH = re.compile(r"/(?:[^\s{}?#\0]|\{[^\s{}\0]+\})*")
_SUCCESS = re.compile(r"2(?:[0-9]{2}|XX|xx)")


def offer_of(root: Node, only: Iterable[str] = ()) -> Offer | None:
    """What the document offers, as far as a pattern of `only` names it; None for another kind of document."""
    version = _version(root)
    if not version:
        return None
    root.reading.follows_siblings = version.startswith("3.1")
    operations: list[Operation] = []
    left_out: list[LeftOut] = []
    for found in _chosen(_found(root), list(only)):
        if isinstance(found, LeftOut):
            left_out.append(found)
            continue
        try:
            operations.append(found.operation())
        except CannotSendError as problem:
            left_out.append(LeftOut(found.call, str(problem)))
    info = root.get("info")
    title, description = (info.text("title"), info.text("description")) if info else ("", "")
    told = prose.line(str(info.get("version").value or "") if info else "", 40)
    notes = ("webhooks are calls that the service makes: none is imported",) if root.get("webhooks") else ()
    form = f"{'Swagger' if version == '2.0' else 'OpenAPI'} {version}"
    return Offer(
        prose.line(title, 120), prose.paragraphs(description), told, form, tuple(operations), tuple(left_out), notes
    )


def _version(root: Node) -> str:
    for key in ("openapi", "swagger"):
        node = root.get(key)
        if node and _VERSION.fullmatch(str(node.value)):
            return str(node.value)
        if node:
            message = f"{key!r} is not a version that can be imported: {prose.line(str(node.value), 40)}"
            node.fault("not-openapi", message, "it is 2.0, 3.0 or 3.1")
            return ""
    hint = "such a document says `openapi: 3.1.0`, or `swagger: '2.0'`"
    root.fault("not-openapi", "this is no OpenAPI document: it says no version", hint)
    return ""


class _Found:
    """An operation that was found, not looked into yet."""

    def __init__(self, root: Node, item: Node, node: Node, method: str, path: str, name: str) -> None:
        self.root, self.item, self.node = root, item, node
        self.method, self.path, self.name = method.upper(), path, name
        self.call = f"{self.method} {path}"

    def operation(self) -> Operation:
        """All that is said of it. Raises CannotSendError."""
        node = self.node
        request = request_of(self.root, self.item, node, self.method, self.path)
        answer, notes = _answer(node, self.root)
        said = ["deprecated"] if node.flag("deprecated") else []
        return Operation(
            name=self.name,
            method=self.method,
            path=request.path,
            title=prose.line(node.text("summary") or self.item.text("summary"), 120),
            description=prose.paragraphs(node.text("description") or self.item.text("description")),
            inputs=tuple(request.inputs),
            answer=answer,
            service=service_of(self.root, self.item, node),
            idempotency=request.idempotency,
            notes=(*said, *request.notes, *notes),
        )


def _found(root: Node) -> Iterator[_Found | LeftOut]:
    """Every operation in the order of the document, each with a name of its own."""
    taken: set[str] = set()
    for path, written in root.members("paths").items():
        item = written.followed()
        if path.startswith("x-") or not item.is_a(dict):
            continue
        if not path.startswith("/"):
            written.fault("bad-openapi", f"the path {prose.line(path, 60)!r} does not begin with '/'")
            continue
        for method in item.value:
            call = f"{str(method).upper()} {path}"
            if method in OTHER_METHODS:
                yield LeftOut(call, f"{method.upper()} is no method of a tool")
            elif method in METHODS and item.get(method).is_a(dict):
                node = item.get(method)
                name = naming.snake(node.text("operationId")) or naming.of_call(method, path)
                name = naming.unique(name, taken)
                taken.add(name)
                fits = _PATH.fullmatch(path) is not None and prose.is_clean(path)
                why = "its path cannot be that of a tool"
                yield _Found(root, item, node, method, path, name) if fits else LeftOut(call, why)


def _chosen(found: Iterable[_Found | LeftOut], only: list[str]) -> Iterator[_Found | LeftOut]:
    for one in found:
        names = [one.call, one.call.partition(" ")[2]]
        if isinstance(one, _Found):
            names += [one.name, one.node.text("operationId")]
        if not only or any(fnmatchcase(name, pattern) for name in names for pattern in only):
            yield one


def _answer(operation: Node, root: Node) -> tuple[Shape | None, tuple[str, ...]]:
    """The shape of a successful answer; what to do where `output` cannot say it."""
    responses = {code: node.followed() for code, node in operation.members("responses").items() if code[:2] != "x-"}
    code = min((code for code in responses if _SUCCESS.fullmatch(code)), default=None, key=str.upper)
    schema = _schema(responses[code], root) if code and responses[code].is_a(dict) else None
    if schema is None:
        return None, ()
    shape = shape_of([schema])
    if shape.type == "object" and shape.fields:
        return shape, ()
    if shape.type == "list":
        of = f" of {shape.items.type}s" if shape.items and shape.items.type in ("string", "integer", "number") else ""
        return None, (f"the answer is a list{of}: `unwrap` a part of it that is an object, then declare its `output`",)
    what = "declares no members" if shape.type == "object" else f"is {shape.type or 'of no one type'}"
    return None, (f"the answer {what}: nothing of it can be read until `output` says so",)


def _schema(response: Node, root: Node) -> Node | None:
    if root.get("swagger"):
        return response.get("schema") or None
    media = next((node for name, node in response.members("content").items() if JSON_TYPE.fullmatch(name)), None)
    return (media.get("schema") or None) if media else None
