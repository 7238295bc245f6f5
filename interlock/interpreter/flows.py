"""Walking a flow. Its position is a journal of finished steps: going on is walking again and skipping what it holds."""

from interlock.expressions.outcomes import Missing
from interlock.interpreter.actions import ACTIONS
from interlock.interpreter.asserting import holds, holds_now
from interlock.interpreter.call_steps import call, recalled
from interlock.interpreter.conditions import NeedsRead
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.masking import learn
from interlock.interpreter.models.acting import act
from interlock.interpreter.models.generating import generate
from interlock.interpreter.models.planning import plan
from interlock.interpreter.models.retrieving import retrieve
from interlock.interpreter.provenance import recall
from interlock.interpreter.run_steps import run
from interlock.interpreter.state import Json
from interlock.interpreter.turn import Calling, Turn
from interlock.plan.steps import (
    ActStep,
    CallStep,
    DoStep,
    FlowStep,
    GenerateStep,
    PlanStep,
    RetrieveStep,
    RunStep,
    Step,
    SwitchStep,
)

DONE, SKIPPED, ENTERED, CAUGHT = "done", "skipped", "entered", "caught"
"""How a journal marks a step: finished, left out, begun, or failed and being handled."""

INSIDE = frozenset({"switch", "do", "flow"})
"""Actions that hold steps."""

LEAVING = frozenset({"run", "act", "plan"})
"""Actions that may leave the flow, to go on in the middle of them; the journal has their entry from the start."""

AT_ONCE = ACTIONS.keys() - {"collect"}
"""Actions that neither call nor wait."""


class Walk:
    """One walk through a flow, by a turn; `journal` is step path to `{mark, …}` and is written as it goes."""

    def __init__(self, turn: Turn, journal: Json) -> None:
        self.turn = turn
        self.journal = journal

    def flow(self, name: str, path: str = "") -> Calling[None]:
        """Walk a flow of the agent; the results of its steps are its own."""
        context = self.turn.context
        outer, context["steps"] = context["steps"], {}
        try:
            steps = self.turn.program.plan.flows[name]
            begun = self._at_once(steps, path)
            if begun < len(steps):
                yield from self.steps(steps, path, begun)
        finally:
            context["steps"] = outer

    def steps(self, steps: tuple[Step, ...], path: str, begun: int = 0) -> Calling[None]:
        """Walk steps in order, from number `begun` on."""
        while (begun := self._at_once(steps, path, begun)) < len(steps):
            yield from self._step(steps[begun], f"{path}{begun}")
            begun += 1

    def _at_once(self, steps: tuple[Step, ...], path: str, begun: int = 0) -> int:
        """Do the steps that end in one go; the number of the first that does not, or needs a call for its `when`."""
        for number in range(begun, len(steps)):
            step, here = steps[number], f"{path}{number}"
            if here in self.journal or step.catch or step.action not in AT_ONCE:
                return number
            try:
                held = not step.when or holds_now(self.turn, step.when, step)
            except NeedsRead:
                return number
            if held:
                self._began(step.id, step.at)
                self._do(step, here)
            else:
                self.journal[here] = {"mark": SKIPPED}
        return len(steps)

    def _began(self, name: str, at: str) -> None:
        """The record names every step and branch that this turn has begun."""
        self.turn.steps.append({"id": name, "at": at})

    def _do(self, step: Step, path: str) -> None:
        try:
            ACTIONS[step.action](self.turn, step, path)
        except Missing as missing:
            raise StepFailed("error", str(missing), step.id, step.at) from missing
        except NeedsRead as needed:
            reason = f"conditions.{needed.name}: only a `when` can read first"
            raise StepFailed("error", reason, step.id, step.at) from needed
        self.journal[path] = {"mark": DONE}

    def _step(self, step: Step, path: str) -> Calling[None]:
        entry: Json = self.journal.get(path, {})
        mark = entry.get("mark")
        if mark == DONE:
            self._remember(step, entry)
        elif mark == CAUGHT:
            yield from self._handle(step, path, entry)
        elif mark != SKIPPED:
            try:
                yield from self._try(step, path, entered=mark == ENTERED)
            except StepFailed as failure:
                yield from self._catch(step, path, failure)

    def _try(self, step: Step, path: str, *, entered: bool) -> Calling[None]:
        if not entered and step.when and not (yield from holds(self.turn, step.when, step)):
            self.journal[path] = {"mark": SKIPPED}
            return
        if not entered:
            self._began(step.id, step.at)
        if not entered and (step.when or step.action in INSIDE or step.action in LEAVING):
            self.journal[path] = {"mark": ENTERED}
        if isinstance(step, CallStep):
            self._kept(step, path, (yield from call(self.turn, step, path)))
        elif isinstance(step, RunStep):
            self._kept(step, path, run(self.turn, step, path, self.journal[path]))
        elif isinstance(step, GenerateStep):
            self._kept(step, path, (yield from generate(self.turn, step)))
        elif isinstance(step, ActStep):
            self._kept(step, path, (yield from act(self.turn, step, path, self.journal[path])))
        elif isinstance(step, PlanStep):
            self._kept(step, path, (yield from plan(self.turn, step, path, self.journal[path])))
        elif isinstance(step, RetrieveStep):
            self._kept(step, path, (yield from retrieve(self.turn, step)))
        elif step.action in INSIDE:
            yield from self._inside(step, path)
            self.journal[path] = {"mark": DONE}
        else:
            self._do(step, path)

    def _kept(self, step: Step, path: str, kept: Json) -> None:
        self.journal[path] = {"mark": DONE, **kept}
        if "result" in kept:
            self._gave(step, kept)

    def _inside(self, step: Step, path: str) -> Calling[None]:
        if isinstance(step, DoStep):
            yield from self.steps(step.do, f"{path}.")
        elif isinstance(step, FlowStep):
            yield from self.flow(step.flow, f"{path}.")
        elif isinstance(step, SwitchStep):
            entry = self.journal[path]
            if "branch" not in entry:
                entry["branch"] = yield from self._branch(step)
            if entry["branch"] is not None:
                yield from self.steps(step.branches[entry["branch"]].do, f"{path}.{entry['branch']}.")

    def _branch(self, step: SwitchStep) -> Calling[int | None]:
        for number, branch in enumerate(step.branches):
            if not branch.when or (yield from holds(self.turn, branch.when, step)):
                self._began(f"{step.id}.{number + 1}", branch.at)
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
        """Bring the result of a call back into the context, and what a `respond` may say of it."""
        if "result" in entry:
            self._gave(step, entry)
        if isinstance(step, CallStep) and "result" in entry:
            self.turn.last = recalled(self.turn, step, entry)

    def _gave(self, step: Step, kept: Json) -> None:
        recall(self.turn.context["steps"], step.id, kept)
        learn(self.turn, ("steps", step.id, "result"), kept["result"])
