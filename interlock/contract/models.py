"""What workflows ask of models and what comes back: plain JSON in the shape of chat completions."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from interlock.contract.calls import Json

GENERATE: Final = "generate"

MODEL_TIMEOUT: Final = "model_timeout"
"""Failure type: no whole answer within the deadline. Retried."""

MODEL_ERROR: Final = "model_error"
"""Failure type: no answer, or none that can be read. Retried unless it would fail again."""

MODEL_MISCONFIGURED: Final = "model_misconfigured"
"""Failure type: a missing variable, an unknown provider, a request that cannot be sent. Never retried."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model.

    `server` is a dump of `plan.tools.Server`, references unresolved; `provider` says which of its addresses counts:
    `openai` and `anthropic` have their own, others that under `http`, if any.
    `messages` are `{role, content}`; of an assistant also `tool_calls`, `[{id, name, arguments}]`; of a tool also
    `tool_call_id`. `tools` are `{name, description, parameters}`; `choose` is `auto`, `none`, `required` or a name.
    With `schema` the answer is to be one JSON object as that JSON Schema says, by the best way that the endpoint knows;
    a `partial` one may leave keys out, and have others.
    `streamed`: what is written so far is shown while the model writes. `stage` is what it is asked for, for traces.
    """

    role: str
    call_id: str
    run_id: str
    step: str
    provider: str
    model: str
    timeout_ms: int
    max_bytes: int
    server: Json = field(default_factory=dict)
    messages: list[Json] = field(default_factory=list)
    tools: list[Json] = field(default_factory=list)
    choose: str = "auto"
    schema: Json | None = None
    partial: bool = False
    temperature: float | None = None
    max_tokens: int | None = None
    streamed: bool = False
    stage: str = "generation"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A whole answer. Nothing in it has been checked against what may be called or said.

    `calls` are `{id, name, arguments}`; `arguments` is none where the model wrote no JSON object. `value` is the object
    that a `schema` asked for, none if there is none, and `problem` says why; `rung` is the way it was asked for.
    """

    text: str
    finish: Literal["stop", "calls", "length", "refused"]
    model: str
    id: str
    elapsed_ms: int
    attempts: int
    calls: list[Json] = field(default_factory=list)
    value: Any = None
    problem: str = ""
    rung: Literal["", "schema", "tool", "json", "text"] = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
