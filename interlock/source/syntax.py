"""The YAML parser's one complaint in plain words, at the place that must be changed."""

import re
from dataclasses import dataclass
from typing import Any

from yaml import MarkedYAMLError, YAMLError

from interlock.diagnostics import Diagnostic, Location
from interlock.source.decode import Text


@dataclass(frozen=True, slots=True)
class Clue:
    """What the parser said, what stands before and after the place, and what that means.

    `where` is the place that counts: the parser's, that of what it was reading (`context`), or the line above. In
    `message`, `{after}` is what stands there, up to the next white space.
    """

    said: str
    message: str
    hint: str
    before: str = ""
    after: str = ""
    where: str = "problem"
    code: str = "yaml-syntax"
    later: bool = False
    """Only if the parser had gone on to a later line."""

    def fits(self, said: str, before: str, after: str) -> bool:
        """Whether this is what happened."""
        return (
            self.said in said
            and (not self.before or re.search(self.before, before) is not None)
            and (not self.after or re.match(self.after, after) is not None)
        )


_NEAR = 400
"""Characters around a place that are looked at: lines may be very long."""

_QUOTE = "quote the whole value"
_FLOW = "did not find expected ',' or"

_CLOSE_COLON = r"\s*(?:- +)*[A-Za-z_]\w*:[^\s/]"

CLUES = (
    Clue("maximum nesting depth", "nested deeper than a spec may be", "flatten it", code="too-deep"),
    Clue("", "a value that begins with {{{{ needs quotes", "quote the whole value: '{{ … }}'",
         before=r"(?:^\s*|: +|- +|[\[{,] *)\{\{[^'\"]*$", code="unquoted-template"),
    Clue("", "a full-width colon separates nothing", "write ': ' with a space after it",
         after=r"\s*(?:- +)*[A-Za-z_]\w*\s*：", where="context", code="full-width-colon"),
    Clue("found undefined tag handle", "YAML tag {after}", f"if it is text, {_QUOTE}", code="yaml-tag"),
    Clue("while scanning a tag", "YAML tag {after}", f"if it is text, {_QUOTE}", where="context", code="yaml-tag"),
    Clue("<document start>", "a second document in one file", "give it a file of its own", code="several-documents"),
    Clue("found unknown escape character", "unknown escape {escape} in double quotes",
         "use single quotes: they know no escapes"),
    Clue("escape code", "invalid escape in double quotes", "use single quotes: they know no escapes"),
    Clue("hexdecimal number", "invalid escape in double quotes", "use single quotes: they know no escapes"),
    Clue("unexpected end of stream", "this quote is never closed", "close it, or use the other kind of quote",
         where="context"),
    Clue("document indicator", "this quote is never closed", "close it, or use the other kind of quote",
         where="context"),
    Clue("mapping values are not allowed", "this text holds ': '", _QUOTE, before=r"^\s*(?:- +)*[^\s:]+:\s+\S"),
    Clue("mapping values are not allowed", "a space is missing after the colon", "write 'key: value'",
         after=_CLOSE_COLON, where="above"),
    Clue("mapping values are not allowed", "a key stands under something that already has a value",
         "indent it as its neighbours, and put a space after every colon"),
    Clue("could not find expected ':'", "a space is missing after the colon", "write 'key: value'",
         after=_CLOSE_COLON, where="context"),
    Clue("could not find expected ':'", "this line is no 'key: value'", "write 'key: value', or indent it as text",
         where="context"),
    Clue("cannot start any token", "tab where YAML expects a space", "indent with spaces", after="\t", code="tab"),
    Clue("tab character", "tab where YAML expects a space", "indent with spaces", code="tab"),
    Clue("cannot start any token", "a text cannot begin with {after}", _QUOTE),
    Clue("alphabetic or numeric", "a text cannot begin with {after}", _QUOTE, where="context"),
    Clue("", "text goes on after the closing quote", _QUOTE, before=r"['\"]\s*$", after=r"\S"),
    Clue(_FLOW, "a range needs quotes", "quote it: '[10..20)'", after=r"[\[(][^,\[\]{}]*\.\.", where="context"),
    Clue(_FLOW, "this {first} is never closed, or a comma is missing after an item", "close it", where="context",
         later=True),
    Clue(_FLOW, "brackets within {{ }} or [ ] need quotes", "a path has dots, as in rows.0.value; quote any other text",
         after=r"\["),
    Clue(_FLOW, "braces within {{ }} or [ ] need quotes", "quote the text", after=r"\{"),
    Clue(_FLOW, "this text holds ': '", "quote the text", after=":"),
    Clue(_FLOW, "{after} closes what another bracket has opened", "'[' is closed by ']', '{' by '}'", after=r"[\]}]"),
    Clue(_FLOW, "a comma is missing before {after}", "write one, or quote the text"),
    Clue("did not find expected key", "text goes on after the closing bracket", _QUOTE, before=r"[\]})]\s*$",
         after=r"\S"),
    Clue("did not find expected key", "this line is indented otherwise than its neighbours", "line the keys up"),
    Clue("comment or line break", "after '>' or '|' a text begins on the next line",
         "quote the whole value, or break the line there", where="context"),
    Clue("block sequence entries", "a list begins on a line of its own", "break the line before '-'"),
    Clue("'-' indicator", "a key stands among the items of a list", "begin the line with '-', or indent it"),
    Clue("node content", "{after} stands where a value is expected", "quote it if it is text"),
)  # fmt: skip


def translated(error: YAMLError, text: Text) -> Diagnostic:
    """What to tell the author of a file that the YAML parser refused."""
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return Diagnostic("yaml-syntax", "the file is not valid YAML", Location(text.file))
    said = f"{error.context or ''} {error.problem or ''}"
    problem: Any = error.problem_mark
    context: Any = error.context_mark or problem
    places = {
        "problem": min(problem.index, len(text.content)),
        "context": min(context.index, len(text.content)),
        "above": text.above(min(problem.index, len(text.content))),
    }
    for clue in CLUES:
        index = places[clue.where]
        line, start = text.line(index)
        before, after = line[: index - start][-_NEAR:], line[index - start :][:_NEAR]
        if clue.fits(said, before, after) and (not clue.later or problem.line > context.line):
            message = clue.message.format(after=_word(after), first=repr(after[:1]), escape=repr(after[:2]))
            return Diagnostic(clue.code, message, text.at(index), hint=clue.hint)
    return Diagnostic("yaml-syntax", f"not valid YAML: {error.problem}", text.at(places["problem"]))


def _word(after: str) -> str:
    words = after.split()
    return repr(words[0][:20]) if words else "the end of the line"
