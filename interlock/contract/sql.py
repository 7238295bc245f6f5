"""The SQL statement of a tool: where its `:name` arguments stand, as the compiler checks and activities bind them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

READS: Final = frozenset({"SELECT", "WITH", "VALUES"})
"""How a statement begins that may only read; that it does is seen to by a read-only transaction."""

WRITES: Final = READS | {"INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "CALL"}
"""How the statement of a tool that writes may begin."""

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<line>--[^\n\r]*)
    | (?P<comment>/\*)
    | (?P<text>[eE]'(?:[^'\\]|\\.|'')*+' | '(?:[^']|'')*+')
    | (?P<quoted>"(?:[^"]|"")*+" | `[^`]*`)
    | (?P<open>[eE]?['"`])
    | (?P<dollar>\$(?:[^\W\d]\w*)?\$)
    | (?P<foreign>\$\w* | \?\d+)
    | (?P<argument>:[^\W\d]\w*)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<number>\d[\w.]*)
    | (?P<end>;)
    | (?P<sign>:: | .)
    """,
    re.VERBOSE | re.DOTALL,
)
_NESTED = re.compile(r"/\*|\*/")


class SqlError(ValueError):
    """What is wrong with a statement: a code, where it is, and what to do."""

    def __init__(self, code: str, message: str, offset: int, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.offset = offset
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement taken apart: `pieces` are the texts around its arguments, one more than `names` and `offsets`."""

    first: str
    pieces: tuple[str, ...]
    names: tuple[str, ...]
    offsets: tuple[int, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names, each once, in the order of their numbers."""
        return tuple(dict.fromkeys(self.names))

    def numbered(self, sign: str) -> str:
        """The text that a database gets: `$1` or `?1` by `sign`, one number for all uses of a name."""
        numbers = {name: f"{sign}{number}" for number, name in enumerate(self.arguments, 1)}
        return self.pieces[0] + "".join(
            numbers[name] + piece for name, piece in zip(self.names, self.pieces[1:], strict=True)
        )


def read(text: str) -> Statement:
    """The statement in `text`, without a `;` at its end; raises SqlError."""
    first, ended, start = "", -1, 0
    pieces: list[str] = []
    names: list[str] = []
    offsets: list[int] = []
    for kind, offset, end in _tokens(text):
        if ended >= 0:
            hint = "one tool, one statement; several that belong together are a function of the database"
            raise SqlError("several-statements", "a second statement stands here", offset, hint)
        if kind == "end":
            ended = offset
        elif kind == "argument":
            pieces.append(text[start:offset])
            names.append(text[offset + 1 : end])
            offsets.append(offset)
            start = end
        elif not first and text[offset:end] != "(":
            first = text[offset:end].upper()
    if not first:
        raise SqlError("bad-sql", "there is no statement", 0)
    return Statement(first, (*pieces, text[start : ended if ended >= 0 else None]), tuple(names), tuple(offsets))


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, begin and end of whatever is neither white space nor comment."""
    _check_templates(text)
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None, "`sign` takes every character"
        kind, end = str(match.lastgroup), match.end()
        if kind == "comment":
            at = _after_comment(text, at)
            continue
        if kind == "dollar":
            end = text.find(match[0], end) + len(match[0])
            if end < match.end() + len(match[0]):
                raise SqlError("bad-sql", f"a text that begins with {match[0]} does not end", at)
        elif kind == "foreign":
            raise SqlError("bad-sql", f"{match[0]!r} is no argument here", at, "an argument is written :name")
        elif kind == "line" and "\n" not in text.strip():
            hint = "keep the lines with `sql: |`, where YAML has folded them into one, or write /* … */"
            raise SqlError("bad-sql", "a comment takes all that follows it", at, hint)
        elif kind == "open":
            raise SqlError("bad-sql", f"a {match[0][-1]} is not closed", end - 1)
        elif match[0] == "\0":
            raise SqlError("bad-sql", "a NUL character stands in the statement", at)
        if kind not in ("space", "line"):
            yield kind, at, end
        at = end


def _check_templates(text: str) -> None:
    at = min((found for sign in ("{{", "{%") if (found := text.find(sign)) >= 0), default=-1)
    if at >= 0:
        hint = "write :name and declare the argument under `input`; a value is bound, never put into the text"
        raise SqlError("sql-template", "a template cannot stand in a statement", at, hint)


def _after_comment(text: str, at: int) -> int:
    found = _NESTED.search(text, at + 2)
    if found is None:
        raise SqlError("bad-sql", "a comment is not closed", at)
    if found[0] == "/*":
        raise SqlError("bad-sql", "a comment stands in a comment", found.start(), "databases differ on where it ends")
    return found.end()
