"""What a suite covered of its agent: gates that acted, routes taken, steps walked, branches, catches and table rows."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from interlock.plan.plan import Plan
from interlock.plan.steps import DoStep, Step, SwitchStep

KINDS = ("gates", "routes", "steps", "branches", "catches", "rows")


class Coverage:
    """Counts how often each part of a plan was used; parts are known by their place, named for people."""

    def __init__(self, plan: Plan) -> None:
        self.parts: Mapping[str, dict[str, str]] = {kind: dict(_parts(plan, kind)) for kind in KINDS}
        self.used: dict[str, int] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Take the record of a turn into account."""
        for place in _places(record):
            self.used[place] = self.used.get(place, 0) + 1

    def merge(self, other: "Coverage") -> None:
        """Add what another suite of the same plan covered."""
        for place, times in other.used.items():
            self.used[place] = self.used.get(place, 0) + times

    def counts(self, kind: str) -> tuple[int, int]:
        """How many parts of a kind were used, and how many there are."""
        parts = self.parts[kind]
        return sum(place in self.used for place in parts), len(parts)

    def unused(self, kind: str) -> list[tuple[str, str]]:
        """`(name, place)` of the parts of a kind that no turn used."""
        return [(name, place) for place, name in self.parts[kind].items() if place not in self.used]

    @property
    def share(self) -> float:
        """Used parts over all parts of all kinds, from 0 to 1."""
        used, there = (sum(column) for column in zip(*map(self.counts, KINDS), strict=True))
        return used / there if there else 1.0


def _places(record: Mapping[str, Any]) -> Iterator[str]:
    yield from (gate["at"] for gate in record.get("gates") or () if gate["verdict"] != "pass")
    route = record.get("route")
    if route and route.get("at"):
        yield route["at"]
    yield from (step["at"] for step in record.get("steps") or ())
    yield from (caught["at"] for caught in record.get("caught") or ())
    for decided in (record.get("decisions") or {}).values():
        yield from decided.get("rows") or ()


def _parts(plan: Plan, kind: str) -> Iterator[tuple[str, str]]:
    match kind:
        case "gates":
            yield from ((gate.at, f"gate {gate.id}") for gate in plan.gates)
        case "routes":
            yield from ((route.at, f"route {route.id}") for route in plan.routes)
        case "rows":
            for name, table in plan.decisions.items():
                yield from ((row.at, f"row {number} of {name}") for number, row in enumerate(table.rows, 1))
        case _:
            for name, flow in plan.flows.items():
                yield from _steps(flow, f"flow {name}", kind)


def _steps(steps: Iterable[Step], where: str, kind: str) -> Iterator[tuple[str, str]]:
    for step in steps:
        name = f"step {step.id} of {where}"
        if kind == "steps":
            yield step.at, name
        if isinstance(step, SwitchStep):
            for number, branch in enumerate(step.branches, 1):
                if kind == "branches":
                    yield branch.at, f"branch {number} of {name}"
                yield from _steps(branch.do, where, kind)
        elif isinstance(step, DoStep):
            yield from _steps(step.do, where, kind)
        for number, catch in enumerate(step.catch, 1):
            if kind == "catches":
                yield catch.at, f"catch {number} of {name}"
            yield from _steps(catch.do, where, kind)
