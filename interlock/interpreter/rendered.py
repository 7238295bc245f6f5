"""A reply that is made of results, without a model."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

OutputMode: TypeAlias = Literal["raw_json", "json_subset", "text"]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A reply made of a result; `data` is the JSON that the text holds, or the look-ups that it states.

    `outcome` and `reason` are set where facts are stated: whether any was found, and why none was.
    """

    text: str
    output_mode: OutputMode
    data: Any = None
    fallback_used: bool = False
    source: Literal["direct_response", "facts"] = "direct_response"
    outcome: Literal["answer", "decline", "error"] = "answer"
    reason: str = ""
    rule: str | None = None
