"""Hand-written validation of what callers send: from any JSON to typed values, or `Malformed` with code and path.

Attributes of users, types and metadata that a spec declares are checked against its plan elsewhere; here is what holds
for every spec.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from interlock.contract import strict_json
from interlock.contract.limits import (
    HISTORY_ENTRIES,
    INLINE_LIMIT,
    MESSAGE_TEXT_LIMIT,
    METADATA_LIMIT,
    NAME_LIMIT,
    USER_LIMIT,
)
from interlock.contract.strict_json import NotStrictJsonError, Path

Json: TypeAlias = dict[str, Any]

JSON_ENCODINGS = frozenset({"json/plain"})
NULL_ENCODING = "binary/null"

MAX_TOKENS = 10_000_000
"""The longest answer that a caller may ask for."""


class Malformed(ValueError):  # noqa: N818 - named as the contract's documents name it
    """What a caller sent is not in the contract: a kebab-case `code`, what is wrong, and the `path` in the body."""

    def __init__(self, code: str, message: str, path: Path = ()) -> None:
        super().__init__(code, message, path)
        self.code = code
        self.message = message
        self.path = path

    def __str__(self) -> str:
        return f"{strict_json.dotted(self.path)}: {self.message}" if self.path else self.message

    def as_json(self) -> Json:
        """The error as a caller gets it."""
        return {"code": self.code, "message": str(self), "path": list(self.path)}


@dataclass(frozen=True, slots=True)
class Message:
    """The body of `message`; `history` is `{role, text}` entries, `model` the settings of the one model to be asked."""

    id: str
    text: str
    role: str = "user"
    type: str = "user_chat"
    metadata: Json = field(default_factory=dict)
    history: tuple[Json, ...] = ()
    model: Json | None = None


@dataclass(frozen=True, slots=True)
class SessionStart:
    """The start input of a session: who it is for, the message of a single-message run, and the one model to ask."""

    user: Json
    message: Message | None = None
    model: Json | None = None


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """The body of `agent_message`: what a human colleague says."""

    id: str
    text: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class PersonEvent:
    """The body of `takeover`, `release`, `close` and `cancel`: who did it, as far as the caller says."""

    by: str = ""


def body_of(payloads: Sequence[tuple[str, bytes]]) -> Any:
    """The one JSON value among the raw payloads of a start, signal, update or query; none where nothing was sent.

    A payload is its encoding and its bytes.
    """
    if len(payloads) > 1:
        raise Malformed("wrong-arity", f"one JSON object is expected, {len(payloads):,} arguments came")
    if not payloads:
        return None
    encoding, content = payloads[0]
    if encoding == NULL_ENCODING:
        return None
    if encoding not in JSON_ENCODINGS:
        raise Malformed("wrong-encoding", f"encoding {strict_json.shown(encoding)!r} is not 'json/plain'")
    try:
        return strict_json.loads(content)
    except NotStrictJsonError as refused:
        raise Malformed(refused.code, refused.message, refused.path) from None


def session_start(value: Any) -> SessionStart:
    """The start input `{user: {id, …}, message?, model?}`."""
    body = _object(value, (), required=("user",), optional=("message", "model"))
    sent = body.get("message")
    first = None if sent is None else message(sent, ("message",))
    return SessionStart(_user(body["user"], ("user",)), first, _model(body, ()))


def message(value: Any, path: Path = ()) -> Message:
    """The body `{id, text, role?, type?, metadata?, history?, model?}`."""
    body = _object(value, path, required=("id", "text"), optional=("role", "type", "metadata", "history", "model"))
    return Message(
        id=_name(body, "id", path),
        text=_text(body, "text", path),
        role=_name(body, "role", path, "user"),
        type=_name(body, "type", path, "user_chat"),
        metadata=_metadata(body, path),
        history=_history(body, path),
        model=_model(body, path),
    )


def agent_message(value: Any) -> AgentMessage:
    """The body `{id, text, by?}`."""
    body = _object(value, (), required=("id", "text"), optional=("by",))
    return AgentMessage(_name(body, "id", ()), _text(body, "text", ()), _name(body, "by", (), ""))


def person_event(value: Any) -> PersonEvent:
    """The body `{by?}`; nothing at all is an event by nobody named."""
    body = _object({} if value is None else value, (), required=(), optional=("by",))
    return PersonEvent(_name(body, "by", (), ""))


@dataclass(frozen=True, slots=True)
class SentEvent:
    """The body of `event`: something that a procedure may receive."""

    id: str
    name: str
    data: Json


@dataclass(frozen=True, slots=True)
class Retry:
    """The body of `retry`: who asks, what became of unknown effects by step, and the digest of another plan, if any."""

    by: str = ""
    resolved: Json = field(default_factory=dict)
    plan: str = ""


def procedure_input(value: Any) -> Json:
    """The start input of a procedure: one JSON object, which its plan checks."""
    given = _as_object({} if value is None else value, ())
    _plain(given, (), INLINE_LIMIT)
    return given


def sent_event(value: Any) -> SentEvent:
    """The body `{id, name, data?}`."""
    body = _object(value, (), required=("id", "name"), optional=("data",))
    data = _as_object(_given(body, "data", {}), ("data",))
    _plain(data, ("data",), INLINE_LIMIT)
    return SentEvent(_name(body, "id", ()), _name(body, "name", ()), data)


def retry(value: Any) -> Retry:
    """The body `{by?, resolved?, plan?}`; `resolved` says `happened` or `did_not_happen` for each unknown step."""
    body = _object({} if value is None else value, (), required=(), optional=("by", "resolved", "plan"))
    resolved = _as_object(_given(body, "resolved", {}), ("resolved",))
    for step, said in resolved.items():
        if said not in ("happened", "did_not_happen"):
            raise Malformed("wrong-value", "'happened' or 'did_not_happen' is expected", ("resolved", step))
    return Retry(_name(body, "by", (), ""), resolved, _name(body, "plan", (), ""))


def _object(value: Any, path: Path, required: Sequence[str], optional: Sequence[str]) -> Json:
    body = _as_object(value, path)
    known = (*required, *optional)
    for key in body:
        if key not in known:
            _unknown(key, known, path)
    for key in required:
        if key not in body:
            raise Malformed("missing-key", f"key {key!r} is missing", path)
    return body


def _as_object(value: Any, path: Path) -> Json:
    # Exact types here: in a workflow's sandbox every `isinstance` is several calls.
    if type(value) is not dict:
        raise Malformed("wrong-type", f"an object is expected, not {_kind(value)}", path)
    for key in value:
        if type(key) is not str:
            raise Malformed("wrong-type", f"a key must be a string, not {_kind(key)}", path)
    return dict(value)


def _unknown(key: str, known: Sequence[str], path: Path) -> None:
    close = difflib.get_close_matches(key[:NAME_LIMIT], known, n=1)
    remedy = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
    raise Malformed("unknown-key", f"unknown key {strict_json.shown(key)!r}; {remedy}", path)


def _user(value: Any, path: Path) -> Json:
    user = _as_object(value, path)
    if "id" not in user:
        raise Malformed("missing-key", "key 'id' is missing", path)
    _name(user, "id", path)
    for key in ("tenant", "locale"):
        if user.get(key) is not None:
            _name(user, key, path)
    groups = user.get("groups")
    for group in _list([] if groups is None else groups, (*path, "groups")):
        checked_name(group, (*path, "groups"))
    _plain(user, path, USER_LIMIT)
    return user


def _metadata(body: Json, path: Path) -> Json:
    here = (*path, "metadata")
    metadata = _as_object(_given(body, "metadata", {}), here)
    if metadata:
        _plain(metadata, here, METADATA_LIMIT)
    return metadata


def _history(body: Json, path: Path) -> tuple[Json, ...]:
    here = (*path, "history")
    entries = _list(_given(body, "history", []), here)
    if len(entries) > HISTORY_ENTRIES:
        raise Malformed("too-long", f"{len(entries):,} entries, more than {HISTORY_ENTRIES}", here)
    return tuple(_history_entry(entry, (*here, at)) for at, entry in enumerate(entries))


def _history_entry(value: Any, path: Path) -> Json:
    entry = _object(value, path, required=("role", "text"), optional=())
    return {"role": _name(entry, "role", path), "text": _text(entry, "text", path)}


def _model(body: Json, path: Path) -> Json | None:
    """Settings `{model, server?, temperature?, max_tokens?}`; none if nothing is said."""
    here = (*path, "model")
    if body.get("model") is None:
        return None
    given = _object(body["model"], here, required=("model",), optional=("server", "temperature", "max_tokens"))
    settings: Json = {key: _name(given, key, here) for key in ("model", "server") if given.get(key) is not None}
    warm, longest = given.get("temperature"), given.get("max_tokens")
    if warm is not None:
        if type(warm) not in (int, float) or not 0 <= warm <= 2:
            raise Malformed("wrong-value", "a number from 0 to 2 is expected", (*here, "temperature"))
        settings["temperature"] = warm
    if longest is not None:
        if type(longest) is not int or not 1 <= longest <= MAX_TOKENS:
            raise Malformed(
                "wrong-value", f"a whole number from 1 to {MAX_TOKENS:,} is expected", (*here, "max_tokens")
            )
        settings["max_tokens"] = longest
    if "model" not in settings:
        raise Malformed("missing-key", "key 'model' is missing", here)
    return settings


def _given(body: Json, key: str, default: Any) -> Any:
    value = body.get(key)
    return default if value is None else value


def _name(body: Json, key: str, path: Path, default: str | None = None) -> str:
    value = body.get(key)
    return default if value is None and default is not None else checked_name(value, (*path, key))


def checked_name(value: Any, path: Path) -> str:
    """An id, a role, a type, a group or a name. Raises `Malformed` for what cannot be one."""
    name = _string(value, path, NAME_LIMIT)
    if not name.strip():
        raise Malformed("empty", "an empty string", path)
    if not name.isprintable():
        raise Malformed("bad-text", "a name may not hold control characters", path)
    return name


def _text(body: Json, key: str, path: Path) -> str:
    return _string(body[key], (*path, key), MESSAGE_TEXT_LIMIT)


def _string(value: Any, path: Path, limit: int) -> str:
    if type(value) is not str:
        raise Malformed("wrong-type", f"a string is expected, not {_kind(value)}", path)
    if len(value) > limit:
        raise Malformed("too-long", f"{len(value):,} characters, more than {limit:,}", path)
    _plain(value, path, limit * 8)
    return value


def _list(value: Any, path: Path) -> Sequence[Any]:
    if not isinstance(value, list):
        raise Malformed("wrong-type", f"a list is expected, not {_kind(value)}", path)
    return value


def _plain(value: Any, path: Path, limit: int) -> None:
    try:
        strict_json.check(value, limit)
    except NotStrictJsonError as refused:
        raise Malformed(refused.code, refused.message, (*path, *refused.path)) from None


def _kind(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return "nothing" if value is None else names.get(type(value), f"a {type(value).__name__}")
