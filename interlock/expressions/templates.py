"""Reads a template: text with `{{ }}`, `if` and `for` blocks and comments; no macros, imports or assignments."""

import re
from functools import lru_cache

from interlock.expressions import nodes
from interlock.expressions.lexer import Token, fail, tokens_of
from interlock.expressions.limits import MAX_BLOCKS, MAX_BRANCHES, MAX_EXPRESSION, MAX_TEMPLATE, MOST_PARSED
from interlock.expressions.nodes import Block
from interlock.expressions.parser import KEYWORDS, Parser

OPENING = re.compile(r"\{[{%#]-?")
COMMENT_END = re.compile(r"-?#\}")
CLOSING_WORDS = {"if": ("elif", "else", "endif"), "for": ("endfor",)}
REFUSED = {
    "set": "give the value a name in the spec, with a `set` step or a `vars` entry",
    "macro": "there are no macros; declare a response in a Library and `respond` with it",
    "include": "templates read no files; declare a response in a Library",
    "import": "templates read no files; declare a response in a Library",
    "from": "templates read no files; declare a response in a Library",
    "extends": "templates read no files; declare a response in a Library",
    "block": "templates read no files; declare a response in a Library",
    "call": "there are no macros",
    "filter": "write the filter in braces: `{{ x | name }}`",
    "raw": "write the braces as a text: {{ '{{' }}",
    "while": "loops run over lists: `{% for x in list %}`",
    "with": "write the path in full",
    "do": "nothing is assigned in a template",
}


@lru_cache(maxsize=MOST_PARSED)
def parse_template(text: str) -> tuple[Block, ...]:
    """The blocks of a template; raises ExpressionError. One newline at the very end is dropped, as in Jinja."""
    if len(text) > MAX_TEMPLATE:
        raise fail("too-long", f"a template has at most {MAX_TEMPLATE} characters", MAX_TEMPLATE)
    reader = Reader(text.removesuffix("\n"))
    blocks, _ = reader.blocks("", 0)
    return blocks


def only_expression(blocks: tuple[Block, ...]) -> nodes.Expr | None:
    """The expression of a template that is exactly one `{{ expr }}`, which keeps its type."""
    return blocks[0].expr if len(blocks) == 1 and isinstance(blocks[0], nodes.Output) else None


class Reader:
    """A cursor over the text of a template."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.strip = False
        self.tokens: list[Token] = []

    def blocks(self, opener: str, opened_at: int, depth: int = 0) -> tuple[tuple[Block, ...], str]:
        """Blocks up to a word that closes `opener`, and that word; "" at the end of the text."""
        if depth > MAX_BLOCKS:
            raise fail("too-deep", f"blocks stand at most {MAX_BLOCKS} deep", opened_at)
        found: list[Block] = []
        while True:
            opening = OPENING.search(self.text, self.position)
            self.plain(found, opening)
            if opening is None:
                if opener:
                    raise fail(
                        "unclosed", f"`{opener}` is never closed", opened_at, f"close it with {{% end{opener} %}}"
                    )
                return tuple(found), ""
            if opening[0].startswith("{#"):
                self.comment(opening)
                continue
            parser = self.open(opening)
            if opening[0].startswith("{{"):
                found.append(self.output(parser, opening))
                continue
            word = parser.token
            if word.text in CLOSING_WORDS.get(opener, ()):
                return tuple(found), word.text
            found.append(self.statement(word, depth))

    def plain(self, found: list[Block], opening: re.Match[str] | None) -> None:
        """Take the text up to the next braces, white space dropped beside `-`."""
        end = opening.start() if opening else len(self.text)
        text = self.text[self.position : end]
        if self.strip:
            text = text.lstrip()
        if opening and opening[0].endswith("-"):
            text = text.rstrip()
        if text:
            found.append(nodes.Plain(self.position, end, text))
        self.position = end

    def comment(self, opening: re.Match[str]) -> None:
        """Skip `{# … #}`."""
        end = COMMENT_END.search(self.text, opening.end() - opening[0].endswith("-"))
        if end is None:
            raise fail("unclosed", "the comment opened here is never closed", opening.start(), "close it with `#}`")
        self.position, self.strip = end.end(), end[0].startswith("-")

    def open(self, opening: re.Match[str]) -> Parser:
        """Cut the inside of one pair of braces into tokens and step behind it."""
        self.tokens = tokens_of(self.text, opening.end(), len(self.text))
        closing = self.tokens[-1]
        if closing.at - opening.end() > MAX_EXPRESSION:
            raise fail("too-long", f"an expression has at most {MAX_EXPRESSION} characters", opening.start())
        if (closing.text[-2] == "}") != opening[0].startswith("{{"):
            raise fail("unclosed", f"{opening[0]!r} is closed with {closing.text!r}", closing.at)
        self.position, self.strip = closing.end, closing.text[0] == "-"
        return Parser(self.tokens)

    def output(self, parser: Parser, opening: re.Match[str]) -> Block:
        """`{{ expr }}`."""
        if parser.token.kind == "end":
            raise fail("empty", "there is no expression between the braces", opening.start())
        return nodes.Output(opening.start(), self.position, parser.whole())

    def statement(self, word: Token, depth: int) -> Block:
        """One block that is not a closing word."""
        if word.kind == "name" and word.text == "if":
            return self.condition(word, depth)
        if word.kind == "name" and word.text == "for":
            return self.loop(word, depth)
        if word.text in REFUSED:
            raise fail("refused-block", f"{word.text!r} is no block of a template here", word.at, REFUSED[word.text])
        if word.text in ("elif", "else", "endif", "endfor", "endfilter", "endset", "endmacro"):
            raise fail("unopened", f"{word.text!r} closes nothing that is open", word.at)
        raise fail("unknown-block", f"unknown block {word.text!r}", word.at, "there are `if` and `for`")

    def condition(self, word: Token, depth: int) -> Block:
        """`if` with its branches."""
        branches: list[tuple[nodes.Expr, tuple[Block, ...]]] = []
        other: tuple[Block, ...] = ()
        closing = "if"
        while closing in ("if", "elif"):
            test = Parser(self.tokens, 1).whole()
            body, closing = self.blocks("if", word.at, depth + 1)
            branches.append((test, body))
            if len(branches) > MAX_BRANCHES:
                raise fail(
                    "too-long", f"`if` has at most {MAX_BRANCHES} branches", word.at, "a table under `decisions` scales"
                )
        if closing == "else":
            self.nothing_more()
            other, closing = self.blocks("if", word.at, depth + 1)
            if closing != "endif":
                raise fail("unopened", f"{closing!r} after `else`", self.tokens[0].at)
        self.nothing_more()
        return nodes.If(word.at, self.position, tuple(branches), other)

    def loop(self, word: Token, depth: int) -> Block:
        """`for name in items`."""
        name, filler = self.tokens[1], self.tokens[min(2, len(self.tokens) - 1)]
        if name.kind != "name" or name.text in KEYWORDS or filler.text != "in":
            at = filler if name.kind == "name" else name
            raise fail("bad-loop", "a loop has one variable", at.at, "write {% for x in list %}")
        if name.text == "loop":
            raise fail("bad-loop", "'loop' is taken: it says where a loop stands", name.at, "choose another name")
        parser = Parser(self.tokens, 3)
        if any(token.text == "recursive" for token in self.tokens):
            raise fail("refused-block", "loops do not call themselves", word.at)
        items = parser.whole()
        body, _ = self.blocks("for", word.at, depth + 1)
        self.nothing_more()
        return nodes.For(word.at, self.position, name.text, name.at, items, body)

    def nothing_more(self) -> None:
        """A closing word stands alone in its braces."""
        if self.tokens[1].kind != "end":
            raise fail(
                "unexpected", f"unexpected {self.tokens[1].text!r} after {self.tokens[0].text!r}", self.tokens[1].at
            )
