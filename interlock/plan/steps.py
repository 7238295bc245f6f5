"""The steps of flows and procedures. One action a step; `id` is unique within the flow or procedure."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, TypeAlias

import pydantic

from interlock.plan.base import Expression, Field, Part, Path, Placed, Text, Value
from interlock.plan.models import Grounding

ErrorKind = Literal[
    "timeout", "blocked", "error", "missing", "ambiguous", "requires", "ensures", "unknown", "model", "cancelled"
]
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
    timeout_ms: int | None = None
    catch: tuple[Catch, ...] = ()


class Repeat(Part):
    """Calls again after `every_ms` until `until` holds over `result`; `timeout_ms` bounds all of it."""

    until: Expression
    every_ms: int
    timeout_ms: int


class CallStep(BaseStep):
    """One call of a tool, or one per combination of the values of `expand`'s slots; of those that `decompose` names."""

    action: Literal["call"]
    tool: str
    bind: dict[str, Value] = {}
    expand: tuple[str, ...] = ()
    decompose: str = ""
    max_parts: int = 20
    repeat: Repeat | None = None
    compensate: tuple["Step", ...] = ()


class RunStep(BaseStep):
    """Another procedure, by the digest that this plan was checked against; `bind` is its input.

    `waiting` is what a conversation says meanwhile; `hides` are the parts of the result, and `masked` the inputs, that
    are sensitive.
    """

    action: Literal["run"]
    procedure: str
    digest: str
    hides: tuple[Path, ...] = ()
    masked: tuple[str, ...] = ()
    bind: dict[str, Value] = {}
    waiting: Text | None = None
    compensate: tuple["Step", ...] = ()


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


class RetrieveStep(BaseStep):
    """A search; what it finds joins the context of what is generated later in the turn."""

    action: Literal["retrieve"]
    retriever: str
    query: Value = "{{ message.text }}"
    top: int | None = None


class GenerateStep(BaseStep):
    """Prose by a model; with `output` these fields, out of what `bind` shows it.

    `role` is a role or `auto`; without `grounding` that of the Agent counts.
    """

    action: Literal["generate"]
    role: str
    instructions: Text | None = None
    grounding: Grounding | None = None
    sources: Literal["append", "none"] = "none"
    bind: dict[str, Value] = {}
    output: dict[str, Field] | None = None
    no_result: Literal["refuse", "keep"] = "refuse"
    memory: bool = True


class ActStep(BaseStep):
    """What a model may do, one action a round: mounted tools and procedures, and searches; `handoff`: it may hand over.

    Without a `runtime` that of the Agent says how.
    """

    action: Literal["act"]
    tools: tuple[str, ...]
    procedures: tuple[str, ...] = ()
    retrievers: tuple[str, ...] = ()
    runtime: str = ""
    handoff: Text | None = None
    max_calls: int = 5
    max_rounds: int = 5
    history: int = 3
    guidance: Text | None = None


class PlanStep(BaseStep):
    """A list of calls that a model proposes for a `goal`: checked whole, then made one after the other."""

    action: Literal["plan"]
    goal: Text
    actions: tuple[str, ...]
    max_steps: int = 5
    history: int = 3
    guidance: Text | None = None


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


class Lane(Part):
    """One branch of a `parallel`."""

    name: str
    do: tuple["Step", ...]


class ParallelStep(BaseStep):
    """Branches side by side; the step ends when all have ended."""

    action: Literal["parallel"]
    lanes: tuple[Lane, ...]


class ForEachStep(BaseStep):
    """One pass for each item of the list `each`; `variable` is the root that holds it, `key` tells items apart."""

    action: Literal["for_each"]
    each: Value
    variable: str
    key: Value = ""
    do: tuple["Step", ...]
    max_parallel: int = 1
    on_failure: Literal["stop", "continue"] = "stop"


class DoStep(BaseStep):
    """A group, for one `when`, `catch`, `timeout` or `compensate`."""

    action: Literal["do"]
    do: tuple["Step", ...]
    compensate: tuple["Step", ...] = ()


class WaitStep(BaseStep):
    """A durable wait: `duration_ms`, or until the time that the template `time` gives."""

    action: Literal["wait"]
    duration_ms: int | None = None
    time: Value = ""


class ReceiveStep(BaseStep):
    """Waits for an event; its data is the step's result."""

    action: Literal["receive"]
    event: str


class EndStep(BaseStep):
    """Ends the procedure with this result."""

    action: Literal["end"]
    gives: dict[str, Value]


class FailStep(BaseStep):
    """Fails the procedure, undoing first with `compensate`."""

    action: Literal["fail"]
    text: Text
    compensate: bool = False


Step: TypeAlias = Annotated[
    CallStep
    | RunStep
    | CollectStep
    | RespondStep
    | ReplyStep
    | RefuseStep
    | HandoffStep
    | RetrieveStep
    | GenerateStep
    | ActStep
    | PlanStep
    | FlowStep
    | SetStep
    | SwitchStep
    | ParallelStep
    | ForEachStep
    | DoStep
    | WaitStep
    | ReceiveStep
    | EndStep
    | FailStep,
    pydantic.Field(discriminator="action"),
]


def steps_in(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps and all within them: of branches, passes, groups and catches, and what undoes them."""
    for step in steps:
        yield step
        for inner in lists_in(step):
            yield from steps_in(inner)


def lists_in(step: Step) -> Iterator[tuple[Step, ...]]:
    """The lists of steps within a step."""
    match step:
        case DoStep() | ForEachStep():
            yield step.do
        case SwitchStep():
            yield from (branch.do for branch in step.branches)
        case ParallelStep():
            yield from (lane.do for lane in step.lanes)
        case _:
            pass
    if isinstance(step, CallStep | RunStep | DoStep):
        yield step.compensate
    yield from (catch.do for catch in step.catch)
