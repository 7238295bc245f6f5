"""The parts of a plan that a model has a hand in: its roles, which of them writes, and how far it is believed."""

from typing import Literal

from interlock.plan.base import Expression, Part, Path, Placed

GENERAL = "general"
"""The role that every Agent with models has: it writes where no rule says otherwise, and lends what others lack."""

TOOL_CALL = "tool_call"
"""The role that chooses tools and proposes arguments."""

AUTO = "auto"
"""In place of a role: the first of the model rules that holds."""

Class = Literal["answer", "ask", "decline"]
"""What a reply is, from the boldest to the most cautious."""


class Model(Placed):
    """One role: a model on a server. What is left out is that of the role `general`."""

    server: str
    model: str
    temperature: float | None = None
    max_tokens: int | None = None
    timeout_ms: int | None = None


class ModelRule(Placed):
    """Which role writes; the first whose `when` holds."""

    when: Expression = ""
    model: str


class Memory(Part):
    """What is kept of a person over conversations: `by` is the attribute that says who that is."""

    by: Path
    summary_chars: int = 2_000
    tool_results: int = 3


class Grounding(Part):
    """How far prose must rest on what tools and documents gave; `off` leaves it to the model."""

    mode: Literal["strict", "prefer", "off"] = "off"
    general_knowledge: bool = True
    low_confidence: Class = "answer"
    on_failure: Class = "answer"
