"""Whether the `when` of a step or branch holds, with the calls that its conditions may need first."""

from typing import TYPE_CHECKING

from interlock.expressions.outcomes import NotMet
from interlock.interpreter import calls
from interlock.interpreter.conditions import NeedsRead
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.turn import Calling, Turn

if TYPE_CHECKING:
    from interlock.plan.steps import Step


def holds(turn: Turn, expression: str, step: "Step") -> Calling[bool]:
    """Whether it holds; what is missing makes it not hold. Raises StepFailed where it cannot be evaluated."""
    try:
        met = turn.program.condition(expression)(turn.context)
    except NeedsRead:
        met = yield from calls.holds(turn, expression, step_id=step.id)
    if isinstance(met, NotMet) and met.reason != "missing":
        raise StepFailed("error", f"{expression}: {met.path}: {met.reason}", step.id, step.at)
    return bool(met)
