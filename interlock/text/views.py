"""Normalised views of a message, made character by character, with positions mapped back to the raw text.

Two views look through what people and their keyboards vary. Both are compatibility-decomposed (NFKC's folding of width,
ligatures, circled letters …) and case folded, without white space, control and zero-width characters:

- by `PLAIN`, for keywords and vocabularies;
- by `SCREENING`, for screens: look-alikes folded (see `lookalikes`), and combining marks, punctuation and symbols
  removed as well, so that what is hidden behind them is found. What was removed decides afterwards whether a hit
  counts: `phrases` has the rules.

A character never depends on its neighbours, so a view is one `str.translate`, and offsets are worked out only on a hit.
The identifier view, of equal length with the raw text, is in `patterns`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate, chain, compress, repeat
from typing import TypeVar
from unicodedata import category, combining, is_normalized, normalize

from interlock.text.lookalikes import LOOKALIKES

K = TypeVar("K")
T = TypeVar("T")

REMEMBERED = 50_000
REPLACEMENT = "\ufffd"
ANY_BAR = "\x01"
"""In an exact reading: a look-alike of `l`, `I` or `1` that is none of them."""

_SPACE = re.compile(r"\s")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5")
_VOICED = frozenset("\u3099\u309a")
_MERGED = str.maketrans({"I": "l", "L": "l", "i": "l", "1": "l", ANY_BAR: "l", "0": "o"})
_LATIN = {char: latin for latin, chars in LOOKALIKES.items() for char in chars}
_LATIN |= {chr(first + n): chr(97 + n) for first in (0x1F1E6, 0x1F150, 0x1F170) for n in range(26)}


class Memo(dict[K, T]):
    """What a function gives for a character or its code, worked out when that is first met."""

    def __init__(self, function: Callable[[K], T]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: K) -> T:
        if len(self) >= REMEMBERED:
            self.clear()
        value = self[key] = self._function(key)
        return value


class Fold(Memo[int, str]):
    """A table for `str.translate`; `lengths` says how many characters each becomes."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__(lambda code: fold(chr(code)))
        self.lengths = Memo[int, int](lambda code: len(self[code]))


class View:
    """A normalised text of a message, and where each of its characters stands in the raw text."""

    def __init__(self, raw: str, fold: Fold) -> None:
        self.raw = raw
        self.fold = fold

    @cached_property
    def text(self) -> str:
        """The normalised text."""
        return self.raw.translate(self.fold)

    @cached_property
    def sources(self) -> list[int]:
        """For each character of `text`, the index of the raw character that it comes from."""
        codes = memoryview(self.raw.encode("utf-32-le", "surrogatepass")).cast("I")
        lengths = list(map(self.fold.lengths.__getitem__, codes))
        if max(lengths, default=0) <= 1:
            return list(compress(range(len(lengths)), lengths))
        return list(chain.from_iterable(map(repeat, range(len(lengths)), lengths)))

    def at(self, index: int) -> int:
        """Where the character `index` of `text` stands in the raw text."""
        return self.sources[index]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The slice of the raw text behind `text[start:end]`, with the combining marks that follow it."""
        return self.at(start), after_marks(self.raw, self.at(end - 1))

    def whole(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` begins and ends with whole raw characters."""
        sources = self.sources
        return (start == 0 or sources[start - 1] != sources[start]) and (
            end == len(sources) or sources[end] != sources[end - 1]
        )


class SpacedView(View):
    """A view that lacks nothing of the raw text but white space."""

    def __init__(self, raw: str, fold: Fold) -> None:
        super().__init__(raw, fold)
        self._before = before_spaces(raw)

    def at(self, index: int) -> int:
        """Where the character `index` of `text` stands in the raw text."""
        return index + bisect_right(self._before, index)

    def whole(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` begins and ends with whole raw characters."""
        return 0 <= start < end


def before_spaces(raw: str) -> list[int]:
    """How many other characters stand before each white space."""
    pieces = raw.split()
    lengths = list(accumulate(map(len, pieces)))
    if lengths and len(raw) - lengths[-1] == len(pieces) - 1:  # one between any two pieces, none around
        return lengths[:-1]
    return [space.start() - number for number, space in enumerate(_SPACE.finditer(raw))]


MARK, INVISIBLE, SYMBOL, SPACED = 1, 2, 4, 8
"""Bits of `KINDS`: written onto the character before; takes no place on the screen; punctuation or symbol; letter or
digit of a script that puts spaces between words, so that a word has edges."""


def _kind(char: str) -> int:
    kind = category(char)
    mark = kind in {"Mn", "Me"}
    invisible = char in _FILLERS or kind == "Cf" or (mark and not combining(char))
    folded = normalize("NFKC", char)[:1]
    spaced = folded.isalnum() and (folded < "\u0e00" or "\u1200" <= folded < "\u1780" or "\u1800" <= folded < "\u2e80")
    return mark * MARK | invisible * INVISIBLE | (kind[0] in "PS") * SYMBOL | spaced * SPACED


KINDS = Memo(_kind)
"""The kind of a character."""


def after_marks(raw: str, index: int) -> int:
    """Where `raw` goes on behind the character at `index` and the combining marks that follow it."""
    index += 1
    while index < len(raw) and KINDS[raw[index]] & MARK:
        index += 1
    return index


def is_mark(char: str) -> bool:
    """Whether `char` is written onto the character before it."""
    return bool(KINDS[char] & MARK)


def is_symbol(char: str) -> bool:
    """Whether `char` is punctuation or a symbol."""
    return bool(KINDS[char] & SYMBOL)


def _gone(char: str) -> bool:
    return char.isspace() or category(char) in {"Cf", "Cc", "Zs", "Zl", "Zp"}


def _plain(char: str) -> str:
    if category(char) == "Cs":
        return REPLACEMENT
    if _gone(char):
        return ""
    folded = normalize("NFKD", normalize("NFKD", char).casefold())
    return "".join(part for part in folded if not _gone(part))


def _hidden(char: str) -> bool:
    return _gone(char) or char in _FILLERS or (is_mark(char) and char not in _VOICED) or is_symbol(char)


def _exact_part(part: str) -> str:
    latin = _LATIN.get(part)
    if latin is not None:
        return ANY_BAR if latin in "IiLl1" else latin.casefold().replace("m", "rn")
    if part in {"I", "L"}:
        return part
    if part in {"m", "M"}:
        return "rn"
    return "".join(c for c in normalize("NFKD", part.casefold()) if not _hidden(c))


def _exact(char: str) -> str:
    if category(char) == "Cs":
        return REPLACEMENT
    parts = char if char in _LATIN else normalize("NFKD", char)
    return "".join(_exact_part(part) for part in parts if part in _LATIN or not _hidden(part))


PLAIN = Fold(_plain)
"""For the view in which keywords and vocabularies are looked for."""
EXACT = Fold(_exact)
"""The screening fold before `i`, `l` and `1`, `o` and `0` are taken for one another."""
SCREENING = Fold(lambda char: EXACT[ord(char)].translate(_MERGED))
"""For the view in which screens are looked for."""

_COMMON = re.compile("[!-~\u4e00-\u9fff、。“”‘’…—《》「」【】·～¥]*")
_SIGNS = re.compile("[^0-9a-z\u4e00-\u9fff]+")
_ASCII_SPACES = bytes(code for code in range(128) if chr(code).isspace())
_ASCII_AND_HAN = frozenset([*range(0x21, 0x7F), *range(0x80, 0xC0), *range(0xE3, 0xEA)])
"""Bytes of which UTF-8 makes the visible characters of ASCII, and U+3000 to U+9FFF, where nothing has a case."""
_OTHER = b"\xff"
"""A byte of which UTF-8 makes nothing."""
_LOWER = bytes(code if code in _ASCII_AND_HAN else _OTHER[0] for code in range(256)).lower()


def clauses_folded(raw: str) -> str:
    """`raw` with its commonest full-width characters folded; most Chinese messages have no others."""
    if raw.isascii():
        return raw
    raw = raw.replace("，", ",").replace("！", "!").replace("？", "?").replace("：", ":")
    return raw.replace("；", ";").replace("（", "(").replace("）", ")").replace("　", " ")


def quick_plain(raw: str) -> bytes | None:
    """The text of the plain view, encoded, many times faster, for messages in which only case and white space vary."""
    text = clauses_folded(raw)
    if not is_normalized("NFKD", text):
        return None
    try:
        small = text.encode().translate(_LOWER, _ASCII_SPACES)
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
    if _OTHER not in small:
        return small
    text = "".join(text.split())
    folded = text.casefold()
    return folded.encode() if len(folded) == len(text) and text.isprintable() else None


def quick_screening(raw: str) -> bytes | None:
    """The text of the screening view, encoded, faster, for messages of ASCII, Chinese and common punctuation."""
    text = "".join(clauses_folded(raw).split())
    if not _COMMON.fullmatch(text):
        return None
    text = _SIGNS.sub("", text.lower())
    return text.replace("i", "l").replace("1", "l").replace("0", "o").replace("m", "rn").encode()
