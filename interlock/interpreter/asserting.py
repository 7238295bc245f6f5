"""Whether the `when` of a step or branch holds, with the calls that its conditions may need first."""

from typing import TYPE_CHECKING

from interlock.expressions.outcomes import NotMet
from interlock.interpreter import calls
from interlock.interpreter.conditions import NeedsRead, Verdict
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.turn import Calling, Turn

if TYPE_CHECKING:
    from interlock.plan.steps import Step


def holds(turn: Turn, expression: str, step: "Step") -> Calling[bool]:
    """Whether it holds, with the calls it needs first."""
    try:
        return holds_now(turn, expression, step)
    except NeedsRead:
        return _decided(expression, step, (yield from calls.holds(turn, expression, step_id=step.id)))


def holds_now(turn: Turn, expression: str, step: "Step") -> bool:
    """Whether it holds; what is missing or ambiguous makes it not hold.

    Raises NeedsRead, and StepFailed if it cannot be decided.
    """
    return _decided(expression, step, turn.program.condition(expression)(turn.context))


def _decided(expression: str, step: "Step", met: Verdict) -> bool:
    if isinstance(met, NotMet) and met.is_fault:
        raise StepFailed("error", f"{expression}: {met.path}: {met.reason}", step.id, step.at)
    return bool(met)
