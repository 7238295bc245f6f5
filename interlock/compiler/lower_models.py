"""Models of the plan, and how far they are believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.closure import server_of
from interlock.compiler.lower_fields import maybe_ms
from interlock.plan import models as plan

if TYPE_CHECKING:
    from interlock.compiler.units import Part
    from interlock.spec.models import Grounding, Memory

DEFAULTS: dict[str, dict[str, Any]] = {
    "strict": {"general_knowledge": False, "low_confidence": "ask", "on_failure": "decline"},
    "prefer": {"general_knowledge": True, "low_confidence": "answer", "on_failure": "answer"},
    "off": {},
}
"""What a mode means where its author says no more."""


def model(part: Part) -> plan.Model:
    """A role, on the server that it names or on the only one there is."""
    written = part.model
    host = server_of(part)
    return plan.Model(
        at=str(part.key()),
        server=host.name if host else "",
        model=written.model,
        temperature=written.temperature,
        max_tokens=written.max_tokens,
        timeout_ms=maybe_ms(written.timeout),
    )


def grounding(written: Grounding | None) -> plan.Grounding | None:
    """How far prose is believed, with what the mode means by itself."""
    if written is None:
        return None
    said = {key: value for key in DEFAULTS["strict"] if (value := getattr(written, key)) is not None}
    return plan.Grounding(mode=written.mode, **{**DEFAULTS[written.mode], **said})


def memory(written: Memory | None) -> plan.Memory | None:
    """What is remembered of a person, if anything."""
    if written is None:
        return None
    return plan.Memory(by=written.by, summary_chars=written.summary_chars, tool_results=written.tool_results)
