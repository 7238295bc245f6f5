"""What an expression proves of a named condition, when it holds and when it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from interlock.compiler.demands import reachable
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.expressions import nodes
from interlock.expressions.parser import parse_expression
from interlock.expressions.problems import ExpressionError

if TYPE_CHECKING:
    from interlock.compiler.units import Part, Unit
    from interlock.expressions.nodes import Expr

MAY_LACK = frozenset({"cells", "steps", "result", "payload", "args"})
"""Roots of which something may be missing, so that neither a condition nor its contrary holds."""

DEEPEST = 20
"""Conditions within conditions that are looked into."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A condition to be proved, as a spec that reads it sees it."""

    condition: Part

    def by(self, unit: Unit, text: str | None) -> bool:
        """Whether it holds wherever the expression holds."""
        tree = _tree(text)
        return tree is not None and self._holds(unit, tree, 0)

    def by_failure_of(self, unit: Unit, text: str | None) -> bool:
        """Whether it holds wherever the expression does not; never, if it may be undecided."""
        tree = _tree(text)
        return tree is not None and self.is_decided and self._fails(unit, tree)

    @property
    def is_decided(self) -> bool:
        """Whether it holds or its contrary does: nothing that it reads can be missing."""
        for part in reachable(self.condition):
            if part.plural == "conditions" and part.model.call is not None:
                return False
            for site in sites_of(part):
                if any(path[0] in MAY_LACK or len(path) > 2 for path in read_paths(site)):
                    return False
        return True

    def is_named(self, unit: Unit, name: str | None) -> bool:
        """Whether a name means the condition, or one that asserts it."""
        return name is not None and self._named(unit, name, 0)

    def _named(self, unit: Unit, name: str, depth: int) -> bool:
        part = unit.find("conditions", name)
        if part is None or part is self.condition or depth > DEEPEST:
            return part is self.condition and part is not None
        tree = _tree(part.model.that)
        return tree is not None and self._holds(part.unit, tree, depth + 1)

    def _holds(self, unit: Unit, tree: Expr, depth: int) -> bool:
        if isinstance(tree, nodes.Logic):
            found = (self._holds(unit, item, depth) for item in tree.items)
            return any(found) if tree.op == "and" else all(found)
        if isinstance(tree, nodes.Not):
            return self._fails(unit, tree.operand)
        name = _condition(tree)
        return name is not None and self._named(unit, name, depth)

    def _fails(self, unit: Unit, tree: Expr) -> bool:
        """Whether it holds where the expression is false."""
        if isinstance(tree, nodes.Logic):
            found = (self._fails(unit, item) for item in tree.items)
            return any(found) if tree.op == "or" else all(found)
        return isinstance(tree, nodes.Not) and self._holds(unit, tree.operand, 0)


def _condition(tree: Expr) -> str | None:
    keys = nodes.keys_of(tree)
    return str(keys[1]) if keys is not None and keys[0] == "conditions" and len(keys) > 1 else None


def _tree(text: str | None) -> Expr | None:
    try:
        return parse_expression(text) if text is not None else None
    except ExpressionError:
        return None
