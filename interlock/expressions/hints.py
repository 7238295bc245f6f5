"""What to say about a token that cannot stand where it stands, for readers who come from another language."""

from interlock.expressions import nodes
from interlock.expressions.lexer import Token, fail
from interlock.expressions.problems import ExpressionError

NO_PATTERNS = "there are no patterns in expressions; declare an intent or a slot"
FOREIGN_WORDS = {
    "contains": "write `b in a`",
    "includes": "write `b in a`",
    "has": "write `b in a`",
    "startswith": NO_PATTERNS,
    "matches": NO_PATTERNS,
    "like": NO_PATTERNS,
    "AND": "write `and`",
    "OR": "write `or`",
    "NOT": "write `not`",
    "IN": "write `in`",
    "then": "write `a if condition else b`",
    "eq": "write `==`",
    "equals": "write `==`",
    "between": "write `a <= x and x <= b`",
    "lambda": "there are no functions; filters are written `x | name`",
}
FOREIGN_CALLS = {
    "len": "write `a | length`",
    "count": "write `a | length`",
    "str": "write `a | string`",
    "int": "write `a | number`",
    "float": "write `a | number`",
    "bool": "write the condition itself",
    "now": "`now` is a value: write it without parentheses",
    "today": "write `now | date`",
    "range": "loops run over lists of the context",
    **{
        name: f"write `a | {name}`"
        for name in ("sum", "min", "max", "abs", "round", "sorted", "lower", "upper", "date")
    },
    **dict.fromkeys(("matches", "match", "regex", "search"), NO_PATTERNS),
    **{name: f"write `a | {name}`" for name in ("replace", "join", "trim")},
    "strip": "write `a | trim`",
    "get": "write `a.b | default(…)`",
    "contains": "write `b in a`",
    "includes": "write `b in a`",
    "defined": "write `a is defined`",
}


FOREIGN_CONSTANTS = {
    "null": "none",
    "nil": "none",
    "NULL": "none",
    "NONE": "none",
    "undefined": "none",
    "TRUE": "true",
    "FALSE": "false",
}


def as_call(callee: nodes.Expr, token: Token) -> ExpressionError:
    """The error for `callee(`."""
    name = callee.key if isinstance(callee, nodes.Get) else callee.name if isinstance(callee, nodes.Name) else ""
    at = callee.key_at if isinstance(callee, nodes.Get) else callee.at
    hint = FOREIGN_CALLS.get(str(name), "there are no calls; filters are written `x | name`")
    return fail("call", f"{name!r} is called like a function" if name else "a call", at if name else token.at, hint)


def after_operand(token: Token, before: Token) -> ExpressionError:
    """The error for something that follows a complete operand and is no operator."""
    if token.kind == "op" and token.text == ",":
        grouped = before.kind in ("int", "float")
        hint = "digits grouped by commas? write 1000" if grouped else "a list is written `[a, b]`"
        return fail("tuple", "a comma outside a list", token.at, hint)
    if token.kind == "name" and token.text in FOREIGN_WORDS:
        return fail(
            "foreign-word", f"{token.text!r} is not a word of the language", token.at, FOREIGN_WORDS[token.text]
        )
    if token.kind == "op" and token.text == "**":
        return fail("power", "there is no power operator", token.at, "write the product")
    if token.kind == "op" and token.text == "=":
        return fail("assignment", "nothing is assigned in an expression", token.at, "`==` compares")
    if token.kind in ("name", "int", "float") and before.kind in ("int", "float") and before.end == token.at:
        return fail("bad-number", "not a number", before.at, "quote texts; write numbers in decimal digits alone")
    hint = "quote texts: 'a b'" if token.kind in ("name", "str") else ""
    return fail(
        "unexpected", f"unexpected {token.text!r}" if token.text else "the expression ends too early", token.at, hint
    )


def in_place_of_operand(token: Token, before: Token | None) -> ExpressionError:
    """The error for something that stands where a value is due."""
    if token.kind == "end":
        return fail("incomplete", "the expression ends where a value is due", token.at)
    if before is not None and (before.text, token.text) == ("<", ">"):
        return fail("foreign-sign", "'<>' is not a sign of the language", before.at, "write `!=`")
    if before is not None and before.text == token.text == "*":
        return fail("power", "there is no power operator", before.at, "write the product")
    if token.text == "**":
        return fail("power", "there is no power operator", token.at, "write the product")
    if token.text in FOREIGN_CONSTANTS:
        hint = f"write `{FOREIGN_CONSTANTS[token.text]}`"
        return fail("foreign-word", f"{token.text!r} is not a word of the language", token.at, hint)
    if token.text == "not":
        return fail("unexpected", "`not` stands inside a comparison", token.at, "write `not (…)`, or `a != b`")
    return fail("unexpected", f"unexpected {token.text!r} where a value is due", token.at)
