"""Which flow handles an admitted turn: the first route that holds, found without asking those that cannot.

A route whose `when` is `root.name == 'literal'`, alone or before an `and`, cannot hold for another value; such routes
are looked up by the value, and where there is no `and`, finding one is the proof that it holds. All others are asked in
their order.
"""

from typing import Any, NamedTuple

import re2

from interlock.expressions.generate import PLAIN_ROOTS
from interlock.expressions.outcomes import NotMet
from interlock.interpreter.conditions import NeedsRead
from interlock.interpreter.turn import Turn
from interlock.plan.plan import Plan
from interlock.plan.rules import Route

_EQUALS = re2.compile(r"""^\s*([a-z_]+)\.([a-z_][a-z0-9_]*)\s*==\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*(and\s.*)?$""")


class RouteFailed(Exception):  # noqa: N818 - it names what happened
    """A route could not be evaluated; the turn must not go on as if it did not hold."""

    def __init__(self, route: Route, why: str) -> None:
        super().__init__(why)
        self.route = route


class Chosen(NamedTuple):
    """The route that won, and whether it is the last one, which holds for whatever no other takes."""

    route: Route
    is_last: bool


class Routes:
    """The routes of one agent, indexed."""

    def __init__(self, plan: Plan) -> None:
        self._chosen = [Chosen(route, route is plan.routes[-1]) for route in plan.routes]
        self._asked: list[int] = []
        by_path: dict[tuple[str, str], dict[str, list[int]]] = {}
        self._proved: set[int] = set()
        """Routes that hold wherever they are found by value."""
        for number, route in enumerate(plan.routes):
            found = _EQUALS.search(route.when)
            if found is None or found.group(1) not in PLAIN_ROOTS:
                self._asked.append(number)
                continue
            path = (found.group(1), found.group(2))
            literal = found.group(3) if found.group(3) is not None else found.group(4)
            by_path.setdefault(path, {}).setdefault(literal, []).append(number)
            if found.group(5) is None:
                self._proved.add(number)
        self._by_value = [(*path, by_value) for path, by_value in by_path.items()]

    def candidates(self, context: Any) -> list[int]:
        """Numbers of the routes that may hold, in order."""
        numbers = self._asked
        for root, name, by_value in self._by_value:
            value = context[root].get(name)
            if value.__class__ is str and value in by_value:
                numbers = sorted([*numbers, *by_value[value]])
        return numbers

    def choose(self, turn: Turn) -> Chosen:
        """The first route that holds. Raises RouteFailed."""
        for number in self.candidates(turn.context):
            chosen = self._chosen[number]
            if number in self._proved:
                return chosen
            route = chosen.route
            try:
                met = not route.when or turn.program.condition(route.when)(turn.context)
            except NeedsRead as needed:
                raise RouteFailed(route, f"conditions.{needed.name}: a route cannot read first") from needed
            if isinstance(met, NotMet) and met.is_fault:
                raise RouteFailed(route, f"{met.path}: {met.reason}")
            if met:
                return chosen
        raise RouteFailed(self._chosen[-1].route, "no route holds")
