"""How far a model's prose is believed: its own word and the policy, and the more cautious of the two wins."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from interlock.plan.models import Class, Grounding

CAUTION: "tuple[Class, ...]" = ("answer", "ask", "decline")
"""From the boldest to the most cautious."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a model says of its own reply: its class, and whether it is sure."""

    kind: "Class"
    sure: bool


def judged(policy: "Grounding", claim: Claim | None, *, evidence: bool) -> "Class":
    """What the reply may be. Without a `claim` the model has not said what its reply is."""
    if policy.mode == "off":
        return claim.kind if claim else "answer"
    if claim is None:
        return _no_bolder(policy, policy.on_failure, evidence=evidence)
    allowed: Class = "answer" if claim.sure and (evidence or _may_know(policy)) else policy.low_confidence
    return _no_bolder(policy, most_cautious(claim.kind, allowed), evidence=evidence)


def most_cautious(*kinds: "Class") -> "Class":
    """The most cautious of some classes."""
    return max(kinds, key=CAUTION.index)


def _may_know(policy: "Grounding") -> bool:
    return policy.mode == "prefer" and policy.general_knowledge


def _no_bolder(policy: "Grounding", kind: "Class", *, evidence: bool) -> "Class":
    """Strict without evidence never answers, whatever else is allowed."""
    if policy.mode == "strict" and not evidence and kind == "answer":
        return most_cautious("ask", policy.low_confidence)
    return kind
