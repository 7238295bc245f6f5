"""The OpenAPI document, from which the service takes its paths and checks what comes in."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry

from demo.hr.exchange import Json, Refusal, Request, parsed

FILE = Path(__file__).with_name("openapi.yaml")
OWN = frozenset({"audit", "switches", "document"})
"""Tags of what serves the tests rather than the business: no switch acts on it and no audit shows it."""


@dataclass(frozen=True)
class Operation:
    """One operation of the document."""

    id: str
    method: str
    path: str
    tag: str
    public: bool
    status: int
    wrapped: bool
    queries: tuple[Json, ...]
    body: Json | None
    body_required: bool

    @property
    def writes(self) -> bool:
        """Whether it has an effect in the business."""
        return self.method == "POST" and self.tag not in OWN

    def parameters(self, path: str) -> dict[str, str] | None:
        """The values of the path's parameters, or None if it is another path."""
        mine, theirs = self.path.split("/"), path.split("/")
        pairs = list(zip(mine, map(unquote, theirs), strict=False))
        if len(mine) != len(theirs) or any(not is_open(one) and one != other for one, other in pairs):
            return None
        return {one[1:-1]: other for one, other in pairs if is_open(one)}


class Document:
    """The operations, and the checks of their requests."""

    def __init__(self, file: Path = FILE) -> None:
        self.content: Json = yaml.load(file.read_bytes(), yaml.CSafeLoader)
        self.operations = tuple(self._operations())
        self.business = tuple(one for one in self.operations if one.tag not in OWN)

    def _operations(self) -> Iterator[Operation]:
        for path, item in self.content["paths"].items():
            for method in item.keys() - {"parameters"}:
                yield self._operation(path, method.upper(), item[method])

    def _operation(self, path: str, method: str, written: Json) -> Operation:
        body = written.get("requestBody", {})
        status = next(one for one in written["responses"] if one.startswith("2"))
        answer = written["responses"][status]["content"]["application/json"]["schema"]
        return Operation(
            id=written["operationId"],
            method=method,
            path=path,
            tag=written["tags"][0],
            public=written.get("security") == [],
            status=int(status),
            wrapped="data" in answer.get("properties", {}),
            queries=tuple(one for one in written.get("parameters", ()) if one.get("in") == "query"),
            body=body["content"]["application/json"]["schema"] if body else None,
            body_required=body.get("required", False),
        )

    def is_own(self, path: str) -> bool:
        """Whether a path serves the tests rather than the business."""
        return any(one.tag in OWN and one.parameters(path) is not None for one in self.operations)

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """The operation that a request is for, with the values in its path; raises Refusal."""
        found = [(one, values) for one in self.operations if (values := one.parameters(path)) is not None]
        for operation, values in found:
            if operation.method == method:
                return operation, values
        if found:
            raise Refusal(405, "METHOD_NOT_ALLOWED", f"{path} does not take {method}")
        raise Refusal(404, "NOT_FOUND", f"no such path: {path}")

    def arguments(self, operation: Operation, values: dict[str, str], request: Request) -> Json:
        """Path, query and body in one, each as the document asks; raises Refusal."""
        queries = {one["name"]: request.query[one["name"]] for one in operation.queries if one["name"] in request.query}
        for one in operation.queries:
            if one["name"] in queries:
                self._check(one["schema"], queries[one["name"]])
            elif one.get("required"):
                raise Refusal(400, "INVALID", f"the query needs {one['name']!r}")
        return {**values, **queries, **self._body(operation, parsed(request.body))}

    def _body(self, operation: Operation, body: Any) -> Json:
        if body is None and operation.body_required:
            raise Refusal(400, "INVALID", "a body is required")
        if body is None or (operation.body is None and body == {}):
            return {}
        if operation.body is None:
            raise Refusal(400, "INVALID", f"{operation.id} takes no body")
        self._check(operation.body, body)
        return dict(body)

    def check_switch(self, settings: Any) -> None:
        """Refuse what is no switch's settings; raises Refusal."""
        self._check({"$ref": "#/components/schemas/SwitchSettings"}, settings)

    def _check(self, schema: Json, value: Any) -> None:
        error = best_match(self.validator(schema).iter_errors(value))
        if error is not None:
            place = "".join(f"/{part}" for part in error.absolute_path)
            raise Refusal(400, "INVALID", f"{place}: {error.message}" if place else error.message)

    def validator(self, schema: Json) -> Draft202012Validator:
        """A validator of a schema of this document, whose references stay inside it."""
        whole = {"components": self.content["components"], **schema}
        return Draft202012Validator(whole, registry=Registry())


def is_open(segment: str) -> bool:
    """Whether a segment stands for any value: `*` or `{name}`."""
    return segment == "*" or (segment.startswith("{") and segment.endswith("}"))
