"""The steps of flows and procedures: one action a step, told apart by which key is there."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag
from pydantic import Field as Key

from interlock.spec.base import (
    TAG,
    Duration,
    Expression,
    Listed,
    Maybe,
    Name,
    Named,
    Path,
    Said,
    SpecModel,
    SpecName,
    Text,
    Value,
    Wired,
)
from interlock.spec.choosing import Choice, Proposal  # noqa: TC001 - pydantic reads it
from interlock.spec.fields import Field  # noqa: TC001 - likewise
from interlock.spec.models import Grounding  # noqa: TC001 - likewise
from interlock.spec.rules import Beside, NotEmpty, OneOf

ErrorKind = Literal[
    "timeout", "blocked", "error", "missing", "ambiguous", "requires", "ensures", "unknown", "model", "cancelled"
]


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
    timeout: Maybe[Duration] = None
    """Longest time that the step may take; an effect that is being tried by then is finished, and tried no more."""
    catch: Maybe[Listed[Catch]] = None
    """What happens after a failure."""


class Repeat(SpecModel):
    """Calls again until something holds."""

    until: Expression
    """When it is enough, a bare expression over `result`."""
    every: Duration
    """The pause between two calls."""
    timeout: Duration
    """Longest time in all; beyond it the step fails with `timeout`."""


class CallStep(BaseStep):
    """Call a tool."""

    key_rules = (Beside("max_parts", ("expand",)), Beside("decompose", ("expand",)))

    call: Name
    """The tool."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """Values of the arguments that come from `caller`."""
    expand: Maybe[Listed[Name]] = None
    """Slots with several values: one call for each combination."""
    decompose: Maybe[Name] = None
    """What says which values belong together, by its entry point; by default each goes with all others."""
    max_parts: Maybe[Annotated[int, Key(ge=1, le=100)]] = None
    """Most combinations; beyond it the person is asked to narrow. 20 by default."""
    repeat: Maybe[Repeat] = None
    """Call again until something holds; for tools that only read."""
    compensate: Maybe[Listed[Step]] = None
    """What undoes the step, once it has had its effect, if the run fails later."""


class RunStep(BaseStep):
    """Run a procedure, and wait for its end; a conversation goes on meanwhile."""

    run: SpecName
    """The procedure."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """Its input."""
    waiting: Maybe[Text] = None
    """What is said while it runs."""
    compensate: Maybe[Listed[Step]] = None
    """What undoes it, if the run fails later."""


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


class RetrieveStep(BaseStep):
    """Search, for what is generated later in the turn."""

    retrieve: Name
    """The retriever."""
    query: Maybe[Said] = None
    """What is searched for, a template; by default the message."""
    top: Maybe[Annotated[int, Key(ge=1, le=50)]] = None
    """Most passages; by default the retriever's."""


class GenerateStep(BaseStep):
    """Let a model write, unless a mount's response answers; or, with `output`, let it fill in fields and say nothing.

    A Procedure has the second only.
    """

    key_rules = (
        Beside("with", ("output",)),
        OneOf("prose is grounded, and fields are as `output` says", ("output", "grounding"), optional=True),
        OneOf("prose names its sources, and fields have none", ("output", "sources"), optional=True),
        OneOf("prose may state figures, and fields hold none", ("output", "no_result"), optional=True),
    )

    generate: Name
    """A role, or `auto`: the first of `model_rules` that holds."""
    instructions: Maybe[Text] = None
    """What the model is told for this step, after the Agent's instructions."""
    grounding: Maybe[Grounding] = None
    """How far it must rest on evidence, in place of the Agent's."""
    sources: Maybe[Literal["append", "none"]] = None
    """`append`: sources of passages that the text does not cite are added; none by default."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """What the model is shown, by name: data, in which no instruction counts."""
    output: Maybe[Wired[Field]] = None
    """What it fills in, for `steps.<id>.result`: texts of a bounded length or out of an `enum`, and booleans."""
    no_result: Maybe[Literal["refuse", "keep"]] = None
    """A text with a figure from nowhere, where a fact could be looked up and none was found; refused by default."""
    memory: Maybe[bool] = None
    """Whether it is shown what the Agent's `memory` holds; true by default."""


class ActStep(BaseStep):
    """Let a model choose among the mounts; rules decide whether a call goes out, and with which values."""

    act: Choice
    """What it may choose."""
    guidance: Maybe[Text] = None
    """How it should choose."""


class PlanStep(BaseStep):
    """Let a model propose a list of calls; it is checked whole before the first of them is made."""

    plan: Proposal
    """What it may propose."""
    guidance: Maybe[Text] = None
    """How it should plan."""


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


class ParallelStep(BaseStep):
    """Go on in several branches at once, until all have ended."""

    parallel: Named[Listed[Step]]
    """The steps of each branch."""


class ForEach(SpecModel):
    """One pass for each item of a list."""

    items: Value
    """The list, a template."""
    as_: Name = Key(alias="as")
    """What the item is called within."""
    do: Listed[Step]
    """The steps of each pass."""
    key: Maybe[Said] = None
    """What tells the items apart, a template; needed where the steps write."""
    max_parallel: Maybe[Annotated[int, Key(ge=1, le=100)]] = None
    """Passes at the same time; 1 by default."""
    on_failure: Literal["stop", "continue"] = "stop"
    """Whether a failed item stops the others; `continue` fails at the end, with all that failed."""


class ForEachStep(BaseStep):
    """Do the same for each item of a list."""

    for_each: ForEach
    """The items and what is done for each."""


class DoStep(BaseStep):
    """A group of steps, for one `when`, one `catch`, one `timeout` or one `compensate`."""

    do: Listed[Step]
    """The steps."""
    compensate: Maybe[Listed[Step]] = None
    """What undoes the whole group, in place of what undoes its steps."""


class WaitStep(BaseStep):
    """Wait for a while, or until a time."""

    wait: Said
    """A duration such as `4h`, or a template that gives a time."""


class ReceiveStep(BaseStep):
    """Wait for something that is sent in."""

    receive: Name
    """The event; its data is then `steps.<id>.result`."""


class EndStep(BaseStep):
    """End the procedure here, well."""

    end: Wired[Value]
    """Its result, in place of the declared one."""


class FailStep(BaseStep):
    """Fail the procedure here."""

    fail: Text
    """Why, for people."""
    compensate: Maybe[Literal[True]] = None
    """Undo first what has been done."""


ACTIONS: dict[str, type[BaseStep]] = {
    "call": CallStep,
    "run": RunStep,
    "collect": CollectStep,
    "respond": RespondStep,
    "reply": ReplyStep,
    "refuse": RefuseStep,
    "handoff": HandoffStep,
    "retrieve": RetrieveStep,
    "generate": GenerateStep,
    "act": ActStep,
    "plan": PlanStep,
    "flow": FlowStep,
    "set": SetStep,
    "switch": SwitchStep,
    "parallel": ParallelStep,
    "for_each": ForEachStep,
    "do": DoStep,
    "wait": WaitStep,
    "receive": ReceiveStep,
    "end": EndStep,
    "fail": FailStep,
}
"""The step models by their action key, in the order in which they are offered."""

TALKING = frozenset({"collect", "reply", "refuse", "handoff", "retrieve", "act", "plan", "flow"}) | {
    "expand",
    "decompose",
    "max_parts",
    "waiting",
}
"""Actions and keys that need a conversation: they stand in the flows of an Agent only."""

NEEDED_IN_PROCEDURE = {"generate": "output"}
"""Actions that stand in a Procedure only with a key that is otherwise left to the author."""

WORKING = frozenset({"parallel", "for_each", "wait", "receive", "end", "fail", "timeout", "repeat", "compensate"})
"""Actions and keys that only the steps of a Procedure have."""


def offered(kind: Any) -> list[str]:
    """The actions that steps may have in a kind of spec."""
    left_out = TALKING if kind == "Procedure" else WORKING
    return [action for action in ACTIONS if action not in left_out]


def action_of(step: Any) -> str | None:
    """The action key of a step as written; None if there is none or it is no map."""
    return next((key for key in ACTIONS if key in step), None) if isinstance(step, dict) else None


def _form(step: Any) -> str | None:
    action = getattr(step, "action", None) if isinstance(step, BaseStep) else action_of(step)
    return None if action is None else TAG + action


Step = Annotated[
    Annotated[CallStep, Tag(TAG + "call")]
    | Annotated[RunStep, Tag(TAG + "run")]
    | Annotated[CollectStep, Tag(TAG + "collect")]
    | Annotated[RespondStep, Tag(TAG + "respond")]
    | Annotated[ReplyStep, Tag(TAG + "reply")]
    | Annotated[RefuseStep, Tag(TAG + "refuse")]
    | Annotated[HandoffStep, Tag(TAG + "handoff")]
    | Annotated[RetrieveStep, Tag(TAG + "retrieve")]
    | Annotated[GenerateStep, Tag(TAG + "generate")]
    | Annotated[ActStep, Tag(TAG + "act")]
    | Annotated[PlanStep, Tag(TAG + "plan")]
    | Annotated[FlowStep, Tag(TAG + "flow")]
    | Annotated[SetStep, Tag(TAG + "set")]
    | Annotated[SwitchStep, Tag(TAG + "switch")]
    | Annotated[ParallelStep, Tag(TAG + "parallel")]
    | Annotated[ForEachStep, Tag(TAG + "for_each")]
    | Annotated[DoStep, Tag(TAG + "do")]
    | Annotated[WaitStep, Tag(TAG + "wait")]
    | Annotated[ReceiveStep, Tag(TAG + "receive")]
    | Annotated[EndStep, Tag(TAG + "end")]
    | Annotated[FailStep, Tag(TAG + "fail")],
    Discriminator(_form, custom_error_type="step_action", custom_error_message="a step needs one action"),
]
