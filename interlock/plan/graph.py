"""The graph of a plan as Mermaid: gates, routes and flows of an agent, or the steps of a procedure."""

from collections.abc import Iterable

from interlock.plan.graph_lines import ASKS, ROUND, Tails
from interlock.plan.graph_steps import StepLines
from interlock.plan.plan import Plan, Work
from interlock.plan.rules import Gate

GOES_ON = frozenset({"assume", "skip"})
"""Verdicts after which the turn goes on with the next gate."""


def mermaid(plan: Plan, language: str = "") -> str:
    """The whole graph as one Mermaid flowchart; texts in `language`, or else the plan's first."""
    drawing = Drawing(plan, language or plan.languages[0])
    if plan.work is not None:
        drawing.work(plan.work)
        return drawing.chart()
    drawing.gates()
    drawing.routes()
    for name in plan.flows:
        drawing.flow(name)
    return drawing.chart()


def run_order(gates: Iterable[Gate]) -> list[Gate]:
    """Gates as they run: screens first, the others as written."""
    ordered = list(gates)
    return [gate for gate in ordered if gate.screen] + [gate for gate in ordered if not gate.screen]


def gate_condition(gate: Gate) -> str:
    """When a gate acts, in a few words."""
    parts = [f"screen {gate.screen}"] if gate.screen else []
    parts += [f"begins with {gate.prefix}"] if gate.prefix else []
    parts += [gate.when] if gate.when else []
    return " and ".join(parts) or "always"


class Drawing(StepLines):
    """Draws a whole plan."""

    def gates(self) -> None:
        """The gates as a column of diamonds, each with what it does when it holds."""
        tails: Tails = [(self.node("message", ROUND, "message"), "")]
        for number, gate in enumerate(run_order(self.plan.gates), 1):
            node, acts = f"gate{number}", f"gate{number}acts"
            self.node(node, ('{"', '"}', ":::gate"), self.said(gate.title) or gate.id)
            self.join(tails, node)
            ends = gate.verdict in ("refuse", "handoff")
            self.node(acts, ('["', '"]', ":::ends" if ends else ":::says"), self.verdict(gate))
            self.join([(node, gate_condition(gate))], acts)
            tails = [(node, ""), (acts, "")] if gate.verdict in GOES_ON else [(node, "")]
        self.join(tails, self.node("route", ASKS, "route"))

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
            self.join([("route", f"{route.id}: {route.when or 'otherwise'}")], f"flow_{route.flow}")

    def flow(self, name: str) -> None:
        """A subgraph with the flow's steps; inline flows are dotted edges to their own subgraph."""
        self.lines.append(f'subgraph sub_{name}["flow {name}"]')
        self.steps(self.plan.flows[name], [(self.node(f"flow_{name}", ROUND, name), "")])
        self.lines.append("end")

    def work(self, work: Work) -> None:
        """The steps of a procedure between its start and its end."""
        tails = self.steps(work.steps, [(self.node("start", ROUND, self.plan.name), "")])
        if tails:
            gives = f"done: {', '.join(work.gives)}" if work.gives else "done"
            self.join(tails, self.node("done", ('(["', '"])', ":::says"), gives))
