"""The graph of a plan as Mermaid: gates in the order they run, routes, and every flow with its branches and catches."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from interlock.plan.base import Text
from interlock.plan.plan import Plan
from interlock.plan.rules import Gate
from interlock.plan.steps import CallStep, DoStep, FlowStep, HandoffStep, RefuseStep, Step, SwitchStep

LABEL_LENGTH = 48

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
}
PLAIN = ('["', '"]', "")


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
    """One line of at most LABEL_LENGTH characters that Mermaid takes as a label."""
    line = " ".join(text.split())
    line = line if len(line) <= LABEL_LENGTH else line[: LABEL_LENGTH - 1] + "…"
    return line.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")


@dataclass
class Drawing:
    """The lines drawn so far; nodes are numbered in drawing order, so equal plans give equal graphs."""

    plan: Plan
    language: str
    lines: list[str] = field(default_factory=list)
    nodes: int = 0

    def said(self, text: Text | None) -> str:
        """The text in the reader's language."""
        return "" if not text else text.get(self.language) or next(iter(text.values()))

    def gates(self) -> None:
        """The gates as a column of diamonds, each with what it does when it holds."""
        self.lines.append('message(["message"])')
        before = "message"
        for gate in run_order(self.plan.gates):
            node = f"gate_{gate.id}"
            self.lines.append(f'{node}{{"{escaped(self.said(gate.title) or gate.id)}"}}:::gate')
            self.lines.append(f"{before} --> {node}")
            end = "says" if gate.verdict in ("reply", "ask", "call", "assume", "skip") else "ends"
            self.lines.append(f'{node} -- "{escaped(gate_condition(gate))}" --> {node}_then')
            self.lines.append(f'{node}_then["{escaped(self.outcome(gate))}"]:::{end}')
            before = node
        self.lines.append('route{"route"}')
        self.lines.append(f"{before} --> route")

    def outcome(self, gate: Gate) -> str:
        """What a gate does when it holds, in a few words."""
        if gate.verdict == "call":
            return f"call {gate.call}" + (f", respond {gate.respond}" if gate.respond else "")
        if gate.verdict in ("assume", "skip"):
            return f"{gate.verdict} {', '.join(gate.assume or gate.skip)}"
        return f"{gate.verdict}: {self.said(gate.text)}"

    def routes(self) -> None:
        """One edge a route, labelled with its condition."""
        for route in self.plan.routes:
            label = f"{route.id}: {route.when}" if route.when else f"{route.id}: otherwise"
            self.lines.append(f'route -- "{escaped(label)}" --> flow_{route.flow}')

    def flow(self, name: str) -> None:
        """A subgraph with the flow's steps; inline flows are edges to their own subgraph."""
        self.lines.append(f'subgraph sub_{name}["flow {name}"]')
        self.lines.append(f'flow_{name}(["{name}"])')
        jumps: list[str] = []
        self._steps(self.plan.flows[name], [(f"flow_{name}", "")], jumps)
        self.lines.extend(["end", *jumps])

    def _steps(self, steps: tuple[Step, ...], tails: list[tuple[str, str]], jumps: list[str]) -> list[tuple[str, str]]:
        for step in steps:
            tails = list(self._step(step, tails, jumps))
        return tails

    def _step(self, step: Step, tails: list[tuple[str, str]], jumps: list[str]) -> Iterator[tuple[str, str]]:
        if isinstance(step, DoStep) and not step.when and not step.catch:
            yield from self._steps(step.do, tails, jumps)
            return
        self.nodes += 1
        node = f"n{self.nodes}"
        before, after, style = SHAPES.get(step.action, PLAIN)
        self.lines.append(f"{node}{before}{escaped(self.words(step))}{after}{style}")
        self._edges(tails, node, step.when)
        if step.when:
            yield from ((tail, label or "otherwise") for tail, label in tails)
        if isinstance(step, FlowStep):
            jumps.append(f"{node} -.-> flow_{step.flow}")
        yield from self._after(step, node, jumps)
        for catch in step.catch:
            label = "on " + (", ".join(catch.errors) or "any failure")
            yield from self._steps(catch.do, [(node, label)], jumps)

    def _after(self, step: Step, node: str, jumps: list[str]) -> Iterator[tuple[str, str]]:
        if isinstance(step, SwitchStep):
            for branch in step.branches:
                yield from self._steps(branch.do, [(node, branch.when or "otherwise")], jumps)
            if step.branches[-1].when:
                yield (node, "otherwise")
        elif isinstance(step, DoStep):
            yield from self._steps(step.do, [(node, "")], jumps)
        elif not isinstance(step, RefuseStep | HandoffStep):
            yield (node, "")

    def _edges(self, tails: list[tuple[str, str]], node: str, when: str) -> None:
        for tail, label in tails:
            text = " and ".join(part for part in (label, when) if part)
            self.lines.append(f'{tail} -- "{escaped(text)}" --> {node}' if text else f"{tail} --> {node}")

    def words(self, step: Step) -> str:
        """What a step does, in a few words: its title, or its action and the name it acts on."""
        if step.title:
            return self.said(step.title)
        match step:
            case CallStep():
                each = f" for each {', '.join(step.expand)}" if step.expand else ""
                return f"call {step.tool}{each}"
            case FlowStep():
                return f"flow {step.flow}"
            case SwitchStep():
                return "switch"
            case DoStep():
                return step.id
        return self._spoken(step)

    def _spoken(self, step: Step) -> str:
        match step.action:
            case "collect":
                return f"collect {', '.join(step.slots)}"
            case "respond":
                return f"respond {step.response}"
            case "set":
                return f"set {', '.join(step.values)}"
            case "reply" | "refuse" | "handoff":
                return f"{step.action}: {self.said(step.text)}"
        return step.id


def gate_condition(gate: Gate) -> str:
    """When a gate acts, in a few words."""
    parts = [f"screen {gate.screen}"] if gate.screen else []
    parts += [f"begins with {gate.prefix}"] if gate.prefix else []
    parts += [gate.when] if gate.when else []
    return " and ".join(parts) or "always"
