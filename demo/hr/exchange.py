"""What comes into the service and goes out of it, without the sockets: request, reply, refusal."""

import json
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """One request; `path` is as it came, without the query."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    token: str | None = None
    key: str | None = None


@dataclass(frozen=True)
class Reply:
    """One answer; a `dropped` one is never sent."""

    status: int
    body: Json
    replayed: bool = False
    dropped: bool = False
    switches: tuple[int, ...] = ()


class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not an error of the service
    """The service refuses, and says why."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def reply(self) -> Reply:
        """What is answered."""
        return Reply(self.status, {"code": self.code, "message": self.message})


def wrapped(data: Json) -> Json:
    """Data in the envelope that most operations have."""
    return {"code": "OK", "data": data}


def canonical(value: Any) -> str:
    """A JSON value as the one text that equal values share."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def parsed(body: bytes) -> Any:
    """The JSON value of a body, None for an empty one; raises Refusal."""
    if not body:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "INVALID", f"the body is not JSON: {error}") from None
