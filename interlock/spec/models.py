"""The parts of a spec that a model has a hand in: its roles, which of them writes, and how far it is believed."""

from typing import Annotated, Literal

from pydantic import Field as Key
from pydantic import StringConstraints

from interlock.contract.messages import MAX_TOKENS
from interlock.spec.base import Duration, Expression, Maybe, Name, Said, SpecModel
from interlock.spec.patterns import OF_USER

OUR_PROVIDERS = ("openai", "anthropic")
"""Keys of servers whose models are asked in a format that we know."""

MODEL_SERVERS = (*OUR_PROVIDERS, "provider")
"""Keys of servers that models answer at."""

Class = Literal["answer", "ask", "decline"]
Count = Annotated[int, Key(ge=1)]


class Limits(SpecModel):
    """What one worker may ask of a server in a minute."""

    requests_per_minute: Maybe[Count] = None
    """Questions in a minute."""
    tokens_per_minute: Maybe[Count] = None
    """Tokens in a minute, those of the answers too."""


class Model(SpecModel):
    """A role: which model does what it is for. The role `general` lends the others what they leave out."""

    model: Said
    """Name of the model, as the server knows it."""
    server: Maybe[Name] = None
    """The server; by default the only one of models."""
    temperature: Maybe[Annotated[float, Key(ge=0, le=2)]] = None
    """How freely it writes; 0 is the most steady."""
    max_tokens: Maybe[Count] = None
    """The longest answer."""
    timeout: Maybe[Duration] = None
    """The longest wait for an answer; 60s by default."""


class NamedModel(SpecModel):
    """The one model that is asked for everything, in place of all roles."""

    model: Said
    """Name of the model, as the server knows it."""
    server: Maybe[Name] = None
    """A server that the agent has models at; by default that of `general`."""
    temperature: Maybe[Annotated[float, Key(ge=0, le=2)]] = None
    """How freely it writes; by default as `general`."""
    max_tokens: Maybe[Annotated[int, Key(ge=1, le=MAX_TOKENS)]] = None
    """The longest answer; by default that of `general`."""


class ModelRule(SpecModel):
    """Which role writes."""

    when: Maybe[Expression] = None
    """When it does, a bare expression; the last rule may have none."""
    model: Name
    """The role."""


class Memory(SpecModel):
    """What is remembered of a person over conversations, for what a model writes."""

    by: Annotated[str, StringConstraints(pattern=OF_USER)]
    """Whose memory it is: an attribute of the user, such as `user.id`."""
    summary_chars: Annotated[int, Key(ge=200, le=8_000)] = 2_000
    """Characters of the last exchanges that are kept."""
    tool_results: Annotated[int, Key(ge=0, le=10)] = 3
    """The last results of tools that are kept."""


class Grounding(SpecModel):
    """How far prose must rest on what tools and documents gave in this turn."""

    mode: Literal["strict", "prefer", "off"]
    """`strict`: no answer without evidence; `prefer`: what is unsure is judged; `off`: the model is believed."""
    general_knowledge: Maybe[bool] = None
    """Whether it may answer from what it knows; not in strict mode, by default."""
    low_confidence: Maybe[Class] = None
    """What becomes of a reply that the model is not sure of; `ask` in strict mode, else `answer`."""
    on_failure: Maybe[Class] = None
    """What becomes of a reply that does not say what it is; `decline` in strict mode, else `answer`."""
