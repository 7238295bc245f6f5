"""The graph of a plan as Mermaid: gates in the order they run, routes, and every flow with its branches and catches."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from interlock.plan.base import Text
from interlock.plan.plan import Plan
from interlock.plan.rules import Gate
from interlock.plan.steps import CallStep, Catch, DoStep, FlowStep, HandoffStep, RefuseStep, Step, SwitchStep

LABEL_LENGTH = 60

STYLES = (
    "classDef gate fill:#fff4d6,stroke:#b98900,color:#3d2e00",
    "classDef says fill:#e6f4ea,stroke:#2e7d4f,color:#0f3d22",
    "classDef ends fill:#fde7e7,stroke:#b3403a,color:#4a1210",
    "classDef calls fill:#e3edfd,stroke:#2f5fb3,color:#10264d",
)
SHAPES = {
    "call": ('[["', '"]]', ":::calls"),
    "collect": ('[/"', '"/]', ""),
    "reply": ('["', '"]', ":::says"),
    "respond": ('["', '"]', ":::says"),
    "refuse": ('["', '"]', ":::ends"),
    "handoff": ('["', '"]', ":::ends"),
    "switch": ('{"', '"}', ""),
    "flow": ('(["', '"])', ""),
}
PLAIN = ('["', '"]', "")
GOES_ON = frozenset({"assume", "skip"})
"""Verdicts after which the turn goes on with the next gate."""

Tails = list[tuple[str, str]]
"""Nodes that the next one hangs on, each with the label of its edge."""


def mermaid(plan: Plan, language: str = "") -> str:
    """The whole graph as one Mermaid flowchart; texts in `language`, or else the plan's first."""
    drawing = Drawing(plan, language or plan.languages[0])
    drawing.gates()
    drawing.routes()
    for name in plan.flows:
        drawing.flow(name)
    return "\n".join(["flowchart TD", *(f"  {line}" for line in (*drawing.lines, *STYLES))]) + "\n"


def run_order(gates: Iterable[Gate]) -> list[Gate]:
    """Gates as they run: screens first, the others as written."""
    ordered = list(gates)
    return [gate for gate in ordered if gate.screen] + [gate for gate in ordered if not gate.screen]


def escaped(text: str) -> str:
    """One line of at most LABEL_LENGTH characters that Mermaid shows as it is."""
    line = " ".join(text.split())
    line = line if len(line) <= LABEL_LENGTH else line[: LABEL_LENGTH - 1] + "…"
    return "".join(f"#{ord(one)};" if one in '#&"<>`\\' else one for one in line)


def gate_condition(gate: Gate) -> str:
    """When a gate acts, in a few words."""
    parts = [f"screen {gate.screen}"] if gate.screen else []
    parts += [f"begins with {gate.prefix}"] if gate.prefix else []
    parts += [gate.when] if gate.when else []
    return " and ".join(parts) or "always"


@dataclass
class Drawing:
    """The lines drawn so far; nodes are numbered in drawing order, so equal plans give equal graphs."""

    plan: Plan
    language: str
    lines: list[str] = field(default_factory=list)
    nodes: int = 0

    def gates(self) -> None:
        """The gates as a column of diamonds, each with what it does when it holds."""
        self.lines.append('message(["message"])')
        tails: Tails = [("message", "")]
        for number, gate in enumerate(run_order(self.plan.gates), 1):
            node, acts = f"gate{number}", f"gate{number}acts"
            self._node(node, ('{"', '"}', ":::gate"), self.said(gate.title) or gate.id)
            self._edges(tails, node)
            ends = gate.verdict in ("refuse", "handoff")
            self._node(acts, ('["', '"]', ":::ends" if ends else ":::says"), self.verdict(gate))
            self._edges([(node, gate_condition(gate))], acts)
            tails = [(node, ""), (acts, "")] if gate.verdict in GOES_ON else [(node, "")]
        self.lines.append('route{"route"}')
        self._edges(tails, "route")

    def verdict(self, gate: Gate) -> str:
        """What a gate does when it holds, in a few words."""
        if gate.verdict == "call":
            return f"call {gate.call}" + (f", respond {gate.respond}" if gate.respond else "")
        if gate.verdict in GOES_ON:
            return f"{gate.verdict} {', '.join(gate.assume or gate.skip)}"
        return f"{gate.verdict}: {self.said(gate.text)}"

    def routes(self) -> None:
        """One edge a route, labelled with its condition."""
        for route in self.plan.routes:
            self._edges([("route", f"{route.id}: {route.when or 'otherwise'}")], f"flow_{route.flow}")

    def flow(self, name: str) -> None:
        """A subgraph with the flow's steps; inline flows are dotted edges to their own subgraph."""
        self.lines.append(f'subgraph sub_{name}["flow {name}"]')
        self.lines.append(f'flow_{name}(["{name}"])')
        jumps: list[str] = []
        self._steps(self.plan.flows[name], [(f"flow_{name}", "")], jumps)
        self.lines.extend(["end", *jumps])

    def _steps(self, steps: tuple[Step, ...], tails: Tails, jumps: list[str]) -> Tails:
        for step in steps:
            if not step.when:
                tails = self._step(step, tails, jumps)
                continue
            asked = self._numbered(('{"', '"}', ""), step.when)
            self._edges(tails, asked)
            tails = [*self._step(step, [(asked, "yes")], jumps), (asked, "no")]
        return tails

    def _step(self, step: Step, tails: Tails, jumps: list[str]) -> Tails:
        """Draw a step whose `when` holds; a group without a catch is its steps."""
        if isinstance(step, DoStep) and not step.catch:
            return self._steps(step.do, tails, jumps)
        node = self._numbered(SHAPES.get(step.action, PLAIN), self.words(step))
        self._edges(tails, node)
        if isinstance(step, FlowStep):
            jumps.append(f"{node} -.-> flow_{step.flow}")
        after = self._after(step, node, jumps)
        for catch in step.catch:
            after += self._steps(catch.do, [(node, caught(catch))], jumps)
        return after

    def _after(self, step: Step, node: str, jumps: list[str]) -> Tails:
        if isinstance(step, SwitchStep):
            tails: Tails = []
            for branch in step.branches:
                tails += self._steps(branch.do, [(node, branch.when or "otherwise")], jumps)
            return [*tails, (node, "otherwise")] if step.branches[-1].when else tails
        if isinstance(step, DoStep):
            return self._steps(step.do, [(node, "")], jumps)
        return [] if isinstance(step, RefuseStep | HandoffStep) else [(node, "")]

    def _numbered(self, shape: tuple[str, str, str], text: str) -> str:
        self.nodes += 1
        return self._node(f"n{self.nodes}", shape, text)

    def _node(self, node: str, shape: tuple[str, str, str], text: str) -> str:
        before, after, style = shape
        self.lines.append(f"{node}{before}{escaped(text)}{after}{style}")
        return node

    def _edges(self, tails: Tails, node: str) -> None:
        for tail, label in tails:
            self.lines.append(f'{tail} -- "{escaped(label)}" --> {node}' if label else f"{tail} --> {node}")

    def said(self, text: Text | None) -> str:
        """The text in the reader's language."""
        return "" if not text else text.get(self.language) or next(iter(text.values()))

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
            case "set":
                return f"set {', '.join(step.values)}"
            case "reply" | "refuse" | "handoff":
                return f"{step.action}: {self.said(step.text)}"
            case "switch" | "do" | "parallel" | "end":
                return step.id
            case "run":
                return f"run {step.procedure}"
            case "for_each":
                return f"for each {step.variable}"
            case "wait":
                return "wait"
            case "receive":
                return f"receive {step.event}"
            case "fail":
                return f"fail: {self.said(step.text)}"

    def call(self, step: CallStep) -> str:
        """The tool, by its title for people, and what it is called for each of."""
        tool = self.plan.tools.get(step.tool)
        name = f"call {step.tool}" + (f" ({self.said(tool.title)})" if tool and tool.title else "")
        return name + (f" for each {', '.join(step.expand)}" if step.expand else "")


def caught(catch: Catch) -> str:
    """Which failures a catch takes."""
    return f"on {', '.join(catch.errors) or 'any failure'}"
