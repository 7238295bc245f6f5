"""Screens: aliases in every documented disguise are caught, and benign messages are not."""

import json
import random
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from unicodedata import name

import pytest

from interlock.text.hits import mask
from interlock.text.lookalikes import LOOKALIKES
from interlock.text.phrases import Phrases, phrase_problem
from interlock.text.views import SCREENING

ALIASES = [
    "Flexport",
    "飞协博",
    "中外运",
    "Sinotrans",
    "Aon",
    "中国平安",
    "Maersk",
    "马士基",
    "DHL",
    "C.H. Robinson",
    "DHL快递",
    "1688",
]
SCREEN = Phrases([(alias, "rivals") for alias in ALIASES], "screen")
SEED = 20_261_130


def caught(text, *aliases):
    screen = Phrases([(alias, "rivals") for alias in aliases], "screen") if aliases else SCREEN
    return [hit.value for hit in screen.scan(text)]


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("飞 协 博 的价格？", "飞协博"),
        ("F l e x p o r t", "Flexport"),
        ("Fl\u200bex\u2060port\ufe0f", "Flexport"),
        ("ＦＬＥＸｐｏｒｔ", "Flexport"),
        ("fLeXpOrT!", "Flexport"),
        ("F\u0336l\u0301export", "Flexport"),
        ("Flехроrt", "Flexport"),
        ("ꜰʟᴇxᴘᴏʀᴛ", "Flexport"),
        ("ғʟєχρσʀτ", "Flexport"),
        ("ꜰꮮꭼⲭꮲⲟꭱꭲ", "Flexport"),
        ("Ϲ.H. ɌoƄinson", "C.H. Robinson"),
        ("ꮇαꭼꭱꜱⲕ", "Maersk"),
        ("ϲ.ꮋ. ꭱobinson", "C.H. Robinson"),
        ("F1exp0rt", "Flexport"),
        ("FIexport", "Flexport"),
        ("F|export", "Flexport"),
        ("F|l|e|x|p|o|r|t", "Flexport"),
        ("SlNOTRANS", "Sinotrans"),
        ("rnaersk", "Maersk"),
        ("🅵🅻🅴🆇🅿🅾🆁🆃", "Flexport"),
        ("🇩🇭🇱", "DHL"),
        ("F-l-e-x-p-o-r-t", "Flexport"),
        ("Flex_port", "Flexport"),
        ("F, l, e, x, p, o, r, t", "Flexport"),
        ("飞·协*博", "飞协博"),
        ("中，外，运", "中外运"),
        ("飞🔥协博", "飞协博"),
        ("CH Robinson", "C.H. Robinson"),
        ("C. H. Robinson", "C.H. Robinson"),
        ("C H-Robinson", "C.H. Robinson"),
        ("问Flexport的价", "Flexport"),
        ("info@flexport.com", "Flexport"),
        ("D\u200bＨL快 递", "DHL快递"),
        ("I688 上的价格", "1688"),
        ("\ud800Flexport\udfff", "Flexport"),
    ],
)
def test_a_disguise_is_seen_through(text, alias):
    assert caught(text) == [alias]


NAMED = re.compile(
    r"LATIN (?:SMALL LETTER|CAPITAL LETTER|LETTER SMALL CAPITAL|CAPITAL LETTER SMALL CAPITAL) ([A-Z])"
    r"(?: WITH (?:DIAGONAL |OBLIQUE )?(?:STROKE|BAR|HOOK|TAIL|CURL|DESCENDER|(?:PALATAL|RETROFLEX) HOOK|MIDDLE TILDE))?"
)
FORM = re.compile("CHEROKEE LETTER|COPTIC CAPITAL LETTER")
OTHERWISE = "ʋᶌ"
"""Letters that UTS 39 takes for another than the one in their name."""


def test_letters_that_are_named_after_a_latin_one_read_as_it():
    named = [(char, found[1]) for char in map(chr, range(128, 0x110000)) if (found := NAMED.fullmatch(name(char, "")))]
    read = {char: char.translate(SCREENING) for char, _ in named}
    assert len(named) > 150
    wrong = [char for char, letter in named if read[char] != letter.translate(SCREENING)]
    assert "".join(wrong) == OTHERWISE


def test_small_letters_that_are_drawn_as_their_capitals_read_as_these():
    capitals = [char for looks in LOOKALIKES.values() for char in looks if FORM.match(name(char))]
    assert len(capitals) > 40
    reads = {char: (char.translate(SCREENING), char.lower().translate(SCREENING)) for char in capitals}
    assert {char: both for char, both in reads.items() if len(set(both)) > 1} == {}


@pytest.mark.parametrize(
    "text",
    [
        "as a one-off",
        "a flexportal",
        "myFlexport",
        "xx\u200bFlexport",
        "Flexport2",
        "Flex, portable",
        "Flex. Port is closed",
        "发往中国，平安到达",
        "「中国」（平安）",
        "1,688 元",
        "21688",
        "100.16.88",
        "slnotrans",
        "",
        " \u200b…",
    ],
)
def test_what_only_looks_near_is_left_alone(text):
    assert caught(text) == []


def test_digits_alone_are_not_read_as_letters():
    assert caught("call 101 or 1O1 or l0l", "lol") == ["lol", "lol"]
    assert caught("10", "IO") == []


def test_signs_that_begin_or_end_an_alias_must_stand_there():
    screen = Phrases([("C++", "c"), ("#deal", "d")], "screen")
    assert [(hit.raw, hit.value) for hit in screen.scan("C or Ｃ＋＋ or deal or # deal")] == [
        ("Ｃ＋＋", "C++"),
        ("# deal", "#deal"),
    ]


def test_the_longest_alias_wins_and_is_masked_so_that_nothing_in_it_matches():
    both = Phrases([("中国", "ours"), ("中国平安", "theirs")], "screen")
    hits = both.scan("中 国平安和中国")
    assert [(hit.raw, hit.tag) for hit in hits] == [("中 国平安", "theirs"), ("中国", "ours")]
    assert mask("中 国平安和中国", hits[:1]) == "     和中国"


def test_a_shorter_alias_is_found_where_the_longer_one_fails_the_edge():
    assert caught("马士基Maerskline", "马士基Maersk", "马士基") == ["马士基"]
    assert caught("Maersk Linear", "Maersk Line", "Maersk") == ["Maersk"]


def test_a_hit_takes_the_marks_on_its_last_letter_with_it():
    hit = SCREEN.scan("x Aon\u0301\u0301 y")[0]
    assert (hit.start, hit.end, hit.raw) == (2, 7, "Aon\u0301\u0301")


def test_a_phrase_without_letters_is_refused_with_the_reason():
    assert phrase_problem("!!", "screen") == (
        "the phrase '!!' has no letter and no digit",
        "a screen ignores punctuation: name words, not signs",
    )
    assert phrase_problem("!!") is None
    assert (
        phrase_problem(" \u200b", "screen")[0]
        == phrase_problem(" \u200b")[0]
        == "the phrase ' \\u200b' has no visible character"
    )
    with pytest.raises(ValueError, match="no letter"):
        Phrases([("--", "x")], "screen")


def test_a_screen_without_phrases_finds_nothing():
    assert Phrases([], "screen").scan("Flexport") == []


SPACES = " \t\u00a0\u3000\u2009\n"
INVISIBLE = "\u200b\u200c\u200d\u2060\u00ad\ufeff\ufe0f\u180e"
MARKS = [chr(code) for code in range(0x300, 0x34F)]
SIGNS = "-_*·•~./'+=^#&"
ASCII_LOOKS = {"l": "1I|", "i": "I", "I": "l1", "o": "0", "O": "0", "0": "oO", "1": "lI"}


def between(rng, alias, pool, least=1):
    cuts = rng.sample(range(1, len(alias)), rng.randint(least, len(alias) - 1))
    return "".join((rng.choice(pool) if at in cuts else "") + char for at, char in enumerate(alias))


def looks(rng, alias):
    options = {
        at: ASCII_LOOKS.get(char, "") + LOOKALIKES.get(char.lower(), "") + LOOKALIKES.get(char.upper(), "")
        for at, char in enumerate(alias)
    }
    at = rng.sample([at for at, pool in options.items() if pool], rng.randint(1, sum(map(bool, options.values()))))
    return "".join(rng.choice(options[n]) if n in at else char for n, char in enumerate(alias))


def widened(rng, alias):
    return "".join(
        chr(ord(char) + 0xFEE0) if "!" <= char <= "~" and (at == 0 or rng.random() < 0.6) else char
        for at, char in enumerate(alias)
    )


LATIN = [alias for alias in ALIASES if alias.isascii() and alias.isalpha()]
WORDS = [alias for alias in ALIASES if alias.isalpha()]
CLASSES = {
    "white space": (WORDS, lambda rng, alias: between(rng, alias, SPACES)),
    "zero width": (ALIASES, lambda rng, alias: between(rng, alias, INVISIBLE)),
    "full width": ([*LATIN, "1688", "C.H. Robinson"], widened),
    "case": (LATIN, lambda rng, alias: "".join(rng.choice((char.upper(), char.lower())) for char in alias)),
    "combining marks": (
        LATIN,
        lambda rng, alias: "".join(char + rng.choice(MARKS) * rng.randint(0, 2) for char in alias),
    ),
    "look-alikes": (LATIN, looks),
    "punctuation": (WORDS, lambda rng, alias: between(rng, alias, SIGNS)),
    "spelled out": (WORDS, lambda rng, alias: rng.choice([", ", ",", " - ", "，", " . ", "、"]).join(alias)),
    "two at once": (LATIN, lambda rng, alias: between(rng, looks(rng, alias), rng.choice((SPACES, INVISIBLE, SIGNS)))),
}
FRAMES = ["请问 {} 的价格", "Is {} cheaper?", "我在用{}，想换", "{}", "“{}”怎么样", "they said: {}!", "比{}便宜吗"]


def test_at_least_99_of_100_disguised_aliases_are_caught():
    rng = random.Random(SEED)
    tried, missed = Counter(), []
    for number in range(2_000):
        name = list(CLASSES)[number % len(CLASSES)]
        aliases, disguise = CLASSES[name]
        alias = rng.choice(aliases)
        frame = rng.choice(FRAMES)
        text = frame.format(disguise(rng, alias))
        tried[name] += 1
        if alias not in caught(text):
            missed.append((name, alias, text))
    by_class = Counter(name for name, _, _ in missed)
    print(f"seed {SEED}:", {name: f"{count - by_class[name]}/{count}" for name, count in tried.items()})
    assert sum(tried.values()) == 2_000
    assert len(missed) <= 20, missed
    assert all(by_class[name] <= count * 0.03 for name, count in tried.items()), missed


def benign():
    """Messages made of the committed sentences, the same ones every time; none stands twice."""
    corpus = json.loads((Path(__file__).parent / "benign_corpus.json").read_text(encoding="utf-8"))
    sentences = corpus.pop("sentences")
    seen = {}
    rng = random.Random(SEED)
    while True:
        two = rng.sample(sentences, rng.choice((1, 2)))
        text = " ".join(two).format(**{name: rng.choice(choices) for name, choices in corpus.items()})
        if text not in seen:
            seen[text] = True
            yield text


def test_at_most_one_benign_message_in_1000_is_hit():
    messages = list(islice(benign(), 10_000))
    hits = [(text, caught(text)) for text in messages if SCREEN.scan(text)]
    print(f"seed {SEED}: {len(hits)} of {len(messages)} benign messages hit")
    assert len(messages) == 10_000
    assert len(hits) <= 10, hits[:20]
