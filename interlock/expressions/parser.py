"""Reads one expression into a tree in one pass; refuses what is legal in Jinja but misleads, each with its own hint."""

import sys
from functools import lru_cache
from typing import Literal as OneOf

from interlock.expressions import nodes
from interlock.expressions.hints import FOREIGN_CONSTANTS, after_operand, as_call, in_place_of_operand
from interlock.expressions.lexer import Token, fail, integer, number, tokens_of, unquoted
from interlock.expressions.limits import MAX_DEPTH, MAX_EXPRESSION, MOST_PARSED
from interlock.expressions.nodes import Expr

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
STRENGTH = {"+": 1, "-": 1, "~": 2, "*": 3, "/": 3, "//": 3, "%": 3}
CONSTANTS = {"true": True, "True": True, "false": False, "False": False, "none": None, "None": None}
KEYWORDS = frozenset({"and", "or", "not", "in", "is", "if", "else", *FOREIGN_CONSTANTS})


@lru_cache(maxsize=MOST_PARSED)
def parse_expression(text: str) -> Expr:
    """The tree of a bare expression; raises ExpressionError."""
    if len(text) > MAX_EXPRESSION:
        raise fail("too-long", f"an expression has at most {MAX_EXPRESSION} characters", MAX_EXPRESSION)
    parser = Parser(tokens_of(text))
    if parser.token.kind == "end":
        raise fail("empty", "there is no expression", 0)
    return parser.whole()


class Parser:
    """A cursor over tokens, with one method for each level of the grammar."""

    def __init__(self, tokens: list[Token], start: int = 0) -> None:
        self.tokens = tokens
        self.index = start
        self.token = tokens[start]
        self.depth = 0
        self.wrapped: dict[int, Expr] = {}

    def whole(self) -> Expr:
        """An expression that takes all tokens."""
        node = self.expression()
        if self.token.kind != "end":
            raise after_operand(self.token, self.tokens[self.index - 1])
        if len(self.tokens) > MAX_DEPTH and nodes.deeper_than(node, MAX_DEPTH):
            raise self.too_deep()
        return node

    def advance(self) -> Token:
        """Step over the current token and give it."""
        token = self.token
        self.index += 1
        self.token = self.tokens[self.index]
        return token

    def expect(self, sign: str) -> Token:
        """Step over one sign that has to stand here."""
        if self.token.kind != "op" or self.token.text != sign:
            raise after_operand(self.token, self.tokens[self.index - 1])
        return self.advance()

    def too_deep(self) -> Exception:
        """The error for a tree with too many levels."""
        return fail(
            "too-deep",
            f"an expression has at most {MAX_DEPTH} levels",
            self.tokens[0].at,
            "name parts of it under `conditions`",
        )

    def expression(self) -> Expr:
        """`a if test else b`, or anything below it."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.too_deep()
        node = self.logic()
        if self.token.kind == "name" and self.token.text == "if":
            word = self.advance()
            test = self.logic()
            if self.token.text != "else" or self.token.kind != "name":
                raise fail(
                    "if-without-else",
                    "`if` without `else` has no value when it does not hold",
                    word.at,
                    "write `a if b else c`",
                )
            self.advance()
            other = self.expression()
            node = nodes.Choose(node.at, other.end, test, node, other)
        self.depth -= 1
        return node

    def logic(self) -> Expr:
        """A chain of `and`, or of `or`; never both."""
        first = self.negation()
        token = self.token
        if token.kind != "name" or token.text not in ("and", "or"):
            return first
        items, word = [first], token.text
        while self.token.kind == "name" and self.token.text in ("and", "or"):
            if self.token.text != word:
                hint = "which of the two binds first? write `(a or b) and c` or `a or (b and c)`"
                raise fail("mixed-and-or", "`and` mixed with `or`", self.token.at, hint)
            self.advance()
            items.append(self.negation())
        return nodes.Logic(first.at, items[-1].end, word, tuple(items))

    def negation(self) -> Expr:
        """`not a`, or a comparison."""
        if self.token.kind != "name" or self.token.text != "not":
            return self.comparison()
        word = self.advance()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.too_deep()
        operand = self.negation()
        self.depth -= 1
        return nodes.Not(word.at, operand.end, operand)

    def comparison(self) -> Expr:
        """`a == b` and the like, at most one."""
        left = self.arithmetic()
        op = self.comparison_sign()
        if op is None:
            return left
        op_at = self.tokens[self.index - 1].at
        right = self.arithmetic()
        node = nodes.Compare(left.at, right.end, op, left, right, op_at)
        if self.comparison_sign() is not None:
            hint = "write `a == b and b == c`"
            raise fail("chained-comparison", "a comparison of a comparison", self.tokens[self.index - 1].at, hint)
        return node

    def comparison_sign(self) -> str | None:
        """Step over a comparison sign, if one stands here."""
        kind, text = self.token.kind, self.token.text
        if kind == "op" and text in COMPARISONS:
            self.advance()
            return text
        if kind == "name" and text == "in":
            self.advance()
            return "in"
        if kind == "name" and text == "not" and self.tokens[self.index + 1][:2] == ("name", "in"):
            self.advance()
            self.advance()
            return "not in"
        return None

    def arithmetic(self, weakest: int = 1) -> Expr:
        """Operators on numbers, and `~`, by strength."""
        left = self.operand()
        while self.token.kind == "op" and STRENGTH.get(self.token.text, 0) >= weakest:
            op = self.advance()
            right = self.arithmetic(STRENGTH[op.text] + 1)
            left = self.combined(op, left, right)
        return left

    def combined(self, op: Token, left: Expr, right: Expr) -> Expr:
        """One operator applied; `~` beside arithmetic needs parentheses because Jinja binds it tighter than `+`."""
        if op.text != "~":
            for side in (left, right):
                if isinstance(side, nodes.Concat) and id(side) not in self.wrapped:
                    hint = "write `a ~ (b + c)` or `(a ~ b) + c`"
                    raise fail("mixed-concat", f"`~` mixed with `{op.text}`", op.at, hint)
            return nodes.Arithmetic(left.at, right.end, op.text, left, right, op.at)
        before = left.items if isinstance(left, nodes.Concat) and id(left) not in self.wrapped else (left,)
        return nodes.Concat(left.at, right.end, (*before, right))

    def operand(self) -> Expr:
        """`-a`, or a value with its attributes, filters and tests."""
        if self.token.kind == "op" and self.token.text == "-":
            sign = self.advance()
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise self.too_deep()
            inner = self.operand()
            self.depth -= 1
            if isinstance(inner, nodes.Filter | nodes.Test) and id(inner) not in self.wrapped:
                hint = "write `(-a) | filter` or `-(a | filter)`"
                raise fail("minus-before-filter", "does the minus or the filter come first?", sign.at, hint)
            if isinstance(inner, nodes.Literal) and type(inner.value) in (int, float):
                return nodes.Literal(sign.at, inner.end, -inner.value)
            return nodes.Negate(sign.at, inner.end, inner)
        node = self.primary()
        while True:
            token = self.token
            if token.kind == "op" and token.text == ".":
                node = self.attribute(node)
            elif token.kind == "op" and token.text == "[":
                node = self.subscript(node)
            elif token.kind == "op" and token.text == "|":
                node = self.filter(node)
            elif token.kind == "name" and token.text == "is":
                node = self.test(node)
            elif token.kind == "op" and token.text == "(":
                raise as_call(node, token)
            else:
                return node

    def primary(self) -> Expr:
        """A literal, a name, a list, or an expression in parentheses."""
        token = self.token
        kind, text = token.kind, token.text
        if kind == "name" and text not in KEYWORDS:
            self.advance()
            if text in CONSTANTS:
                return nodes.Literal(token.at, token.end, CONSTANTS[text])
            return nodes.Name(token.at, token.end, sys.intern(text))
        if kind == "str":
            self.advance()
            return nodes.Literal(token.at, token.end, sys.intern(unquoted(token)))
        if kind in ("int", "float"):
            self.advance()
            return nodes.Literal(token.at, token.end, number(token))
        if kind == "op" and text == "(":
            return self.parentheses()
        if kind == "op" and text == "[":
            items = self.sequence("]")
            return nodes.ListOf(token.at, self.tokens[self.index - 1].end, tuple(items))
        raise in_place_of_operand(token, self.tokens[self.index - 1] if self.index else None)

    def parentheses(self) -> Expr:
        """`( … )`; the node takes the parentheses into its span."""
        opening = self.advance()
        if self.token.text == ")" and self.token.kind == "op":
            raise fail("tuple", "empty parentheses", opening.at, "an empty list is written `[]`")
        inner = self.expression()
        if self.token.kind == "end":
            raise fail("unclosed", "'(' is never closed", opening.at, "close it with `)`")
        closing = self.expect(")")
        node = spread(inner, opening.at, closing.end)
        self.wrapped[id(node)] = node
        return node

    def sequence(self, closing: OneOf["]", ")"]) -> list[Expr]:
        """Expressions between commas up to a closing sign; a comma may stand last."""
        opening = self.advance()
        items: list[Expr] = []
        while self.token.kind != "op" or self.token.text != closing:
            if items:
                if self.token.kind == "end":
                    raise fail(
                        "unclosed", f"{opening.text!r} is never closed", opening.at, f"close it with `{closing}`"
                    )
                self.expect(",")
                if self.token.kind == "op" and self.token.text == closing:
                    break
            items.append(self.expression())
        self.advance()
        return items

    def attribute(self, base: Expr) -> Expr:
        """`.name` or `.0`."""
        self.advance()
        token = self.token
        if token.kind not in ("name", "int"):
            raise in_place_of_operand(token, self.tokens[self.index - 1])
        self.advance()
        key = integer(token) if token.kind == "int" else sys.intern(token.text)
        return nodes.Get(base.at, token.end, base, key, token.at)

    def subscript(self, base: Expr) -> Expr:
        """`['name']` or `[0]`; anything computed is refused."""
        self.advance()
        token = self.token
        if token.kind not in ("str", "int") or self.tokens[self.index + 1].text != "]":
            hint = "write `a['name']`, `a[0]` or `a | last`; what depends on a value is a table's business"
            raise fail("computed-subscript", "only a text or a whole number may stand in brackets", token.at, hint)
        self.advance()
        key = integer(token) if token.kind == "int" else sys.intern(unquoted(token))
        return nodes.Get(base.at, self.expect("]").end, base, key, token.at)

    def filter(self, base: Expr) -> Expr:
        """`| name` or `| name(args)`."""
        bar = self.advance()
        token = self.token
        if token.kind != "name" or token.text in KEYWORDS:
            hint = "write `or`" if token.text == "|" else "after `|` stands the name of a filter"
            raise fail("foreign-sign" if token.text == "|" else "unexpected", "there is no filter here", bar.at, hint)
        self.advance()
        args = self.arguments(token.text)
        return nodes.Filter(base.at, self.tokens[self.index - 1].end, base, token.text, args, token.at)

    def arguments(self, name: str) -> tuple[Expr, ...]:
        """What stands in parentheses after a filter or test; `map(attribute='x')` is read as `map('x')`."""
        if self.token.kind != "op" or self.token.text != "(":
            return ()
        following = self.tokens[self.index + 1 : self.index + 3]
        if name == "map" and [part.text for part in following] == ["attribute", "="]:
            del self.tokens[self.index + 1 : self.index + 3]
        return tuple(self.sequence(")"))

    def test(self, base: Expr) -> Expr:
        """`is name`, `is not name`, `is name(args)`; for `in` the argument may stand without parentheses."""
        word = self.advance()
        negated = self.token.kind == "name" and self.token.text == "not"
        if negated:
            self.advance()
        token = self.token
        if token.kind != "name" or token.text in KEYWORDS - {"in"}:
            raise fail(
                "unexpected",
                "there is no test after `is`",
                word.at,
                "`==` compares; `is` asks: `is defined`, `is none`",
            )
        self.advance()
        if token.text == "in":
            return self.membership(base, token, negated=negated)
        name = "none" if token.text == "None" else token.text
        args = self.arguments(name)
        return nodes.Test(base.at, self.tokens[self.index - 1].end, base, name, args, negated, token.at)

    def membership(self, base: Expr, word: Token, *, negated: bool) -> Expr:
        """`is in [..]` is the same as `in [..]`."""
        right = self.operand()
        return nodes.Compare(base.at, right.end, "not in" if negated else "in", base, right, word.at)


def spread(node: Expr, at: int, end: int) -> Expr:
    """The node with a wider span."""
    fields = [getattr(node, name) for name in node.__match_args__[2:]]
    return type(node)(at, end, *fields)
