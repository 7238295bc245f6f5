"""Many phrases found at once in a message, by one automaton over a normalised view; hits are checked in the raw text.

A phrase that begins or ends with a letter or digit of a script with spaced words must begin or end at a word edge of
the raw text there. White space inside a phrase is ignored. Of the candidates that pass, the leftmost and longest win.

In mode `screen` these disguises are looked through, alone or together: white space, zero-width characters, width, case,
combining marks, look-alikes (`0` for `o`, `rn` for `m`, `1` or `I` or `|` for `l`, other scripts), and punctuation or
symbols inside. Punctuation counts as a disguise

- between two letters of spaced scripts when no white space stands with it (`Flex-port`, `a.c.m.e`), but not between
  digits (`1,688`);
- between other letters when it is not what ends or encloses a clause (`飞·协博`, but not `发往中国，平安到达`);
- and whatever it is when every letter is set apart, of three at least (`飞，协，博`, `F, l, e, x`).

Not looked through: one Chinese script for the other, letters left out, doubled or swapped, pinyin, translation.
The price of ignoring white space is that words which happen to spell an alias hit: `a on` is `Aon`.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from interlock.text.hits import Hit, leftmost_longest, named
from interlock.text.views import (
    ANY_BAR,
    EXACT,
    INVISIBLE,
    KINDS,
    MARK,
    PLAIN,
    SCREENING,
    SPACED,
    Fold,
    SpacedView,
    View,
    after_marks,
    before_spaces,
    is_symbol,
    quick_plain,
    quick_screening,
)

FOUND_AT_MOST = 200
LOOKED_AT_MOST = 1_000
"""Places of one message where the letters of a phrase stand that are looked at closely: behind them nothing is found,
but for screens, to which whoever writes a name so often has written it.
"""
SIGNS_WITHIN = 20
"""How far from its letters the punctuation that a phrase begins or ends with may stand."""

Mode: TypeAlias = Literal["screen", "plain"]

_CLAUSE = frozenset('，。！？；：、,!?;:…"“”‘’「」『』《》〈〉()（）[]【】{}\u3000')
_BARS = dict.fromkeys(map(ord, "|｜∣¦│┃ǀ⏽￨׀"), "l")
_ANY_OF_BARS = frozenset(map(chr, _BARS))
_READS_AS = {"I": "Iil1", "i": "Ii", "l": "lI1", "L": "l", "1": "1Iil", ANY_BAR: "Iil1", "0": "0o", "o": "o0"}


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase, and for screens its letters as written, its own punctuation inside, before and behind."""

    written: str
    tag: Hashable
    letters: str = ""
    parted: frozenset[int] = frozenset()
    lead: str = ""
    trail: str = ""


def phrase_problem(phrase: str, mode: Mode = "plain") -> tuple[str, str] | None:
    """Why `phrase` can never be found, as message and hint; none if it can."""
    if phrase.translate(_fold(mode)):
        return None
    if not phrase.translate(PLAIN):
        return f"the phrase {phrase!r} has no visible character", "write the word itself, or take the entry out"
    return f"the phrase {phrase!r} has no letter and no digit", "a screen ignores punctuation: name words, not signs"


class Phrases:
    """Phrases with tags, ready to be looked for; a phrase may have several tags and then gives a hit for each.

    Raises ValueError for a phrase that `phrase_problem` refuses. `Hit.value` is the phrase as it was written.
    """

    def __init__(self, phrases: Iterable[tuple[str, Hashable]], mode: Mode = "plain") -> None:
        self._mode = mode
        self._view_fold = _fold(mode)
        by_key: dict[str, list[_Phrase]] = {}
        for written, tag in phrases:
            if problem := phrase_problem(written, mode):
                raise ValueError(problem[0])
            entry = _for_screen(written, tag) if mode == "screen" else _Phrase(written, tag)
            by_key.setdefault(written.translate(self._view_fold), []).append(entry)
        self._entries = list(by_key.values())
        self._few = FOUND_AT_MOST // max(map(len, self._entries), default=1)
        """Places that cannot give any tag more than FOUND_AT_MOST hits."""
        self._lengths = list(map(len, by_key))
        keys = [key.encode() for key in by_key]
        self._automaton = BytesAhoCorasick(keys, matchkind=MatchKind.Standard)

    def scan(self, raw: str) -> list[Hit]:
        """Hits in `raw`, in order: the leftmost and longest, none overlapping but those of one span; of each tag the
        first FOUND_AT_MOST.
        """
        hits = self._hits(raw, True)
        return leftmost_longest(hits) if len(hits) > 1 else hits

    def every(self, raw: str) -> list[Hit]:
        """Hits in `raw` that stand inside longer ones too, for callers whose tags do not compete; of each tag the
        first FOUND_AT_MOST.
        """
        return self._hits(raw, False)

    def _hits(self, raw: str, leftmost: bool) -> list[Hit]:
        if not self._entries:
            return []
        hits = self._checked(raw, raw, leftmost)
        if self._mode == "screen" and not _ANY_OF_BARS.isdisjoint(raw):
            hits += self._checked(raw, raw.translate(_BARS), leftmost)
        return hits

    def _checked(self, raw: str, text: str, leftmost: bool) -> list[Hit]:
        """The hits in `text`, which is `raw` or `raw` with its bars read as letters."""
        quick = quick_screening(text) if self._mode == "screen" else quick_plain(text)
        folded = text.translate(self._view_fold).encode() if quick is None else quick
        matches = self._automaton.find_matches_as_indexes(folded, overlapping=True)
        if not matches:
            return []
        found = self._in_characters(folded, matches)
        if leftmost:
            found.sort(key=lambda one: (one[1], -one[2]))
        is_spaced = quick is not None and self._mode == "plain"
        if is_spaced and len(found) <= self._few:
            return self._spaced(raw, found, leftmost)
        view = SpacedView(text, self._view_fold) if is_spaced else View(text, self._view_fold)
        return list(self._standing(raw, view, found, leftmost))

    def _in_characters(self, folded: bytes, matches: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Matches, in order of their ends, with their places in characters instead of bytes."""
        found: list[tuple[int, int, int]] = []
        seen = end = 0
        for index, _, behind in matches:
            end += len(folded[seen:behind].decode())
            found.append((index, end - self._lengths[index], end))
            seen = behind
        return found

    def _spaced(self, raw: str, found: list[tuple[int, int, int]], leftmost: bool) -> list[Hit]:
        """What `_standing` gives in a text that lacks only white space, for so few places that no bound is met."""
        before = before_spaces(raw)
        hits: list[Hit] = []
        taken = (0, 0)
        for index, start, end in found:
            if leftmost and start < taken[1] and (start, end) != taken:
                continue
            first, last = start + bisect_right(before, start), end - 1 + bisect_right(before, end - 1)
            if _at_edges(raw, first, last):
                taken = (start, end)
                behind = after_marks(raw, last)
                said = raw[first:behind]
                hits += [named(Hit, (one.tag, first, behind, said, one.written)) for one in self._entries[index]]
        return hits

    def _standing(self, raw: str, view: View, found: list[tuple[int, int, int]], leftmost: bool) -> Iterator[Hit]:
        """The hits among what was found that stand in the raw text as a phrase does."""
        counts: dict[Hashable, int] = {}
        full: set[Hashable] = set()
        taken = (0, 0)
        looked_at = 0
        for index, start, end in found:
            if leftmost and start < taken[1] and (start, end) != taken:
                continue
            if full and all(phrase.tag in full for phrase in self._entries[index]):
                continue
            looked_at += 1
            is_flood = looked_at > LOOKED_AT_MOST
            if is_flood and self._mode == "plain":
                return
            first, last = view.at(start), view.at(end - 1)
            if not is_flood and not (view.whole(start, end) and _at_edges(raw, first, last)):
                continue
            whole = first, after_marks(raw, last)
            for phrase in self._entries[index]:
                if span := whole if is_flood else self._span(view, start, end, phrase, whole):
                    yield Hit(phrase.tag, *span, raw[slice(*span)], phrase.written)
                    taken = (start, end)
                    counts[phrase.tag] = counts.get(phrase.tag, 0) + 1
                    if counts[phrase.tag] == FOUND_AT_MOST:
                        full.add(phrase.tag)

    def _span(self, view: View, start: int, end: int, phrase: _Phrase, span: tuple[int, int]) -> tuple[int, int] | None:
        """The slice of the raw text that says the phrase; `span` is all that is behind `view.text[start:end]`."""
        if self._mode == "plain" or _is_disguise(view, start, end, phrase):
            return _with_own_signs(view.raw, *span, phrase) if phrase.lead or phrase.trail else span
        return None


def _fold(mode: Mode) -> Fold:
    return SCREENING if mode == "screen" else PLAIN


def _for_screen(written: str, tag: Hashable) -> _Phrase:
    view = View(written, EXACT)
    inside = [n for n, gap in enumerate(_gaps(view, 0, len(view.text))) if any(map(is_symbol, gap))]
    first, last = view.raw_span(0, len(view.text))
    return _Phrase(
        written,
        tag,
        view.text.replace("L", "l"),
        frozenset(inside),
        written[:first].translate(PLAIN),
        written[last:].translate(PLAIN),
    )


def _gaps(view: View, start: int, end: int) -> list[str]:
    """What stands in the raw text behind each character of the view but the last."""
    sources = view.sources[start:end]
    return [view.raw[left + 1 : right] for left, right in pairwise(sources)]


def _at_edges(raw: str, first: int, last: int) -> bool:
    """Whether `raw[first : last + 1]` begins and ends at word edges, where its script has any."""
    return not _goes_on(raw, first, -1, INVISIBLE) and not _goes_on(raw, last, 1, INVISIBLE | MARK)


def _goes_on(raw: str, inside: int, step: int, unseen: int) -> bool:
    """Whether the word or number that `raw[inside]` belongs to goes on that way, behind what is `unseen`."""
    if not KINDS[raw[inside]] & SPACED:
        return False
    outside = inside + step
    while 0 <= outside < len(raw):
        char = raw[outside]
        kind = KINDS[char]
        if kind & unseen:
            outside += step
        elif char in ".,":
            at = max(0, outside + step)
            return raw[inside].isdecimal() and raw[at : at + 1].isdecimal()
        else:
            return bool(kind & SPACED)
    return False


def _is_disguise(view: View, start: int, end: int, phrase: _Phrase) -> bool:
    """Whether the raw text behind `view.text[start:end]` is the phrase in one of the disguises looked through."""
    first, last = view.raw_span(start, end)
    raw = view.raw[first:last]
    return raw == phrase.written or (_reads_as(raw, phrase.letters) and _is_joined(view, start, end, phrase.parted))


def _reads_as(raw: str, letters: str) -> bool:
    shown = raw.translate(EXACT)
    if shown.isdecimal() and not letters.isdecimal():
        return False
    in_capitals = any(map(str.isupper, raw))
    return all(
        want == got or want in _READS_AS.get(got, got) or (got == "l" and want == "i" and in_capitals)
        for got, want in zip(shown, letters, strict=True)
    )


def _is_joined(view: View, start: int, end: int, parted: frozenset[int]) -> bool:
    """Whether what parts the letters may be ignored; where the phrase itself has punctuation, anything may."""
    gaps = _gaps(view, start, end)
    if all(n in parted or _is_tight(view, start + n, gap) for n, gap in enumerate(gaps)):
        return True
    sources = view.sources[start:end]
    apart = [gap for n, gap in enumerate(gaps) if sources[n] != sources[n + 1]]
    return len(apart) >= 2 and all(any(char.isspace() or is_symbol(char) for char in gap) for gap in apart)


def _is_tight(view: View, index: int, gap: str) -> bool:
    signs = [char for char in gap if is_symbol(char)]
    if not signs:
        return True
    if any(map(str.isspace, gap)):
        return False
    left, right = view.raw[view.sources[index]], view.raw[view.sources[index + 1]]
    if left.isdecimal() and right.isdecimal():
        return False
    return bool(KINDS[left] & KINDS[right] & SPACED) or _CLAUSE.isdisjoint(signs)


def _with_own_signs(raw: str, start: int, end: int, phrase: _Phrase) -> tuple[int, int] | None:
    """The span widened by the punctuation that the phrase itself begins and ends with; none where it is missing."""
    first, last = start, end
    while raw[first:start].translate(PLAIN) != phrase.lead:
        first -= 1
        if first < max(0, start - SIGNS_WITHIN):
            return None
    while raw[end:last].translate(PLAIN) != phrase.trail:
        last += 1
        if last > min(len(raw), end + SIGNS_WITHIN):
            return None
    return first, last
