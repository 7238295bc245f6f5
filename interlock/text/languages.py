"""Which of a spec's languages a locale names, and which a message is written in, by script."""

import re
from collections.abc import Sequence
from functools import lru_cache

_SCRIPTS = {
    "zh": "han", "ja": "kana", "ko": "hangul", "ru": "cyrillic", "uk": "cyrillic", "bg": "cyrillic", "sr": "cyrillic",
    "el": "greek", "ar": "arabic", "fa": "arabic", "ur": "arabic", "he": "hebrew", "th": "thai", "hi": "devanagari",
}  # fmt: skip
_COUNTED = {
    "han": re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"),
    "kana": re.compile("[\u3041-\u30fa\u31f0-\u31ff\uff66-\uff9d]+"),
    "hangul": re.compile("[\u1100-\u11ff\uac00-\ud7a3]+"),
    "cyrillic": re.compile("[\u0400-\u052f]+"),
    "greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]+"),
    "arabic": re.compile("[\u0600-\u06ff\u0750-\u077f]+"),
    "hebrew": re.compile("[\u0590-\u05ff]+"),
    "thai": re.compile("[\u0e00-\u0e7f]+"),
    "devanagari": re.compile("[\u0900-\u097f]+"),
}
_UNSPACED = frozenset({"han", "kana", "hangul", "thai"})
_LATIN = r"[A-Za-z0-9\u00c0-\u024f\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]+"
_LATIN_TOKEN = re.compile(rf"{_LATIN}(?:['’_-]{_LATIN})*")


def named_language(languages: Sequence[str], locale: str | None) -> str | None:
    """The language that a locale names, as `en-GB` does `en`; none if it is not among them."""
    folded = (locale or "").replace("_", "-").lower()
    return next((one for one in languages if folded == one.lower() or folded.startswith(f"{one.lower()}-")), None)


def language_of(text: str, languages: Sequence[str]) -> str:
    """The language of `languages` whose script `text` uses most; the first of them where nothing tells.

    Words count in scripts that have spaces between them, characters in others; a Latin word with a digit in it is an
    identifier and counts for nothing. Languages that share a script are not told apart: the first is taken.
    """
    counts = {script: _count(script, text) for script in map(_script, languages)}
    if counts.get("kana"):
        counts["kana"] += _count("han", text)
    return max(languages, key=lambda language: counts[_script(language)])


def _count(script: str, text: str) -> int:
    if script == "latin":
        return sum(1 for token in _LATIN_TOKEN.findall(text) if token.isalpha() or not any(map(str.isdigit, token)))
    if text.isascii():
        return 0
    runs = _COUNTED[script].findall(text)
    return sum(map(len, runs)) if script in _UNSPACED else len(runs)


@lru_cache(maxsize=256)
def _script(language: str) -> str:
    return _SCRIPTS.get(re.split("[-_]", language.lower(), maxsplit=1)[0], "latin")
