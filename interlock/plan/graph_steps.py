"""The steps of flows and procedures in a graph: branches, lanes, passes, catches, and what undoes a step."""

from interlock.plan.graph_lines import ASKS, PLAIN, ROUND, Dotted, Lines, Shape, Tails
from interlock.plan.runtimes import PIPELINE
from interlock.plan.steps import (
    CallStep,
    Catch,
    DoStep,
    EndStep,
    FailStep,
    FlowStep,
    ForEachStep,
    HandoffStep,
    ParallelStep,
    RefuseStep,
    RunStep,
    Step,
    SwitchStep,
    WaitStep,
)

SHAPES: dict[str, Shape] = {
    "call": ('[["', '"]]', ":::calls"),
    "run": ('[["', '"]]', ":::calls"),
    "act": ('[["', '"]]', ":::calls"),
    "plan": ('[["', '"]]', ":::calls"),
    "collect": ('[/"', '"/]', ""),
    "receive": ('[/"', '"/]', ""),
    "reply": ('["', '"]', ":::says"),
    "respond": ('["', '"]', ":::says"),
    "generate": ('["', '"]', ":::says"),
    "refuse": ('["', '"]', ":::ends"),
    "handoff": ('["', '"]', ":::ends"),
    "fail": ('["', '"]', ":::ends"),
    "end": ('(["', '"])', ":::says"),
    "switch": ASKS,
    "for_each": ('{{"', '"}}', ""),
    "flow": ROUND,
    "wait": ROUND,
}
ENDS = RefuseStep | HandoffStep | EndStep | FailStep
UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1))


class StepLines(Lines):
    """Draws steps: each list hangs on tails, and leaves tails for what follows."""

    def steps(self, steps: tuple[Step, ...], tails: Tails) -> Tails:
        """The steps of one list, in order."""
        for step in steps:
            if not step.when:
                tails = self._step(step, tails)
                continue
            asked = self.numbered(ASKS, step.when)
            self.join(tails, asked)
            tails = [*self._step(step, [(asked, "yes")]), (asked, "no")]
        return tails

    def _step(self, step: Step, tails: Tails) -> Tails:
        """A step whose `when` holds; a group without a catch, a time-out or an undoing of its own is its steps."""
        if isinstance(step, DoStep) and not (step.catch or step.compensate or step.timeout_ms):
            return self.steps(step.do, tails)
        node = self.numbered(SHAPES.get(step.action, PLAIN), self._label(step))
        self.join(tails, node)
        after = self._after(step, node)
        for catch in step.catch:
            after += self.steps(catch.do, [(node, caught(catch))])
        if isinstance(step, CallStep | RunStep | DoStep) and step.compensate:
            self.steps(step.compensate, [(node, Dotted("undo"))])
        return after

    def _after(self, step: Step, node: str) -> Tails:
        match step:
            case SwitchStep():
                return self._branches(step, node)
            case ParallelStep():
                return self._lanes(step, node)
            case ForEachStep():
                return self._passes(step, node)
            case DoStep():
                return self.steps(step.do, [(node, "")])
            case FlowStep():
                self.edges.append(f"{node} -.-> flow_{step.flow}")
            case CallStep() if step.repeat is not None:
                self.join([(node, f"every {span(step.repeat.every_ms)} until {step.repeat.until}")], node)
            case _:
                pass
        return [] if isinstance(step, ENDS) else [(node, "")]

    def _branches(self, step: SwitchStep, node: str) -> Tails:
        tails: Tails = []
        for branch in step.branches:
            tails += self.steps(branch.do, [(node, branch.when or "otherwise")])
        return [*tails, (node, "otherwise")] if step.branches[-1].when else tails

    def _lanes(self, step: ParallelStep, node: str) -> Tails:
        """All lanes side by side, and a node where those that do not end come together."""
        tails = [tail for lane in step.lanes for tail in self.steps(lane.do, [(node, lane.name)])]
        if not tails:
            return []
        together = self.numbered(PLAIN, "all of them")
        self.join(tails, together)
        return [(together, "")]

    def _passes(self, step: ForEachStep, node: str) -> Tails:
        """The body as a subgraph that leads back for the next item."""
        self.lines.append(f'subgraph pass_{node}["each {step.variable}"]')
        tails = self.steps(step.do, [(node, f"each {step.variable}")])
        self.lines.append("end")
        self.join([(tail, label or "next") for tail, label in tails], node)
        return [(node, "after the last")]

    def _label(self, step: Step) -> str:
        bound = f", at most {span(step.timeout_ms)}" if step.timeout_ms is not None else ""
        return self.words(step) + bound

    def words(self, step: Step) -> str:
        """What a step does, in a few words: its title, or its action and the name it acts on."""
        if step.title:
            return self.said(step.title)
        match step.action:
            case "call":
                return self.call(step)
            case "flow":
                return f"flow {step.flow}"
            case "collect":
                return f"collect {', '.join(step.slots)}"
            case "respond":
                return f"respond {step.response}"
            case "retrieve":
                return f"search {step.retriever}"
            case "act":
                runtime = step.runtime or self.plan.runtime
                how = "" if runtime == PIPELINE else f" ({runtime})"
                searches = (f"search {name}" for name in step.retrievers)
                return f"a model chooses{how}: {', '.join((*step.tools, *step.procedures, *searches))}"
            case "plan":
                return f"a model plans: {', '.join(step.actions)}"
            case "generate" if step.output is not None:
                return f"a model fills in {', '.join(step.output)}"
            case "generate":
                return "a model writes" + (f" ({step.role})" if step.role != "auto" else "")
            case "set":
                return f"set {', '.join(step.values)}"
            case "reply" | "refuse" | "handoff":
                return f"{step.action}: {self.said(step.text)}"
            case "switch" | "do" | "parallel":
                return step.id
            case "run":
                return f"run {step.procedure}"
            case "for_each":
                most = f", {step.max_parallel} at once" if step.max_parallel > 1 else ""
                return f"for each {step.variable}{most}"
            case "wait":
                return _wait(step)
            case "receive":
                return f"receive {step.event}"
            case "end":
                return f"end: {', '.join(step.gives)}" if step.gives else "end"
            case "fail":
                return f"fail: {self.said(step.text)}" + (" (undo first)" if step.compensate else "")

    def call(self, step: CallStep) -> str:
        """The tool, by its title for people, and what it is called for each of."""
        tool = self.plan.tools.get(step.tool)
        name = f"call {step.tool}" + (f" ({self.said(tool.title)})" if tool and tool.title else "")
        return name + (f" for each {', '.join(step.expand)}" if step.expand else "")


def caught(catch: Catch) -> str:
    """Which failures a catch takes."""
    return f"on {', '.join(catch.errors) or 'any failure'}"


def span(ms: int) -> str:
    """A duration as authors write it, in the largest unit that keeps it whole."""
    sign, length = next((sign, length) for sign, length in UNITS if ms % length == 0)
    return f"{ms // length}{sign}"


def _wait(step: WaitStep) -> str:
    return f"wait until {step.time}" if step.duration_ms is None else f"wait {span(step.duration_ms)}"
