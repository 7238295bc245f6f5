"""Many RE2 patterns looked for at once in a message, on a view of equal length: width folded, ASCII letters raised.

A pattern said to be of exact case sees the letters as they were written; any other matches whatever their case. Values
are taken from that view, so what is found is verbatim but for width and case. RE2 runs in linear time; how large a
pattern may be is bounded here as well, because its cost for each character of a message grows with its size.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import re2

from interlock.text.hits import Hit, longest_first, named
from interlock.text.views import INVISIBLE, KINDS, SYMBOL, clauses_folded

FOUND_AT_MOST = 200
"""Matches of one pattern in one message; what comes after them is not looked at."""
LARGEST_PROGRAM = 1_000
LARGEST_REPETITION = 100
LARGEST_SET = 20_000
"""Steps of all patterns of one set: a tenth of what RE2's memory holds, for a set that outgrows it finds nothing."""

_WIDE = {0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)} | {0x3000: " "}
_ANY_WIDE = "[\u3000\uff02-\uff07\uff0a\uff0b\uff0d-\uff19\uff1c-\uff1e\uff20-\uff5e]"
"""Full-width characters but for those of clauses, which `clauses_folded` folds where that makes a difference."""
_NO_CLAUSES = re.compile(
    r"(?:[^,!:;()?\\\[\]{}]|\\[bBdDwWsS.\-/+*|^$]|\{\d+(?:,\d*)?\}|\(\?:|\(\?i\)|[()?]"
    r"|\[\^?(?:[A-Za-z]-[A-Za-z]|\d-\d|[A-Za-z0-9_])+-?\])*"
)
"""Patterns to which the punctuation of clauses is the same whether full-width or not."""
_COUNT = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_TRIED = ("", "a", "A1", " ", "-", "a1 -", "查", "查a 1", "\n")
"""Texts in which a pattern is looked for that asks what stands beside it; for any other the empty text is enough."""
_BESIDE = re.compile(r"[\^$]|\\[bBAzZ]")

_REASONS = (
    ("(?=", "look-ahead is not supported", "end with \\b, or name what surrounds the value in `labels`"),
    ("(?!", "negative look-ahead is not supported", "end with \\b, or list the characters that may follow"),
    ("(?<=", "look-behind is not supported", "begin with \\b, or name what stands before the value in `labels`"),
    ("(?<!", "negative look-behind is not supported", "begin with \\b"),
    ("(?>", "atomic groups are not supported", "write (?:…): RE2 never backtracks"),
    ("(?(", "conditional groups are not supported", "write the two cases as two patterns"),
    ("(?#", "comments in a pattern are not supported", "write a YAML comment beside the pattern"),
    ("(?R", "recursion is not supported", "write the levels out"),
    ("(?P", "a reference to a named group is not supported", "repeat the group itself"),
    ("(?", "this kind of group is not supported", "groups are (…), (?:…), (?P<name>…) and flags such as (?i)"),
    ("\\Z", "\\Z is not supported", "write \\z or $"),
    ("\\u", "\\u is not supported", "write the character itself, or \\x{4E00}"),
    ("\\h", "\\h is not supported", "write [ \\t]"),
    ("\\K", "\\K is not supported", "match the value alone"),
)  # fmt: skip


def pattern_problem(pattern: str) -> tuple[str, str] | None:
    """Why `pattern` is refused, as message and hint; none if it may be used."""
    for count in _COUNT.finditer(pattern):
        if max(int(n) for n in count.groups() if n) > LARGEST_REPETITION:
            hint = f"repeat at most {LARGEST_REPETITION} times, or without a bound by + or *"
            return f"the repetition {count[0]} is too large", hint
    try:
        compiled = re2.compile(pattern.encode(), _options())
    except UnicodeEncodeError:
        return "the pattern holds half of a surrogate pair", "write the character itself"
    except re2.error as error:
        return _reason(error)
    if compiled.programsize > LARGEST_PROGRAM:
        hint = "repeat less, or write several patterns"
        return f"the pattern is too large: {compiled.programsize} steps, {LARGEST_PROGRAM} are allowed", hint
    tried = _TRIED if _BESIDE.search(pattern) else ("",)
    if any(match.start() == match.end() for text in tried for match in compiled.finditer(text.encode())):
        return "the pattern matches an empty text", "let it match at least one character: + instead of *"
    return None


def _reason(error: Exception) -> tuple[str, str]:
    said = error.args[0]
    text = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    part = text.rpartition(": ")[2]
    for start, message, hint in _REASONS:
        if part.startswith(start):
            return f"{message}: {part}", hint
    if re.match(r"\\[1-9]", part):
        return f"back-references are not supported: {part}", "compare two values in a condition instead"
    if re.fullmatch(r"[*+?}]\+|\{.*\}\+", part):
        return f"possessive repetition is not supported: {part}", "take the second + away: RE2 never backtracks"
    return text, "patterns are RE2's: see its syntax page"


def _options(exact: bool = True) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = exact
    options.never_capture = True
    return options


def _compiled(pattern: str, exact: bool) -> Any:
    return re2.compile(pattern.encode(), _options(exact))


class Patterns:
    """Patterns with tags, ready to be looked for, given as (pattern, tag, exact case).

    Raises ValueError for a pattern that `pattern_problem` refuses. `Hit.value` is the match, width folded and, unless
    exact, ASCII letters raised.
    """

    def __init__(self, patterns: Iterable[tuple[str, Hashable, bool]]) -> None:
        given = list(patterns)
        for pattern, _, _ in given:
            if problem := pattern_problem(pattern):
                raise ValueError(f"{problem[0]} ({pattern!r})")
        self._tags = [tag for _, tag, _ in given]
        self._no_clauses = all(_NO_CLAUSES.fullmatch(pattern) for pattern, _, _ in given)
        self._sets: list[_Set] = []
        for exact in (False, True):
            compiled = [(n, _compiled(one[0], exact)) for n, one in enumerate(given) if one[2] == exact]
            self._sets += [_Set(some, exact) for some in _portions(compiled)]
        self._asked = [(one.matching, one) for one in self._sets]

    def find(self, raw: str) -> list[Hit]:
        """Hits in `raw`, in order: of those that overlap the longest, then that of the pattern named first.

        Different tags with one span are all reported; which one is meant is for labels to say.
        """
        hits = self.every(raw)
        return longest_first(hits) if len(hits) > 1 else hits

    def every(self, raw: str) -> list[Hit]:
        """All matches in `raw` by pattern as given, overlapping ones too, for callers whose tags do not compete."""
        text = raw if self._no_clauses else clauses_folded(raw)
        try:
            data = text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            data = text.encode("utf-8", "replace")
        spans: list[tuple[int, int, int, str]] = []
        for matching, patterns in self._asked:
            members = matching(data)
            if members:
                spans += patterns.spans(text, data, members)
        return self._hits(raw, spans) if spans else []

    def whole(self, raw: str) -> list[Hit]:
        """Hits of patterns that match all of `raw` but the white space and punctuation around it."""
        start, end = _trimmed(raw)
        spans = [found for patterns in self._sets for found in patterns.whole(raw, start, end)]
        return longest_first(self._hits(raw, spans))

    def _hits(self, raw: str, spans: list[tuple[int, int, int, str]]) -> list[Hit]:
        spans.sort()
        return [named(Hit, (self._tags[n], start, end, raw[start:end], value)) for n, start, end, value in spans]


def _portions(compiled: list[tuple[int, Any]]) -> Iterator[list[tuple[int, Any]]]:
    """The patterns in parts that one set has room for."""
    portion: list[tuple[int, Any]] = []
    size = 0
    for number, pattern in compiled:
        if size + pattern.programsize > LARGEST_SET and portion:
            yield portion
            portion, size = [], 0
        portion.append((number, pattern))
        size += pattern.programsize
    if portion:
        yield portion


def _first_of(pattern: Any) -> Callable[[bytes, int, int], list[tuple[int, int]]]:
    """What gives the span of the first match from one place to another, a negative one where there is none."""
    inner, anchors = getattr(pattern, "_regexp", None), getattr(re2, "_Anchor", None)
    if inner is None or anchors is None:
        return lambda data, start, end: [found.span() if (found := pattern.search(data, start, end)) else (-1, -1)]
    return partial(inner.Match, anchors.UNANCHORED)  # what `search` asks itself: it makes an object of each answer


class _Set:
    """Patterns of one case rule: a set that says which of them match, and each of them for the spans.

    One more member of the set matches when there is width to fold.
    """

    def __init__(self, patterns: list[tuple[int, Any]], exact: bool) -> None:
        self._patterns = patterns
        self._numbers = [number for number, _ in patterns]
        self._first_of = [_first_of(compiled) for _, compiled in patterns]
        self._exact = exact
        any_of = re2.Set.SearchSet(_options(exact))
        for _, compiled in patterns:
            any_of.Add(compiled.pattern)
        self._wide = any_of.Add(_ANY_WIDE.encode())
        any_of.Compile()
        # what `any_of` asks itself, where it is there: its own Match only tells text from bytes first
        self.matching: Callable[[bytes], list[int] | None] = getattr(any_of, "_set", any_of).Match
        """Which members match, `_wide` among them."""

    def spans(self, text: str, data: bytes, matching: list[int]) -> list[tuple[int, int, int, str]]:
        """(number of the pattern, start, end, value) of all matches; `matching` is what `self.matching(data)` gave."""
        if self._wide in matching:
            data = text.translate(_WIDE).encode("utf-8", "replace")
            matching = self.matching(data) or []
        found: list[tuple[int, int, int, str]] = []
        size = len(data)
        for member in matching:
            number, first_of = self._numbers[member], self._first_of[member]
            end = behind = at = 0
            for _ in range(FOUND_AT_MOST):
                first, last = first_of(data, at, size)[0]
                if first < 0:
                    break
                value = self._value(data[first:last])
                start = end + len(data[behind:first].decode())
                end, behind = start + len(value), last
                if value:
                    found.append((number, start, end, value))
                at = last if last > at else at + 1
                if at > size:
                    break
        return found

    def _value(self, data: bytes) -> str:
        value = (data if self._exact else data.upper()).decode()
        return value if value.isascii() else value.translate(_WIDE)

    def whole(self, text: str, start: int, end: int) -> list[tuple[int, int, int, str]]:
        """(number of the pattern, start, end, value) of the patterns that match all of `text[start:end]`."""
        data = text[start:end].translate(_WIDE).encode("utf-8", "replace")
        if not data:
            return []
        return [(n, start, end, self._value(data)) for n, pattern in self._patterns if pattern.fullmatch(data)]


def width_folded(raw: str) -> str:
    """`raw` with full-width characters folded to ASCII and halves of surrogate pairs replaced; of equal length."""
    return raw.translate(_WIDE).encode("utf-8", "replace").decode()


def _trimmed(raw: str) -> tuple[int, int]:
    start, end = 0, len(raw)
    while start < end and _is_around(raw[start]):
        start += 1
    while end > start and _is_around(raw[end - 1]):
        end -= 1
    return start, end


def _is_around(char: str) -> bool:
    return char.isspace() or bool(KINDS[char] & (SYMBOL | INVISIBLE))


def normalised(value: str, rules: Sequence[str]) -> str:
    """`value` after a slot's `normalise` rules, in their order."""
    for rule in rules:
        value = _RULES[rule](value)
    return value


_RULES = {
    "upper": str.upper,
    "lower": str.lower,
    "no_spaces": lambda value: "".join(value.split()),
    "no_dashes": lambda value: re.sub(r"[-\u2010-\u2015\u2212\uff0d]", "", value),
    "half_width": width_folded,
}
