"""Another plan for an open session: offered by a deployment, taken between two turns if nothing is against it."""

from temporalio.exceptions import ApplicationError

from interlock.interpreter.program import Program
from interlock.interpreter.state import State
from interlock_workflows import driver, plans
from interlock_workflows.shown import Shown


class Upgrade:
    """The plan that is offered, until it is taken or turns out to be of another spec."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._wanted = ""

    def want(self, digest: str) -> None:
        """Another plan is to be taken at the next turn on which no flow waits."""
        self._wanted = digest

    async def due(self, program: Program, state: State, spec: str) -> Program | None:
        """The program to go on with, if it is another one and may be taken now."""
        wanted = self._wanted
        if not wanted or wanted == state.plan_digest or is_pinned(program, state):
            return None
        try:
            resolved = await driver.resolve_plan(spec, wanted, attempts=1)
        except ApplicationError:
            return None  # a worker of the deployment before this one; the next turn may meet another
        offered = plans.program_of(resolved)
        self._wanted = ""
        if offered.plan.name != spec:
            self._shown.refuse("upgrade", "wrong-spec", f"plan {wanted} is of spec {offered.plan.name!r}")
            return None
        return offered


def is_pinned(program: Program, state: State) -> bool:
    """Whether the session must go on under the plan that it has: a flow waits, or its spec wants no other."""
    waits = state.flow is not None or bool(state.background)
    return waits or program.plan.session.upgrade == "never"
