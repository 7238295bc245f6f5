"""`requires` and `ensures`: which checks fail, why, and what the person is told.

Checks that need no read are all made and all failures told; those that read are made in order, while all holds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interlock.expressions import Missing, NotMet
from interlock.expressions.explain import explain
from interlock.interpreter.conditions import Assertions, NeedsRead, Verdict
from interlock.interpreter.texts import said_or

if TYPE_CHECKING:
    from interlock.interpreter.context import Context
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Calling
    from interlock.plan.rules import Check


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that does not hold: where it stands, what it asserts, why it fails, and the author's words for it.

    `parts` are the parts of what it asserts that do not hold, as far as they were evaluated.
    """

    at: str
    check: str
    reason: str
    parts: tuple[str, ...]
    message: str

    def as_json(self) -> "Json":
        """The entry in the record."""
        return {"at": self.at, "check": self.check, "reason": self.reason, "parts": list(self.parts)}


def failures(assertions: Assertions, checks: Sequence["Check"]) -> "Calling[list[Failure]]":
    """The checks that do not hold."""
    failed: list[Failure] = []
    reading: list[Check] = []
    for check in checks:
        try:
            failed += _failed(assertions, check, _now(assertions, check), assertions.context)
        except NeedsRead:
            reading.append(check)
    for check in reading:
        if failed:
            break
        failed += yield from _after_reading(assertions, check)
    return failed


def messages(failed: Sequence[Failure]) -> str:
    """What the person is told of failures, each sentence once."""
    return "\n".join(dict.fromkeys(failure.message for failure in failed if failure.message))


def _now(assertions: Assertions, check: "Check") -> Verdict:
    if check.call:
        raise NeedsRead(check.call)
    if check.that:
        return assertions.now(check.that)
    try:
        verdict: bool = assertions.context["conditions"][check.condition]
    except Missing as missing:
        return NotMet(missing.reason, missing.path)
    return verdict


def _after_reading(assertions: Assertions, check: "Check") -> "Calling[list[Failure]]":
    context = assertions.context
    if check.call:
        found = yield from assertions.read(check.call, check.bind, check.at)
        if isinstance(found, NotMet):
            return list(_failed(assertions, check, found, context))
        context = found
    if check.that:
        verdict = yield from assertions.holds(check.that, context)
    else:
        verdict = yield from assertions.named(check.condition)
    return list(_failed(assertions, check, verdict, context))


def _failed(assertions: Assertions, check: "Check", verdict: Verdict, context: "Context") -> Iterator[Failure]:
    if verdict:
        return
    turn = assertions.turn
    condition = turn.program.plan.conditions.get(check.condition)
    reason = f"{verdict.path}: {verdict.reason}" if isinstance(verdict, NotMet) else "it does not hold"
    text = check.otherwise or (condition.otherwise if condition else None)
    yield Failure(
        at=check.at,
        check=check.that or f"conditions.{check.condition}",
        reason=reason,
        parts=_parts(check.that or (condition.that if condition else ""), context),
        message=said_or(turn, text, check.at, "", context),
    )


def _parts(expression: str, context: "Context") -> tuple[str, ...]:
    """The parts of a failed expression that are false or undecided; a call that was not made leaves it without any."""
    try:
        explained = explain(expression, context)
    except NeedsRead:
        return ()
    wrong = (part.text for part in explained.parts if part.value is False or isinstance(part.value, NotMet))
    return tuple(dict.fromkeys(text for text in wrong if text != expression))
