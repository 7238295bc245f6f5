"""Cuts the text of an expression into tokens, and says what to write instead of the signs other languages use."""

import re
from decimal import Decimal
from math import isinf
from typing import NamedTuple
from unicodedata import normalize

from interlock.expressions.limits import MAX_DIGITS
from interlock.expressions.problems import ExpressionError, Problem


class Token(NamedTuple):
    """One token; `kind` is name, int, float, str, op or end, and for an op its text says which."""

    kind: str
    text: str
    at: int
    end: int


TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[^\W\d]\w*)
    | (?P<op>[-+]?[%}]\}|==(?!=)|=(?![=<>~])|!=(?!=)|<=|>=|//|\*\*|[-+*/%~|.,()\[\]<>])
    | (?P<str>'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")
    | (?P<float>(?<!\.)[0-9]+(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+))
    | (?P<int>[0-9]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
SPACE = re.compile(r"\s*")

FOREIGN_SIGNS = (
    ("===", "two equal signs compare: `==`"),
    ("=>", "write `>=`"),
    ("=<", "write `<=`"),
    ("=~", "there are no patterns in expressions; declare an intent or a slot"),
    ("&&", "write `and`"),
    ("&", "write `and`"),
    ("!==", "write `!=`"),
    ("!", "write `not`"),
    ("??", "write `| default(…)`"),
    ("?", "write `a if condition else b`, or `is defined` to ask whether something is there"),
    ("{{", "the expression stands bare here: leave the braces out"),
    ("{%", "blocks stand in templates only"),
    ("{", "maps are written in YAML, not in expressions"),
    ("${", "write the name alone"),
    ("$", "write the name alone"),
    ("`", "quote texts with '…'"),
    (";", "one expression, no statements"),
    (":", "there are no slices, maps or functions in expressions"),
)
LOOK_ALIKES = dict(zip("‘’“”「」《》、。−–—×÷", "''\"\"''<>,.---*/", strict=True)) | {"≠": "!=", "≤": "<=", "≥": ">="}
"""Signs that compatibility folding does not make plain."""


def fail(code: str, message: str, at: int, hint: str = "") -> ExpressionError:
    """An error at a place, for raising."""
    return ExpressionError(Problem(code, message, at, hint))


def tokens_of(text: str, start: int = 0, stop: int | None = None) -> list[Token]:
    """The tokens from `start`, up to and with the end token.

    Inside a template `stop` is the end of the text and the tokens end at the first `}}` or `%}` outside a string.
    """
    found: list[Token] = []
    position, match = start, TOKEN.match
    inside = stop is not None
    while token := match(text, position):
        kind = token.lastgroup or ""
        at, position = token.span(kind)
        value = token[kind]
        if kind == "op" and value[-1] == "}":
            if not inside:
                raise fail(
                    "braces", f"{value!r} in an expression", at, "the expression stands bare here: leave the braces out"
                )
            found.append(Token("end", value, at, position))
            return found
        if kind == "name" and not value.isascii() and normalize("NFKC", value) != value:
            raise fail("full-width", f"{value!r} is not in plain letters", at, f"write {normalize('NFKC', value)!r}")
        found.append(Token(kind, value, at, position))
    rest = SPACE.match(text, position)
    position = rest.end() if rest else position
    if position < len(text):
        raise _unknown(text, position)
    if inside:
        raise fail("unclosed", "the braces opened here are never closed", max(start - 2, 0), "close with `}}` or `%}`")
    found.append(Token("end", "", position, position))
    return found


def _unknown(text: str, at: int) -> ExpressionError:
    """What to say about a character that begins no token."""
    sign = text[at]
    if sign in "'\"":
        return fail("unclosed", "the quote opened here is never closed", at, f"close the text with {sign}")
    plain = LOOK_ALIKES.get(sign) or normalize("NFKC", sign)
    if plain != sign and plain.isascii():
        return fail("full-width", f"{sign!r} is not a sign of the language", at, f"write {plain} (half-width)")
    for foreign, hint in FOREIGN_SIGNS:
        if text.startswith(foreign, at):
            code = {"{{": "braces", "{%": "braces"}.get(foreign, "foreign-sign")
            return fail(code, f"{foreign!r} is not a sign of the language", at, hint)
    return fail("unexpected", f"unexpected character {sign!r}", at)


ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t", "r": "\r"}
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)


def unquoted(token: Token) -> str:
    """The text of a string token, escapes resolved; refuses the ones that mean something else than they seem to."""
    body = token.text[1:-1]
    if "\\" not in body:
        return body

    def resolve(match: re.Match[str]) -> str:
        code, sign = match.groups()
        if code and not 0xD800 <= int(code, 16) <= 0xDFFF:
            return chr(int(code, 16))
        if sign in ESCAPES:
            return ESCAPES[sign]
        hint = r"known: \\ \' \" \n \t \r \uXXXX; there are no patterns in expressions, they live in intents and slots"
        raise fail("bad-escape", f"unknown escape {match[0]!r}", token.at + 1 + match.start(), hint)

    return ESCAPE.sub(resolve, body)


def integer(token: Token) -> int:
    """The value of a token of digits."""
    text = token.text
    if len(text) > MAX_DIGITS:
        raise fail("bad-number", f"a number has at most {MAX_DIGITS} digits", token.at)
    if text[0] == "0" and len(text) > 1:
        raise fail("bad-number", "a number does not begin with 0", token.at, f"an id is a text: '{text[:40]}'")
    return int(text)


def number(token: Token) -> int | float:
    """The value of a number token, digit for digit; refuses what would not keep its digits."""
    text = token.text
    if len(text) > MAX_DIGITS:
        raise fail("bad-number", f"a number has at most {MAX_DIGITS} digits", token.at)
    if token.kind == "int":
        return integer(token)
    value = float(text)
    if isinf(value) or Decimal(repr(value)) != Decimal(text):
        hint = "a number with a fraction keeps about 15 digits; quote it if it is an id"
        raise fail("bad-number", f"{text[:40]} cannot be kept exactly", token.at, hint)
    return value
