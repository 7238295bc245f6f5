"""The base of the checker: problems, words for kinds, and the reading of names and attributes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from interlock.expressions import nodes
from interlock.expressions.nodes import Expr
from interlock.expressions.problems import Problem, nearest
from interlock.expressions.shapes import ANY, LIST, Scope, Shape, list_of, merged, shape_of


class NameChecks(ABC):
    """Holds the scope and the problems found so far."""

    def __init__(self, text: str, scope: Scope) -> None:
        self.text = text
        self.scope = scope
        self.problems: list[Problem] = []

    def problem(self, code: str, message: str, at: int, hint: str = "") -> Shape:
        """Note a problem; the part it is in counts as `any`."""
        self.problems.append(Problem(code, message, at, hint))
        return ANY

    def words(self, node: Expr) -> str:
        """The text of a node, shortened, as it is named in a message."""
        text = self.text[node.at : node.end]
        return text if len(text) <= 60 else f"{text[:57]}…"

    def kind(self, shape: Shape) -> str:
        """A kind with its article."""
        article = "an" if shape.name in ("integer", "object") else "a"
        return shape.name if shape.kind in ("none", "any") else f"{article} {shape.name}"

    def literal(self, node: nodes.Literal) -> Shape:
        """The shape of a literal; for `none` it is none."""
        return shape_of(node.value)

    @abstractmethod
    def shape(self, node: Expr) -> Shape:
        """The shape of a value; the whole checker knows how."""

    def listed(self, node: nodes.ListOf) -> Shape:
        """A list in brackets."""
        shapes = [self.shape(item) for item in node.items]
        merged = self.merged(shapes) if shapes else ANY
        return LIST if merged.kind == "any" else list_of(merged)

    def merged(self, shapes: Sequence[Shape]) -> Shape:
        """What is known of a value that has one of several shapes."""
        return merged(shapes)

    def name(self, node: nodes.Name) -> Shape:
        """A root of the context or a loop's variable."""
        shape = self.scope.get(node.name)
        if shape is None:
            return self.problem("unknown-name", f"unknown name {node.name!r}", node.at, nearest(node.name, self.scope))
        return shape

    def attribute(self, node: nodes.Get) -> Shape:
        """`base.key`."""
        base = self.shape(node.base)
        if base.kind == "any":
            return self.closed(node, base) if base.note else ANY
        if base.kind == "list":
            return self.item(node, base)
        if base.kind != "object":
            hint = "write `| length`" if node.key in ("length", "size") else ""
            message = f"{self.words(node.base)!r} is {self.kind(base)} and has no attribute {node.key!r}"
            return self.problem("attribute-of-scalar", message, node.key_at, hint)
        if base.fields is None:
            return self.closed(node, base) if base.note else ANY
        found = base.fields.get(str(node.key))
        if found is None:
            message = f"{self.words(node.base)!r} has no attribute {node.key!r}"
            return self.problem("unknown-attribute", message, node.key_at, nearest(str(node.key), base.fields))
        if (base.may_be_none or base.may_be_missing) and not found.may_be_missing:
            return replace(found, may_be_missing=True)
        return found

    def item(self, node: nodes.Get, base: Shape) -> Shape:
        """`list.0`."""
        if isinstance(node.key, int):
            return replace(base.item or ANY, may_be_missing=True)
        hint = (
            "write `| length`"
            if node.key in ("length", "size")
            else f"write `| map('{node.key}')`, or `.0.{node.key}` for the first"
        )
        message = f"{self.words(node.base)!r} is a list and has no attribute {node.key!r}"
        return self.problem("attribute-of-list", message, node.key_at, hint)

    def closed(self, node: nodes.Get, base: Shape) -> Shape:
        """An object of which nothing is declared."""
        message = f"no attribute of {self.words(node.base)!r} can be read: {base.note}"
        return self.problem("undeclared-attribute", message, node.key_at)
