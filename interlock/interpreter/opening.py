"""What comes from outside is checked here against the plan: who the user is, and each message."""

from collections.abc import Mapping, Sequence
from typing import Any

from interlock.interpreter.events import MessageReceived
from interlock.interpreter.models.roles import has_server
from interlock.interpreter.program import Program
from interlock.interpreter.state import Json, State
from interlock.plan.base import Field
from interlock.plan.fields import misfits_of

BUILT_IN: dict[str, Field] = {
    "id": Field(type="string", optional=True),
    "groups": Field(type="list", items=Field(type="string"), default=[]),
    "tenant": Field(type="string", optional=True),
    "locale": Field(type="string", optional=True),
}
"""The attributes that every agent's users have."""


class InvalidMessage(ValueError):  # noqa: N818 - it names what is wrong
    """What was sent does not fit the agent; nothing has changed. `code` is stable, for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def opened(
    program: Program, *, session_id: str, run_id: str, user: Mapping[str, Any], now_ms: int, model: Json | None = None
) -> State:
    """The state of a new session. Raises InvalidMessage for a user, or a `model`, that the agent does not allow."""
    check_model(program, model, ("session", "message"))
    return State(
        session_id=session_id,
        run_id=run_id,
        plan_digest=program.digest,
        user=fitting({**BUILT_IN, **program.plan.user}, user, "user"),
        opened_ms=now_ms,
        last_ms=now_ms,
        model=model,
    )


def metadata_of(program: Program, message: MessageReceived) -> Json:
    """The metadata of a message with what is declared and not given. Raises InvalidMessage; for its `model` too."""
    check_model(program, message.model, ("message",))
    shape = program.plan.message
    if message.type not in shape.types:
        declared = ", ".join(shape.types)
        raise InvalidMessage("unknown-message-type", f"no message type {message.type!r}; declared are: {declared}")
    if not shape.metadata and not message.metadata:
        return {}
    return fitting(shape.metadata, message.metadata, "metadata")


def check_model(program: Program, model: Json | None, allowed: Sequence[str]) -> None:
    """Raises InvalidMessage for the settings of a model that this agent does not let a caller name."""
    if model is None:
        return
    if program.plan.model_override not in allowed:
        raise InvalidMessage("model-not-allowed", "this agent lets nobody name a model here (`model_override`)")
    if not has_server(program.plan, model):
        known = ", ".join(sorted({one.server for one in program.plan.models.values()}))
        raise InvalidMessage("unknown-server", f"no models at server {model['server']!r}; there are models at: {known}")


def fitting(fields: Mapping[str, Field], given: Mapping[str, Any], what: str) -> Json:
    """`given` with what is declared and not given. Raises InvalidMessage for what is not as declared."""
    unknown = sorted(name for name in given if name not in fields)
    if unknown:
        known = ", ".join(fields) or "none"
        raise InvalidMessage(f"unknown-{what}", f"{what} has no {unknown[0]!r}; declared are: {known}")
    wrong = next(misfits_of(fields, given), None)
    if wrong is not None:
        raise InvalidMessage(f"wrong-{what}", f"{what}.{wrong}")
    return {name: field.default if given.get(name) is None else given[name] for name, field in fields.items()}
