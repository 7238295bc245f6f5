"""What a suite covered of its agent: which of its parts, from gates to tools, acted in a turn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from interlock.plan.plan import Plan
from interlock.plan.steps import DoStep, RespondStep, Step, SwitchStep

Json = Mapping[str, Any]

KINDS = ("gates", "routes", "steps", "branches", "catches", "rows", "mounts", "responses", "tools")


BESIDE = "\0"
"""Stands between a place and a word where two parts have the same place."""


class Counted:
    """Counts how often each part of a plan was used; parts are known by their place, named for people."""

    def __init__(self, kinds: Sequence[str], parts: Mapping[str, dict[str, str]]) -> None:
        self.kinds = kinds
        self.parts = parts
        self.used: Counter[str] = Counter()

    def merge(self, other: "Counted") -> None:
        """Add what another suite of the same plan covered."""
        self.used.update(other.used)

    def counts(self, kind: str) -> tuple[int, int]:
        """How many parts of a kind were used, and how many there are."""
        parts = self.parts[kind]
        return sum(place in self.used for place in parts), len(parts)

    def unused(self, kind: str) -> list[tuple[str, str]]:
        """`(name, place)` of the parts of a kind that no turn used."""
        left = ((name, place) for place, name in self.parts[kind].items() if place not in self.used)
        return [(name, place.partition(BESIDE)[0]) for name, place in left]

    @property
    def share(self) -> float:
        """Used parts over all parts of all kinds, from 0 to 1."""
        used, there = (sum(column) for column in zip(*map(self.counts, self.kinds), strict=True))
        return used / there if there else 1.0


class Coverage(Counted):
    """What was used of an agent."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(KINDS, {kind: dict(_parts(plan, kind)) for kind in KINDS})
        self._places = _Places(plan)

    def add(self, record: Json) -> None:
        """Take the record of a turn into account."""
        self.used.update(self._places.of(record))


class _Places:
    """Where the parts that a record tells of stand; mounts, responses and tools it names, the rest it has by place."""

    def __init__(self, plan: Plan) -> None:
        self.mounts = {mount.call: mount.at for mount in plan.mounts}
        self.runs = {name: mount.at for name, mount in plan.runs.items()}
        self.responses = {name: response.at for name, response in plan.responses.items()}
        self.tools = {name: tool.at for name, tool in plan.tools.items()}
        self.said_at = {
            step.at: self.responses[step.response]
            for flow in plan.flows.values()
            for step in _walked(flow)
            if isinstance(step, RespondStep) and step.response in self.responses
        }

    def of(self, record: Json) -> list[str]:
        """The places of the parts that acted; a record has all its keys, or is none at all."""
        if not record:
            return []
        places = [gate["at"] for gate in record["gates"] if gate["verdict"] != "pass"]
        if record["route"] and record["route"].get("at"):
            places.append(record["route"]["at"])
        places += [step["at"] for step in record["steps"]]
        places += [caught["at"] for caught in record["caught"]]
        for decided in record["decisions"].values():
            places += decided.get("rows") or ()
        places += [self.runs[run["procedure"]] for run in record["runs"]]
        if record["calls"] or record["conditions"]:
            places += self._called(record)
        places += self._said(record)
        return places

    def _called(self, record: Json) -> Iterator[str]:
        """Mounts and tools of the calls that went out; those of checks need no mount."""
        yield from (self.mounts[call["tool"]] for call in record["calls"] if "receipt" in call)
        asked = (condition.get("reads") or () for condition in record["conditions"].values())
        for made in (record["calls"], *asked):
            yield from (self.tools[call["tool"]] for call in _sent(made))

    def _said(self, record: Json) -> set[str]:
        """Responses that a mount, a gate or a step named; without an output mode the key of the rule is a gate's."""
        said = {self.said_at[step["at"]] for step in record["steps"] if step["at"] in self.said_at}
        if record["output_mode"] and record["response_rule_key"]:
            said.add(self.responses[record["response_rule_key"]])
        return said


def _sent(calls: Iterable[Json]) -> Iterator[Json]:
    """The calls that went out, with those that their checks made."""
    for call in calls:
        if "receipt" in call:
            yield call
        yield from _sent(call.get("reads") or ())


def _parts(plan: Plan, kind: str) -> Iterator[tuple[str, str]]:
    match kind:
        case "gates":
            yield from ((gate.at, f"gate {gate.id}") for gate in plan.gates)
        case "routes":
            yield from ((route.at, f"route {route.id}") for route in plan.routes)
        case "mounts":
            yield from ((mount.at, f"mount {mount.call}") for mount in plan.mounts)
            yield from ((mount.at, f"mount {name}") for name, mount in plan.runs.items())
        case "responses":
            yield from ((response.at, f"response {name}") for name, response in plan.responses.items())
        case "tools":
            yield from tools_of(plan)
        case "rows":
            yield from rows_of(plan)
        case _:
            for name, flow in plan.flows.items():
                yield from _steps(flow, f"flow {name}", kind)


def tools_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """`(place, name)` of every tool."""
    return ((tool.at, f"tool {name}") for name, tool in plan.tools.items())


def rows_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """`(place, name)` of every row of every table."""
    for name, table in plan.decisions.items():
        yield from ((row.at, f"row {number} of {name}") for number, row in enumerate(table.rows, 1))


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


def _walked(steps: Iterable[Step]) -> Iterator[Step]:
    """Every step, with those inside others."""
    for step in steps:
        yield step
        if isinstance(step, SwitchStep):
            yield from (inner for branch in step.branches for inner in _walked(branch.do))
        elif isinstance(step, DoStep):
            yield from _walked(step.do)
        yield from (inner for catch in step.catch for inner in _walked(catch.do))
