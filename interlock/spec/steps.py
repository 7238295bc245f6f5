"""The steps of a flow: one action a step, told apart by which key is there."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag
from pydantic import Field as Key

from interlock.spec.base import (
    TAG,
    Expression,
    Listed,
    Maybe,
    Name,
    Named,
    Path,
    Said,
    SpecModel,
    Text,
    Value,
    Wired,
)
from interlock.spec.rules import Beside, NotEmpty

ErrorKind = Literal["timeout", "blocked", "error", "missing", "ambiguous", "requires", "ensures"]


class Catch(SpecModel):
    """What happens after a failure."""

    key_rules = (NotEmpty(),)

    errors: Maybe[Listed[ErrorKind]] = None
    """Which failures; by default any."""
    do: Maybe[Listed[Step]] = None
    """What to do; by default go on."""


class BaseStep(SpecModel):
    """What every step may have beside its action."""

    id: Maybe[Name] = None
    """Name for `steps.<id>`; by default what it calls."""
    title: Maybe[Text] = None
    """Name for people."""
    when: Maybe[Expression] = None
    """The step runs only then, a bare expression."""
    catch: Maybe[Listed[Catch]] = None
    """What happens after a failure."""


class CallStep(BaseStep):
    """Call a mounted tool."""

    key_rules = (Beside("max_parts", ("expand",)),)

    call: Name
    """The tool."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """Values of the arguments that come from `caller`."""
    expand: Maybe[Listed[Name]] = None
    """Slots with several values: one call for each combination."""
    max_parts: Maybe[Annotated[int, Key(ge=1, le=100)]] = None
    """Most combinations; beyond it the person is asked to narrow. 20 by default."""


class CollectStep(BaseStep):
    """Ask for slots, or assume them, until all are filled."""

    collect: Listed[Name]
    """The slots, in the order they are asked."""


class RespondStep(BaseStep):
    """Say a result by a response."""

    respond: Name
    """The response; `none` says on purpose that nothing is said."""
    result: Maybe[Path] = None
    """Path of the result; by default the last call's."""


class ReplyStep(BaseStep):
    """Say a text."""

    reply: Text
    """The text."""
    options: Maybe[Listed[Text]] = None
    """What the person may say next."""


class RefuseStep(BaseStep):
    """Refuse, and end the flow."""

    refuse: Text
    """The text."""
    reason: Maybe[Name] = None
    """A stable code for programs that read the reply."""
    options: Maybe[Listed[Text]] = None
    """What the person may say next."""


class HandoffStep(BaseStep):
    """Hand the session to a person, and end the flow."""

    handoff: Text
    """What is said."""
    to: Maybe[Said] = None
    """Who should take it."""


class FlowStep(BaseStep):
    """Run another flow of this agent, inline."""

    flow: Name
    """The flow."""


class SetStep(BaseStep):
    """Give variables values."""

    set: Named[Value]
    """Templates by variable; read as `vars.<name>`."""


class Branch(SpecModel):
    """One branch of a switch."""

    when: Maybe[Expression] = None
    """When it is taken, a bare expression; the last branch may have none."""
    do: Listed[Step]
    """Its steps."""


class SwitchStep(BaseStep):
    """Take the first branch that holds."""

    switch: Listed[Branch]
    """The branches."""


class DoStep(BaseStep):
    """A group of steps, for one `when` or one `catch`."""

    do: Listed[Step]
    """The steps."""


ACTIONS: dict[str, type[BaseStep]] = {
    "call": CallStep,
    "collect": CollectStep,
    "respond": RespondStep,
    "reply": ReplyStep,
    "refuse": RefuseStep,
    "handoff": HandoffStep,
    "flow": FlowStep,
    "set": SetStep,
    "switch": SwitchStep,
    "do": DoStep,
}
"""The step models by their action key, in the order in which they are offered."""


def action_of(step: Any) -> str | None:
    """The action key of a step as written; None if there is none or it is no map."""
    return next((key for key in ACTIONS if key in step), None) if isinstance(step, dict) else None


def _form(step: Any) -> str | None:
    action = getattr(step, "action", None) if isinstance(step, BaseStep) else action_of(step)
    return None if action is None else TAG + action


Step = Annotated[
    Annotated[CallStep, Tag(TAG + "call")]
    | Annotated[CollectStep, Tag(TAG + "collect")]
    | Annotated[RespondStep, Tag(TAG + "respond")]
    | Annotated[ReplyStep, Tag(TAG + "reply")]
    | Annotated[RefuseStep, Tag(TAG + "refuse")]
    | Annotated[HandoffStep, Tag(TAG + "handoff")]
    | Annotated[FlowStep, Tag(TAG + "flow")]
    | Annotated[SetStep, Tag(TAG + "set")]
    | Annotated[SwitchStep, Tag(TAG + "switch")]
    | Annotated[DoStep, Tag(TAG + "do")],
    Discriminator(_form, custom_error_type="step_action", custom_error_message="a step needs one action"),
]
