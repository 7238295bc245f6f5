"""Checks expressions and templates against the documented context: every name, kind, literal and constant condition."""

from typing import Any

from interlock.expressions import nodes
from interlock.expressions.check_calls import CallChecks
from interlock.expressions.check_operators import OperatorChecks
from interlock.expressions.nodes import Block, Expr
from interlock.expressions.parser import parse_expression
from interlock.expressions.problems import ExpressionError, Problem
from interlock.expressions.shapes import ANY, BOOLEAN, LIST, STRING, Scope, Shape, list_of, object_of, shape_of
from interlock.expressions.templates import only_expression, parse_template

KeyPath = tuple[str | int, ...]
LOOP = object_of({"index": Shape("integer"), "first": BOOLEAN, "last": BOOLEAN})


def check_expression(text: str, scope: Scope) -> tuple[Shape, list[Problem]]:
    """The shape and the problems of a condition, as under `when` and `that`."""
    try:
        tree = parse_expression(text)
    except ExpressionError as error:
        return ANY, [error.problem]
    checker = Checker(text, scope)
    return checker.condition(tree), checker.problems


def check_path(text: str, scope: Scope) -> tuple[Shape, list[Problem]]:
    """The shape and the problems of a dotted path, as under `from`: it is copied, and decides nothing."""
    try:
        tree = parse_expression(text)
    except ExpressionError as error:
        return ANY, [error.problem]
    checker = Checker(text, scope)
    return checker.shape(tree), checker.problems


def check_template(text: str, scope: Scope) -> tuple[Shape, list[Problem]]:
    """The shape and the problems of a template: exactly one `{{ expr }}` keeps its shape, all else is a string."""
    if "{" not in text:
        return STRING, []
    try:
        blocks = parse_template(text)
    except ExpressionError as error:
        return ANY, [error.problem]
    checker = Checker(text, scope)
    only = only_expression(blocks)
    if only is not None:
        return checker.shape(only), checker.problems
    checker.blocks(blocks)
    return STRING, checker.problems


def check_value(value: Any, scope: Scope) -> tuple[Shape, list[tuple[KeyPath, Problem]]]:
    """The shape of a JSON value whose strings are templates, and the problems, each with the path of its string."""
    if isinstance(value, str):
        shape, problems = check_template(value, scope)
        return shape, [((), problem) for problem in problems]
    if isinstance(value, dict):
        checked = {key: check_value(item, scope) for key, item in value.items()}
        found = [((key, *path), problem) for key, (_, inner) in checked.items() for path, problem in inner]
        return object_of({key: shape for key, (shape, _) in checked.items()}), found
    if isinstance(value, list):
        items = [check_value(item, scope) for item in value]
        found = [((index, *path), problem) for index, (_, inner) in enumerate(items) for path, problem in inner]
        shapes = [shape for shape, _ in items]
        alike = bool(shapes) and all(shape == shapes[0] for shape in shapes)
        return list_of(shapes[0]) if alike else LIST, found
    return shape_of(value), []


class Checker(OperatorChecks, CallChecks):
    """Walks a tree once; after a problem a part counts as `any`, so that one mistake is told once."""

    def condition(self, node: Expr) -> Shape:
        """The shape of something that decides; it has to depend on the context."""
        before = len(self.problems)
        shape = self.decided(node)
        if len(self.problems) == before and self.always(node, shape):
            hint = "what always holds has no condition: leave it out, and put it last"
            self.problem("constant-condition", f"{self.words(node)} is always the same", node.at, hint)
        return shape

    def decided(self, node: Expr) -> Shape:
        """Like `shape`, with every operand of `and`, `or`, `not` a condition of its own."""
        if isinstance(node, nodes.Logic):
            return self.merged([self.operand(item, node) for item in node.items])
        if isinstance(node, nodes.Not):
            self.operand(node.operand, node)
            return BOOLEAN
        return self.shape(node)

    def operand(self, node: Expr, parent: nodes.Logic | nodes.Not) -> Shape:
        """One operand of a condition; `a == 'x' or 'y'` is the slip to find."""
        before = len(self.problems)
        shape = self.decided(node)
        if len(self.problems) == before and self.always(node, shape):
            hint = ""
            if isinstance(parent, nodes.Logic) and isinstance(node, nodes.Literal):
                hint = f"to compare with several values write `a in ['x', {self.words(node)}]`"
            self.problem("constant-condition", f"{self.words(node)} is always the same", node.at, hint)
        return shape

    def always(self, node: Expr, shape: Shape) -> bool:
        """Whether a condition cannot come out both ways."""
        if isinstance(node, nodes.Compare) and isinstance(node.right, nodes.Name | nodes.Get):
            path = nodes.keys_of(node.right)
            if path is not None and path == nodes.keys_of(node.left):
                return True
        if not nodes.reads_context(node):
            return True
        if shape.may_be_none or shape.may_be_missing:
            return False
        full = shape.kind == "object" and bool(shape.fields)
        return isinstance(node, nodes.Name | nodes.Get) and (full or shape.kind in ("date", "datetime"))

    def shape(self, node: Expr) -> Shape:
        """The shape of a value."""
        match node:
            case nodes.Get():
                return self.attribute(node)
            case nodes.Name():
                return self.name(node)
            case nodes.Literal():
                return self.literal(node)
            case nodes.Compare():
                return self.comparison(node)
            case nodes.Filter():
                return self.filter(node)
            case nodes.Test():
                return self.test(node)
            case nodes.Logic():
                return self.merged([self.shape(item) for item in node.items])
            case nodes.Not():
                self.shape(node.operand)
                return BOOLEAN
            case nodes.Choose():
                self.condition(node.test)
                return self.merged([self.shape(node.then), self.shape(node.other)])
            case nodes.ListOf():
                return self.listed(node)
            case nodes.Concat():
                for item in node.items:
                    self.shape(item)
                return STRING
            case nodes.Arithmetic() | nodes.Negate():
                return self.arithmetic(node)

    def blocks(self, blocks: tuple[Block, ...]) -> None:
        """The blocks of a template."""
        for block in blocks:
            match block:
                case nodes.Output():
                    self.shape(block.expr)
                case nodes.If():
                    for test, body in block.branches:
                        self.condition(test)
                        self.blocks(body)
                    self.blocks(block.other)
                case nodes.For():
                    self.loop(block)

    def loop(self, block: nodes.For) -> None:
        """A loop: over a list, with a variable that hides nothing."""
        shape = self.shape(block.items)
        if shape.kind not in ("list", "any"):
            self.problem("not-a-list", f"a loop over {self.kind(shape)}", block.items.at, "loops run over lists")
        if block.name in self.scope:
            hint = "choose another name for the loop's variable"
            self.problem("shadowed-name", f"{block.name!r} is a name of the context", block.name_at, hint)
        outer = self.scope
        self.scope = {**outer, block.name: shape.item or ANY, "loop": LOOP}
        self.blocks(block.body)
        self.scope = outer
