"""The checker's part for comparisons and arithmetic: kinds that meet, enums, and names written with a hyphen."""

from typing import Any

from interlock.expressions import nodes
from interlock.expressions.check_names import NameChecks
from interlock.expressions.nodes import Expr
from interlock.expressions.problems import nearest
from interlock.expressions.scalars import DECIMAL, WHOLE
from interlock.expressions.shapes import BOOLEAN, INTEGER, NUMBER, Shape

FAMILIES = {"integer": "number"}
ORDERED = ("number", "string", "date", "datetime")


def family(shape: Shape) -> str:
    """Kinds that can be equal to one another."""
    return FAMILIES.get(shape.kind, shape.kind)


class OperatorChecks(NameChecks):
    """Comparisons and arithmetic."""

    def comparison(self, node: nodes.Compare) -> Shape:
        """`left op right`."""
        left, right = self.shape(node.left), self.shape(node.right)
        if node.op in ("in", "not in"):
            self.membership(node, left, right)
        elif "none" in (left.kind, right.kind):
            hint = "write `is none`" if node.op == "==" else "write `is not none`"
            self.problem("compare-with-none", f"`{node.op}` with none", node.op_at, hint)
        elif self.comparable(node, left, right):
            self.in_enum(node.right, left, node.left)
            self.in_enum(node.left, right, node.right)
        return BOOLEAN

    def comparable(self, node: nodes.Compare, left: Shape, right: Shape) -> bool:
        """Whether the two sides are of kinds that meet."""
        one, other = family(left), family(right)
        if one != other and "any" not in (one, other):
            message = f"{self.kind(left)} is compared with {self.kind(right)}"
            self.problem("compare-kinds", message, node.op_at, self.remedy(node, one, other))
            return False
        known = one if one != "any" else other
        if node.op not in ("==", "!=") and known not in (*ORDERED, "any"):
            hint = "write `| duration` on both sides, which gives seconds" if known == "duration" else ""
            self.problem("no-order", f"{known} values have no order", node.op_at, hint)
            return False
        if node.op not in ("==", "!=") and known == "string":
            return self.not_digits(node)
        return True

    def remedy(self, node: nodes.Compare, one: str, other: str) -> str:
        """What to write instead when two kinds do not meet."""
        pair = {one, other}
        if "boolean" in pair:
            return "a boolean is a condition by itself: write `a`, or `not a`"
        if pair == {"string", "number"}:
            literal = node.right if isinstance(node.right, nodes.Literal) else node.left
            if isinstance(literal, nodes.Literal) and not isinstance(literal.value, str):
                return f"quote it if it is a text: '{literal.value}'; or write `| number`"
            return "write `| number` behind the text, or leave the quotes out"
        if pair & {"date", "datetime"}:
            wanted = "date" if "date" in pair else "datetime"
            return f"write `('…' | {wanted})`" if "string" in pair else "write `| date` behind the datetime"
        if "list" in pair:
            return "write `in`, or ask `| length`"
        if "duration" in pair:
            return "write `| duration`, which gives seconds"
        return ""

    def not_digits(self, node: nodes.Compare) -> bool:
        """Texts are ordered letter by letter, which is a trap for numbers in quotes."""
        for side in (node.left, node.right):
            text = side.value if isinstance(side, nodes.Literal) else None
            if isinstance(text, str) and (WHOLE.fullmatch(text) or DECIMAL.fullmatch(text)):
                hint = f"write {text} without quotes, and `| number` on the other side"
                message = "texts are ordered letter by letter: '9' is more than '10'"
                self.problem("order-of-digits", message, side.at, hint)
                return False
        return True

    def in_enum(self, node: Expr, shape: Shape, other: Expr) -> None:
        """A literal that is compared with a value has to be one the value can have."""
        if not shape.enum or not isinstance(node, nodes.Literal) or node.value in shape.enum:
            return
        hint = nearest(str(node.value), map(str, shape.enum))
        self.problem("not-in-enum", f"{self.words(other)!r} is never {self.words(node)}", node.at, hint)

    def membership(self, node: nodes.Compare, left: Shape, right: Shape) -> None:
        """`left in right`."""
        if right.kind == "object":
            self.problem("in-object", "`in` does not look into objects", node.op_at, "write `a.b is defined`")
        elif right.kind == "string":
            if left.kind not in ("string", "any"):
                self.problem(
                    "compare-kinds", f"{self.kind(left)} is looked for in a string", node.op_at, "write `| string`"
                )
        elif right.kind not in ("list", "any"):
            self.problem(
                "not-a-list", f"`in` looks into {self.kind(right)}", node.right.at, "`in` takes a list or a text"
            )
        elif isinstance(node.right, nodes.ListOf):
            for item in node.right.items:
                self.member(node, item, left)
        elif right.item is not None:
            one, other = family(left), family(right.item)
            if one != other and "any" not in (one, other):
                message = f"{self.kind(left)} is looked for in a list of {other} values"
                self.problem("compare-kinds", message, node.op_at, self.remedy(node, one, other))
            self.in_enum(node.left, right.item, node.right)

    def member(self, node: nodes.Compare, item: Expr, left: Shape) -> None:
        """One item of a list in brackets behind `in`."""
        shape = self.shape(item) if isinstance(item, nodes.Literal) else Shape()
        one, other = family(left), family(shape)
        if one != other and "any" not in (one, other):
            if other == "none":
                self.problem("compare-with-none", "none in a list", item.at, "write `is none`")
            else:
                self.problem("compare-kinds", f"{self.kind(left)} is compared with {self.kind(shape)}", item.at)
        else:
            self.in_enum(item, left, node.left)

    def arithmetic(self, node: nodes.Arithmetic | nodes.Negate) -> Shape:
        """Operators on numbers."""
        before = len(self.problems)
        sides = (node.operand,) if isinstance(node, nodes.Negate) else (node.left, node.right)
        shapes = [self.shape(side) for side in sides]
        if isinstance(node, nodes.Arithmetic) and self.hyphenated(node, before):
            return Shape()
        at = node.op_at if isinstance(node, nodes.Arithmetic) else node.at
        for shape, side in zip(shapes, sides, strict=True):
            if shape.kind not in ("integer", "number", "any"):
                self.problem(
                    "arithmetic-kinds", f"{self.words(side)!r} is {self.kind(shape)}", at, self.joined(node, shapes)
                )
                return Shape()
        if isinstance(node, nodes.Arithmetic) and node.op in ("/", "//", "%") and self.is_zero(node.right):
            self.problem("zero-division", "division by zero", node.right.at)
        whole = all(shape.kind == "integer" for shape in shapes)
        return INTEGER if whole and not (isinstance(node, nodes.Arithmetic) and node.op == "/") else NUMBER

    @staticmethod
    def is_zero(node: Expr) -> bool:
        """Whether a divisor is written as zero."""
        value: Any = node.value if isinstance(node, nodes.Literal) else None
        return isinstance(value, int | float) and value == 0

    @staticmethod
    def joined(node: nodes.Arithmetic | nodes.Negate, shapes: list[Shape]) -> str:
        """The remedy for arithmetic on something else."""
        kinds = {shape.kind for shape in shapes}
        if kinds & {"date", "datetime"}:
            return "write `is within('24h')` or `is older_than('7d')`"
        if "string" in kinds and isinstance(node, nodes.Arithmetic) and node.op == "+":
            return "texts are joined with `~`"
        return "write `| number` behind a text that holds a number" if "string" in kinds else ""

    def hyphenated(self, node: nodes.Arithmetic, before: int) -> bool:
        """`cells.get-order.x` is a subtraction; say so instead of naming its halves."""
        tight = node.op == "-" and node.left.end == node.op_at and node.right.at == node.op_at + 1
        left, right = nodes.keys_of(node.left), nodes.keys_of(node.right)
        if not tight or left is None or right is None or len(self.problems) == before:
            return False
        del self.problems[before:]
        name = f"{left[-1]}-{right[0]}"
        hint = (
            f"names are written with underscores: {name.replace('-', '_')}; a key with a hyphen is read as ['{name}']"
        )
        self.problem("hyphen-in-name", f"{name!r} is a subtraction", node.op_at, hint)
        return True
