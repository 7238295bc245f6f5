"""The plan of one agent or procedure: all that it may use, closed over its libraries and immutable; it has a digest."""

import hashlib
import json
from functools import cached_property
from typing import Any, Literal

from interlock.plan.base import Field, Part, Text, Value
from interlock.plan.models import Grounding, Memory, Model, ModelRule
from interlock.plan.rules import Condition, Decision, Gate, Route
from interlock.plan.runtimes import PIPELINE
from interlock.plan.steps import Step
from interlock.plan.tools import Mount, Response, Retriever, RunMount, Server, Tool
from interlock.plan.words import Intent, Slot, Vocabulary

DAY_MS = 86_400_000


class Session(Part):
    """How long a conversation lives and what it remembers."""

    history: int = 20
    idle_timeout_ms: int = 7 * DAY_MS
    upgrade: Literal["next_turn", "never"] = "next_turn"


class MessageShape(Part):
    """What the service may send with a message."""

    types: tuple[str, ...] = ("user_chat", "rule", "form", "other")
    metadata: dict[str, Field] = {}


class Work(Part):
    """What only a Procedure has: what starts it, its steps and how it ends."""

    input: dict[str, Field] = {}
    events: dict[str, dict[str, Field]] = {}
    requester: Value = ""
    language: Value = ""
    steps: tuple[Step, ...]
    gives: dict[str, Value] = {}
    on_failure: Literal["stop", "compensate"] = "stop"
    on_cancel: Literal["stop", "compensate"] = "stop"
    deadline_ms: int | None = None
    park_ms: int = 7 * DAY_MS


class Plan(Part):
    """The compiled form of an Agent or Procedure. Equal content has an equal digest, whatever the order of keys."""

    format: Literal[1] = 1
    kind: Literal["Agent", "Procedure"] = "Agent"
    bundle: str
    name: str
    title: Text | None = None
    description: str = ""
    languages: tuple[str, ...]
    config: dict[str, Value] = {}
    user: dict[str, Field] = {}
    message: MessageShape = MessageShape()
    vocabularies: dict[str, Vocabulary] = {}
    slots: dict[str, Slot] = {}
    intents: dict[str, Intent] = {}
    conditions: dict[str, Condition] = {}
    decisions: dict[str, Decision] = {}
    servers: dict[str, Server] = {}
    tools: dict[str, Tool] = {}
    retrievers: dict[str, Retriever] = {}
    responses: dict[str, Response] = {}
    models: dict[str, Model] = {}
    model_rules: tuple[ModelRule, ...] = ()
    runtime: str = PIPELINE
    instructions: Text | None = None
    fallback: Text | None = None
    grounding: Grounding = Grounding()
    model_override: Literal["", "session", "message"] = ""
    memory: Memory | None = None
    mounts: tuple[Mount, ...] = ()
    runs: dict[str, RunMount] = {}
    gates: tuple[Gate, ...] = ()
    routes: tuple[Route, ...] = ()
    flows: dict[str, tuple[Step, ...]] = {}
    work: Work | None = None
    session: Session = Session()
    trusted_messages: int = 3
    trace_text: bool = False

    def taking(self, name: str) -> Tool | RunMount:
        """The tool, or else the mounted procedure, of that name."""
        return self.tools.get(name) or self.runs[name]

    def canonical(self) -> str:
        """The JSON text that the digest is taken of: sorted keys, no white space, defaults left out."""
        content: Any = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical text, in hex."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()


def from_json(text: str | bytes) -> Plan:
    """The plan in `text`; integers of any size survive. Raises `pydantic.ValidationError`."""
    return Plan.model_validate(json.loads(text))
