"""What the steps `act` and `plan` leave to a model: what it may choose or propose, and how much of it."""

from typing import Annotated

from pydantic import Field as Key

from interlock.spec.base import Chosen, Listed, Maybe, Name, SpecModel, SpecName, Text
from interlock.spec.rules import NotEmpty


class Choice(SpecModel):
    """What a model may choose, and how often."""

    key_rules = (NotEmpty(),)

    tools: Maybe[Listed[Name]] = None
    """The mounted tools that it may call; by default all."""
    procedures: Maybe[Listed[SpecName]] = None
    """The mounted procedures that it may run; none by default."""
    retrievers: Maybe[Listed[Name]] = None
    """The retrievers that it may search; none by default."""
    runtime: Maybe[Name] = None
    """How it chooses, in place of the Agent's `runtime`."""
    max_calls: Maybe[Annotated[int, Key(ge=1, le=20)]] = None
    """Most calls, and procedures that are run; 5 by default."""
    history: Maybe[Annotated[int, Key(ge=0, le=10)]] = None
    """Messages of the user that it sees beside the present one; 3 by default."""
    handoff: Maybe[Text] = None
    """What is said when it leaves the conversation to a person; without it, it may not."""


class Proposal(SpecModel):
    """What a model may propose."""

    goal: Text
    """What the plan is for, a template."""
    actions: Listed[Chosen]
    """The mounted tools and procedures that it may be made of."""
    max_steps: Maybe[Annotated[int, Key(ge=1, le=10)]] = None
    """Most steps; 5 by default."""
    history: Maybe[Annotated[int, Key(ge=0, le=10)]] = None
    """Messages of the user that it sees beside the present one; 3 by default."""
