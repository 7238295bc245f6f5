"""What every happening does to the status of a session: one total table, and nothing else decides a status."""

from typing import Literal, TypeAlias

from interlock.interpreter.state import Status

Happening: TypeAlias = Literal["user", "agent", "other", "takeover", "release", "close", "handoff", "idle"]
"""A message by its role, a colleague's event, a hand-off by a gate or flow, or the idle timer."""

Effect: TypeAlias = Literal["pipeline", "handed_off", "relayed", "recorded", "closed", "changed", "unchanged"]
"""What follows: the rules run; it goes to the colleague; it is passed on verbatim; it is kept and gets no answer;
it is told that the session is closed; the status is another now; or nothing."""

TRANSITIONS: dict[tuple[Status, Happening], tuple[Status, Effect]] = {
    ("ai_active", "user"): ("ai_active", "pipeline"),
    ("ai_active", "agent"): ("ai_active", "recorded"),
    ("ai_active", "other"): ("ai_active", "recorded"),
    ("ai_active", "takeover"): ("human_active", "changed"),
    ("ai_active", "release"): ("ai_active", "unchanged"),
    ("ai_active", "close"): ("closed", "changed"),
    ("ai_active", "handoff"): ("human_active", "changed"),
    ("ai_active", "idle"): ("closed", "changed"),
    ("human_active", "user"): ("human_active", "handed_off"),
    ("human_active", "agent"): ("human_active", "relayed"),
    ("human_active", "other"): ("human_active", "recorded"),
    ("human_active", "takeover"): ("human_active", "unchanged"),
    ("human_active", "release"): ("ai_active", "changed"),
    ("human_active", "close"): ("closed", "changed"),
    ("human_active", "handoff"): ("human_active", "unchanged"),
    ("human_active", "idle"): ("closed", "changed"),
    ("closed", "user"): ("closed", "closed"),
    ("closed", "agent"): ("closed", "closed"),
    ("closed", "other"): ("closed", "closed"),
    ("closed", "takeover"): ("closed", "unchanged"),
    ("closed", "release"): ("closed", "unchanged"),
    ("closed", "close"): ("closed", "unchanged"),
    ("closed", "handoff"): ("closed", "unchanged"),
    ("closed", "idle"): ("closed", "unchanged"),
}


def transition(status: Status, happening: Happening) -> tuple[Status, Effect]:
    """The status afterwards, and what follows."""
    return TRANSITIONS[status, happening]


def happening_of(role: str) -> Happening:
    """What a message of `role` counts as."""
    return "user" if role == "user" else "agent" if role == "agent" else "other"
