"""Walking a flow. Its position is a journal of finished steps: going on is walking again and skipping what it holds."""

from interlock.expressions.outcomes import Missing
from interlock.interpreter.actions import ACTIONS
from interlock.interpreter.asserting import holds
from interlock.interpreter.call_steps import recalled
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.state import Json
from interlock.interpreter.turn import Calling, Turn
from interlock.plan.steps import CallStep, DoStep, FlowStep, Step, SwitchStep

DONE, SKIPPED, ENTERED, CAUGHT = "done", "skipped", "entered", "caught"
"""How a journal marks a step: finished, left out, begun, or failed and being handled."""


class Walk:
    """One walk through a flow, by a turn; `journal` is step path to `{mark, …}` and is written as it goes."""

    def __init__(self, turn: Turn, journal: Json) -> None:
        self.turn = turn
        self.journal = journal

    def flow(self, name: str, path: str = "") -> Calling[None]:
        """Walk a flow of the agent; the results of its steps are its own."""
        context = self.turn.context
        outer, context["steps"] = context["steps"], {}
        yield from self.steps(self.turn.program.plan.flows[name], path)
        context["steps"] = outer

    def steps(self, steps: tuple[Step, ...], path: str) -> Calling[None]:
        """Walk steps in order."""
        for number, step in enumerate(steps):
            yield from self._step(step, f"{path}{number}")

    def _step(self, step: Step, path: str) -> Calling[None]:
        entry: Json = self.journal.get(path, {})
        mark = entry.get("mark")
        if mark == SKIPPED:
            return
        if mark == DONE:
            self._remember(step, entry)
            if isinstance(step, CallStep) and "result" in entry:
                self.turn.last = recalled(step, entry)
            return
        if mark == CAUGHT:
            yield from self._handle(step, path, entry)
            return
        try:
            if not mark and step.when and not (yield from holds(self.turn, step.when, step)):
                self.journal[path] = {"mark": SKIPPED}
            else:
                yield from self._act(step, path)
        except StepFailed as failure:
            yield from self._catch(step, path, failure)

    def _act(self, step: Step, path: str) -> Calling[None]:
        if isinstance(step, SwitchStep | DoStep | FlowStep):
            self.journal.setdefault(path, {"mark": ENTERED})
            yield from self._inside(step, path)
            self.journal[path] = {"mark": DONE}
            return
        if step.action in ("call", "collect") and step.when:
            self.journal[path] = {"mark": ENTERED}
        try:
            done = yield from ACTIONS[step.action](self.turn, step, path)
        except Missing as missing:
            raise StepFailed("error", str(missing), step.id, step.at) from missing
        self.journal[path] = {"mark": DONE, **done}
        self._remember(step, self.journal[path])

    def _inside(self, step: SwitchStep | DoStep | FlowStep, path: str) -> Calling[None]:
        if isinstance(step, DoStep):
            yield from self.steps(step.do, f"{path}.")
        elif isinstance(step, FlowStep):
            yield from self.flow(step.flow, f"{path}.")
        else:
            entry = self.journal[path]
            if "branch" not in entry:
                entry["branch"] = yield from self._branch(step)
            if entry["branch"] is not None:
                yield from self.steps(step.branches[entry["branch"]].do, f"{path}.{entry['branch']}.")

    def _branch(self, step: SwitchStep) -> Calling[int | None]:
        for number, branch in enumerate(step.branches):
            if not branch.when or (yield from holds(self.turn, branch.when, step)):
                return number
        return None

    def _catch(self, step: Step, path: str, failure: StepFailed) -> Calling[None]:
        for number, catch in enumerate(step.catch):
            if not catch.errors or failure.kind in catch.errors:
                error = failure.as_root()
                self.turn.caught.append({"at": catch.at, **error})
                entry = self.journal[path] = {"mark": CAUGHT, "catch": number, "error": error}
                yield from self._handle(step, path, entry)
                return
        raise failure

    def _handle(self, step: Step, path: str, entry: Json) -> Calling[None]:
        context = self.turn.context
        outer = context.get("error")
        context["error"] = entry["error"]
        yield from self.steps(step.catch[entry["catch"]].do, f"{path}.catch.")
        self.journal[path] = {"mark": DONE}
        context["error"] = outer

    def _remember(self, step: Step, entry: Json) -> None:
        if "result" in entry:
            self.turn.context["steps"][step.id] = {"result": entry["result"]}
