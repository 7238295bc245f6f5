"""The slow interpreter: evaluates a tree step by step, says which path was missing, and can note every value.

The compiled code gives the same answers faster; where it meets anything unusual it asks here.
"""

from typing import Any

from interlock.expressions import nodes
from interlock.expressions import operations as do
from interlock.expressions.filters import FILTERS
from interlock.expressions.limits import MAX_WORK, Meter, bounded
from interlock.expressions.nodes import Block, Expr
from interlock.expressions.outcomes import Context, Missing, NotMet, Several
from interlock.expressions.plugins import apply, needed
from interlock.expressions.times import milliseconds, moment, older_than, within

Step = tuple[Expr, Any]
"""A node and its value; where it has none, the `NotMet` that says why."""


class Evaluation:
    """One evaluation in one context, with its own allowance of work."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.meter: Meter = [MAX_WORK]
        self.local: dict[str, Any] = {}
        self.steps: list[Step] | None = None

    def value(self, node: Expr) -> Any:
        """The value of a node, or Missing with the path that is to blame."""
        try:
            value = self.computed(node)
        except Missing as missing:
            if not missing.path:
                missing.path = self.blamed(node)
            self.note(node, NotMet(missing.reason, missing.path))
            raise
        self.note(node, value)
        return value

    def note(self, node: Expr, value: Any) -> None:
        """Remember a step, when somebody asked for them."""
        if self.steps is not None and not isinstance(node, nodes.Literal):
            self.steps.append((node, value))

    def computed(self, node: Expr) -> Any:
        """The value of a node from the values of its parts."""
        match node:
            case nodes.Literal():
                return node.value
            case nodes.Name():
                return self.name(node)
            case nodes.Get():
                return self.attribute(node)
            case nodes.Compare():
                return do.compare(self.meter, node.op, self.value(node.left), self.value(node.right))
            case nodes.Logic():
                return self.logic(node)
            case nodes.Not():
                return not self.value(node.operand)
            case nodes.Choose():
                return self.value(node.then if self.value(node.test) else node.other)
            case nodes.Filter():
                return self.filter(node)
            case nodes.Test():
                return self.test(node) is not node.negated
            case nodes.ListOf():
                return [self.value(item) for item in node.items]
            case nodes.Concat():
                return do.concat(self.meter, *[self.value(item) for item in node.items])
            case nodes.Arithmetic():
                return do.ARITHMETIC[node.op](self.value(node.left), self.value(node.right))
            case nodes.Negate():
                return do.negate(self.value(node.operand))

    def name(self, node: nodes.Name) -> Any:
        """A loop's variable, or a root."""
        if node.name in self.local:
            return self.local[node.name]
        try:
            value = self.context[node.name]
        except KeyError:
            raise Missing(node.name) from None
        return moment(value) if node.name == "now" else value

    def attribute(self, node: nodes.Get) -> Any:
        """`base.key`."""
        base = self.value(node.base)
        try:
            return do.fetch(base, node.key)
        except LookupError:
            raise Missing(nodes.dotted(node)) from None

    def logic(self, node: nodes.Logic) -> Any:
        """From left to right, up to the operand that decides; the value is that operand's."""
        value = None
        for item in node.items:
            value = self.value(item)
            if bool(value) is (node.op == "or"):
                break
        return value

    def filter(self, node: nodes.Filter) -> Any:
        """`base | name(args)`; `default` also takes what is missing or none."""
        if node.name == "default":
            found = self.value_or_none(node.base)
            return self.value(node.args[0]) if found is None else found
        base = self.value(node.base)
        if node.name == "show":
            return do.shown(self.meter, self.context, base, nodes.dotted(node.base))
        rule = FILTERS.get(node.name)
        args = [self.value(arg) for arg in node.args]
        if rule is not None:
            return rule.run(self.meter, base, *args)
        return apply(self.meter, needed("filters", node.name, node.name_at), base, *args)

    def value_or_none(self, node: Expr) -> Any:
        """The value, or None where it is missing."""
        try:
            return self.value(node)
        except Missing as missing:
            if missing.reason != "missing":
                raise
            return None

    def test(self, node: nodes.Test) -> bool:
        """`base is name(args)`, before any `not`."""
        match node.name:
            case "defined":
                return self.defined(node.base)
            case "none":
                return self.value(node.base) is None
            case "within" | "older_than":
                limit = milliseconds(str(self.value(node.args[0])))
                ask = within if node.name == "within" else older_than
                return ask(self.now(), self.value(node.base), limit or 0)
            case _:
                base, args = self.value(node.base), [self.value(arg) for arg in node.args]
                return apply(self.meter, needed("tests", node.name, node.name_at), base, *args) is True

    def now(self) -> Any:
        """The instant of this evaluation."""
        try:
            return self.context["now"]
        except KeyError:
            raise Missing("now") from None

    def defined(self, node: Expr) -> bool:
        """Whether a path can be read."""
        try:
            self.value(node)
        except Missing as missing:
            if missing.reason != "missing":
                raise
            return False
        return True

    def blamed(self, node: Expr) -> str:
        """The path to look at when an operation could not be done: the first without one value, else the first read."""
        paths = list(nodes.paths_in(node))
        for path in paths:
            value = self.quietly(path)
            if value is None or value.__class__ is Several:
                return nodes.dotted(path)
        return nodes.dotted(paths[0]) if paths else ""

    def quietly(self, node: Expr) -> Any:
        """A path read again without noting it; None where it cannot be read."""
        steps, self.steps = self.steps, None
        try:
            return self.value(node)
        except Missing:
            return None
        finally:
            self.steps = steps

    def page(self, blocks: tuple[Block, ...]) -> str:
        """The text of a template."""
        parts: list[str] = []
        self.write(blocks, parts)
        return do.finish(parts)

    def write(self, blocks: tuple[Block, ...], parts: list[str]) -> None:
        """Add the text of blocks."""
        for block in blocks:
            match block:
                case nodes.Plain():
                    parts.append(bounded(self.meter, block.text))
                case nodes.Output():
                    parts.append(self.rendered(block.expr))
                case nodes.If():
                    self.write(self.branch(block), parts)
                case nodes.For():
                    self.loop(block, parts)

    def rendered(self, node: Expr) -> str:
        """The value of a node as text; none is missing."""
        value = self.value(node)
        try:
            return do.render(self.meter, value)
        except Missing as missing:
            raise Missing(self.blamed(node), missing.reason) from None

    def branch(self, block: nodes.If) -> tuple[Block, ...]:
        """The blocks of the first branch that holds."""
        for test, body in block.branches:
            if self.value(test):
                return body
        return block.other

    def loop(self, block: nodes.For, parts: list[str]) -> None:
        """Every round of a loop."""
        try:
            items = do.each(self.meter, self.value(block.items))
        except Missing as missing:
            raise Missing(missing.path or self.blamed(block.items), missing.reason) from None
        outer = self.local
        for index, item in enumerate(items, 1):
            self.local = {**outer, block.name: item, "loop": do.place(index, len(items))}
            self.write(block.body, parts)
        self.local = outer
