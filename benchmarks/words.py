"""What a message says: many phrases and many identifier patterns looked for in 200 characters."""

import random
import re
from collections.abc import Iterator
from functools import partial

from benchmarks.measuring import SEED, Effort, cpu_seconds, installed
from benchmarks.table import Row
from interlock.text.patterns import Patterns
from interlock.text.phrases import Phrases

HAN = "货物运输海关仓库提单空海铁路拼箱整柜报检查验放行延误破损签收派送港口码头船期航班订舱费用账单保险理赔"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MESSAGE = (
    "您好，我上个月在宁波下的一票订单，柜子是四十尺高柜，走的美西快船，到现在系统里还没有更新状态。"
    "The booking was confirmed by your colleague on Monday, but the portal still shows the old schedule; "
    "麻烦帮忙看一下{}，如果方便的话，也请告诉我大概什么时候可以到港，"
)
QUIET = "谢谢"
IDENTIFIER = "单号是QAE12345678"


def rows(effort: Effort) -> Iterator[Row]:
    """Phrases in two sizes, patterns with and without a hit."""
    for size, figure, peer in ((1_000, 20e-6, ("pyahocorasick", 25e-6)), (100_000, 30e-6, ("pyahocorasick", 112e-6))):
        phrases = vocabulary(size)
        message = as_long_as_200(MESSAGE.format(phrases[size // 2]))
        times = _phrases(phrases, message, effort)
        yield Row(f"{size:,} phrases in 200 characters, one hit", times.pop("ours"), figure, times, peer=peer)
    for label, said, found, figure in (
        ("one hit", IDENTIFIER, [IDENTIFIER[3:]], 20e-6),
        ("none present", QUIET, [], 2e-6),
    ):
        times = _patterns(identifier_patterns(50), as_long_as_200(MESSAGE.format(said)), found, effort)
        work = f"50 identifier patterns in 200 characters, {label}"
        yield Row(work, times.pop("ours"), figure, times, peer=("re", 225e-6))


def vocabulary(size: int) -> list[str]:
    """Distinct phrases, half of them Chinese, half Latin of two words."""
    drawn = random.Random(SEED)
    found: dict[str, None] = {}
    while len(found) < size:
        han = "".join(drawn.choices(HAN, k=drawn.randint(4, 6)))
        latin = " ".join("".join(drawn.choices(LETTERS, k=drawn.randint(4, 8))) for _ in range(2))
        found |= {han: None, latin: None}
    return list(found)[:size]


def as_long_as_200(text: str) -> str:
    """The text at a length of 200 characters."""
    return (text + "这票货比较急。" * 30)[:200]


def identifier_patterns(number: int) -> list[str]:
    """Patterns as identifiers have them: a prefix, then digits or letters, at word edges."""
    kinds = (r"\bQA{0}\d{{8}}\b", r"\bX{0}-\d{{6,10}}\b", r"\b{0}ZU\d{{7}}\b", r"\b(?:S\d{{2}}{0}|55{0})\d{{6,7}}\b")
    return [kinds[n % 4].format(LETTERS[n % 26].upper()) for n in range(number)]


def _phrases(phrases, message, effort):
    ours = Phrases([(phrase, number) for number, phrase in enumerate(phrases)])
    folded = [phrase.lower() for phrase in phrases]

    def by_loop():
        text = message.lower()
        return [n for n, phrase in enumerate(folded) if phrase in text]

    contenders = {"ours": lambda: [hit.tag for hit in ours.scan(message)], "`in` loop": by_loop}
    contenders |= dict(installed({"pyahocorasick": ("ahocorasick", partial(_pyahocorasick, folded, message))}))
    for name, call in contenders.items():
        assert call() == [len(phrases) // 2], name
    return cpu_seconds(contenders, effort)


def _pyahocorasick(folded, message, module):
    automaton = module.Automaton()
    for number, phrase in enumerate(folded):
        automaton.add_word(phrase, number)
    automaton.make_automaton()
    return lambda: [number for _, number in automaton.iter_long(message.lower())]


def _patterns(patterns, message, found, effort):
    ours = Patterns([(pattern, number, False) for number, pattern in enumerate(patterns)])
    compiled = [re.compile(pattern, re.IGNORECASE | re.ASCII) for pattern in patterns]

    def by_re():
        return [match[0] for pattern in compiled for match in pattern.finditer(message)]

    contenders = {"ours": lambda: [hit.value for hit in ours.find(message)], "re": by_re}
    assert contenders["ours"]() == by_re() == found
    return cpu_seconds(contenders, effort)
