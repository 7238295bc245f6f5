"""The steps of a flow. One action a step; `id` is unique within the flow."""

from typing import Annotated, Literal, TypeAlias

import pydantic

from interlock.plan.base import Expression, Path, Placed, Text, Value

ErrorKind = Literal["timeout", "blocked", "error", "missing", "ambiguous", "requires", "ensures"]
"""What a `catch` may name, as far as the step kinds here can raise it."""


class Catch(Placed):
    """What happens after a failure; no `errors` means any, no `do` means: go on."""

    errors: tuple[ErrorKind, ...] = ()
    do: tuple["Step", ...] = ()


class BaseStep(Placed):
    """What every step has."""

    id: str
    title: Text | None = None
    when: Expression = ""
    catch: tuple[Catch, ...] = ()


class CallStep(BaseStep):
    """One call of a mounted tool, or one per combination of the values of `expand`'s slots."""

    action: Literal["call"]
    tool: str
    bind: dict[str, Value] = {}
    expand: tuple[str, ...] = ()
    max_parts: int = 20


class CollectStep(BaseStep):
    """Fill slots: ask, assume or default; waits for the next message until all are filled."""

    action: Literal["collect"]
    slots: tuple[str, ...]


class RespondStep(BaseStep):
    """Render a result by a response; response `none` says on purpose that nothing is said."""

    action: Literal["respond"]
    response: str
    result: Path = ""


class ReplyStep(BaseStep):
    """Say a text."""

    action: Literal["reply"]
    text: Text
    options: tuple[Text, ...] = ()


class RefuseStep(BaseStep):
    """Say a text and end the flow as a refusal."""

    action: Literal["refuse"]
    text: Text
    reason: str = ""
    options: tuple[Text, ...] = ()


class HandoffStep(BaseStep):
    """Say a text, hand the session to a person, and end the flow."""

    action: Literal["handoff"]
    text: Text
    to: str = ""


class FlowStep(BaseStep):
    """Another flow of this agent, inline."""

    action: Literal["flow"]
    flow: str


class SetStep(BaseStep):
    """Give `vars` values, in the order written."""

    action: Literal["set"]
    values: dict[str, Value]


class Branch(Placed):
    """One branch of a switch; the last may have no `when`."""

    when: Expression = ""
    do: tuple["Step", ...]


class SwitchStep(BaseStep):
    """The first branch that holds."""

    action: Literal["switch"]
    branches: tuple[Branch, ...]


class DoStep(BaseStep):
    """A group, for one `when` or one `catch`."""

    action: Literal["do"]
    do: tuple["Step", ...]


Step: TypeAlias = Annotated[
    CallStep
    | CollectStep
    | RespondStep
    | ReplyStep
    | RefuseStep
    | HandoffStep
    | FlowStep
    | SetStep
    | SwitchStep
    | DoStep,
    pydantic.Field(discriminator="action"),
]
