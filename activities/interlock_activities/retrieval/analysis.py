"""From text to terms, alike for documents and questions: folded words, parts of identifiers, pairs of characters.

A text is folded as messages are (`interlock.text.views`): width, case, ligatures and invisible characters make no
difference, nor do accents. What is left between white space and punctuation gives terms:

- a word of a script that puts spaces between words: itself, without the `s` of an English plural;
- signs inside a word, as in `PO-2024/17`, `2^53` or `a.b@c.example`: the whole, and each part;
- a run of Chinese, Japanese, Korean or Thai characters: every pair of neighbours, and every character alone.
"""

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import category, normalize

from interlock.text.views import PLAIN, Fold
from interlock_activities.retrieval import stop_words

VERSION: Final = 1
"""Goes up whenever the terms of some text change: an index of another version is built anew."""

MOST_ASKED: Final = 64
"""Terms of one question; a longer one is cut: its beginning says what it is about."""

LONGEST: Final = 64
"""Characters of a term; of a longer word only its beginning counts."""

_JOINING = "-_./:^@#+"
"""Signs that hold a word together when they stand between two characters of it."""

_BREAKS = frozenset({"Cc", "Zs", "Zl", "Zp", "Cs", "Co", "Cn"})
_ACCENTS = frozenset(map(chr, range(0x300, 0x370)))
_UNSPACED = "\u0e00-\u11ff\u1780-\u17ff\u2e80-\U0010ffff"
"""Scripts without spaces between words; Korean has some, but words change at their ends."""

_RUN = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_PARTS = re.compile(f"[^{re.escape(_JOINING)}]+")
_HAS_JOINED = re.compile(f"[{re.escape(_JOINING)}]")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PLURAL = re.compile(r"[a-z]{2,}(?:(?<![ae])ies|(?<![ious])s)")


def _folded(char: str) -> str:
    if category(char) in _BREAKS or char.isspace():
        return " "
    return "".join(map(_kept, PLAIN[ord(char)]))


def _kept(part: str) -> str:
    if part in _ACCENTS:
        return ""
    return part if part in _JOINING or category(part)[0] not in "PS" else " "


_SEARCHED = Fold(_folded)


def terms(text: str) -> Iterator[str]:
    """The terms of a text, in order, as often as they stand there."""
    for chunk in normalize("NFC", text.translate(_SEARCHED)).split():
        if chunk.isascii() and chunk.isalnum():
            yield _singular(chunk)
        elif _IS_UNSPACED.search(chunk):
            for run in _RUN.findall(chunk):
                yield from _unspaced(run) if _IS_UNSPACED.match(run) else _word(run)
        else:
            yield from _word(chunk)


def asked(question: str) -> list[str]:
    """The terms that a question is searched by, each once: no stop words; single ones where they stand alone.

    Empty where it asks for nothing in particular.
    """
    found: dict[str, None] = {}
    for term in terms(question):
        if len(term) == 1 and _IS_UNSPACED.match(term):
            found.setdefault(term)
        elif term not in stop_words.ENGLISH and not _says_nothing(term):
            found[term] = None
    in_pairs = {char for term in terms(question) if len(term) == 2 and _IS_UNSPACED.match(term) for char in term}
    alone = [term for term in found if term not in in_pairs and term not in stop_words.WEAK | stop_words.NEVER_CONTENT]
    return alone[:MOST_ASKED]


def _says_nothing(term: str) -> bool:
    if len(term) != 2 or not _IS_UNSPACED.match(term):
        return False
    return term in stop_words.PAIRS or not stop_words.NEVER_CONTENT.isdisjoint(term) or stop_words.WEAK.issuperset(term)


def _word(chunk: str) -> Iterator[str]:
    whole = chunk.strip(_JOINING)
    if not _HAS_JOINED.search(whole):
        if whole:
            yield _singular(whole)
        return
    yield whole[:LONGEST]
    for part in _PARTS.findall(whole):
        yield _singular(part)


def _unspaced(run: str) -> Iterator[str]:
    yield from run
    for index in range(len(run) - 1):
        yield run[index : index + 2]


def _singular(word: str) -> str:
    """`boxes` and `box` stay apart, `forms` and `form`, `policies` and `policy` do not."""
    if len(word) > 3 and word[-1] == "s" and _PLURAL.fullmatch(word):
        word = f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    return word[:LONGEST]
