"""The keys of a Suite that suit what it tests: sessions and messages for an Agent, input and events for a Procedure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.findings import article
from interlock.spec.rules import listed
from interlock.spec.suite import EVENTS, ONE_EVENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Suite
    from interlock.compiler.units import Unit
    from interlock.compiler.written import Path
    from interlock.spec.suite import Turn

ONLY_OF = {
    "Agent": {
        "case": {"session"},
        "turn": {"user", "message", "agent"},
        "expect": {"outcome", "reason", "gate", "route", "slots", "reply", "answered_by", "rounds", "remembered"},
        "event": {"takeover", "release", "close"},
        "status": {"ai_active", "human_active", "closed"},
    },
    "Procedure": {
        "case": {"input"},
        "turn": {"receive", "retry"},
        "expect": {"result", "failure", "undone"},
        "event": {"cancel"},
        "status": {"running", "failed", "undoing", "done", "cancelled", "ended"},
    },
}
"""What only a Suite of one kind of spec may say; the last two are values, the others keys."""

HINTS = {
    "Agent": "an Agent has `session`, messages and what is answered; a Procedure has `input`, `receive` and `result`",
    "Procedure": "a Procedure has `input`, `receive`, `retry` and `result`; messages and answers are an Agent's",
}


def check_suite_keys(suite: Suite, unit: Unit, findings: Findings) -> None:
    """Every key of every case that is of the other kind, and turns in which nothing happens."""
    for index, case in enumerate(suite.spec.cases):
        for what, name, path, is_key in _said(case, ("cases", index)):
            stands_in = suite.salvaged and not suite.document.places.has(path)
            if not stands_in and name in ONLY_OF[_other(unit.kind)][what]:
                place = suite.key(*path) if is_key else suite.value(*path)
                kind = article(unit.kind.lower())
                findings.error("not-in-suite", f"{name!r} means nothing to {kind}", place, hint=HINTS[unit.kind])
        for number, turn in enumerate(case.turns):
            _event(suite, unit, turn, ("cases", index, "turns", number), findings)


def _other(kind: str) -> str:
    return "Agent" if kind == "Procedure" else "Procedure"


def _said(case: Any, path: Path) -> Iterator[tuple[str, str, Path, bool]]:
    """What a case says: `(what, name, path, whether it is a key)`."""
    yield from (("case", key, (*path, key), True) for key in case.model_fields_set)
    for number, turn in enumerate(case.turns):
        at = (*path, "turns", number)
        yield from (("turn", key, (*at, key), True) for key in turn.model_fields_set)
        if turn.event is not None:
            yield "event", turn.event, (*at, "event"), False
        if turn.expect is not None:
            yield from (("expect", key, (*at, "expect", key), True) for key in turn.expect.model_fields_set)
            if turn.expect.status is not None:
                yield "status", turn.expect.status, (*at, "expect", "status"), False


def _event(suite: Suite, unit: Unit, turn: Turn, path: Path, findings: Findings) -> None:
    """Only the first turn of a run may have no event: it is the start."""
    if any(key in turn.model_fields_set for key in EVENTS) or (unit.kind == "Procedure" and path[-1] == 0):
        return
    others = ONLY_OF[_other(unit.kind)]["turn"]
    message = f"{ONE_EVENT}: one of {listed([key for key in EVENTS if key not in others])} is missing"
    hint = "only the first turn of a run has none: it is the start" if unit.kind == "Procedure" else ""
    findings.error("exactly-one", message, suite.value(*path), hint=hint)
