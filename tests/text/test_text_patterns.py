"""Identifier patterns: what is found beside other text, verbatim values, overlaps, refusals, bounds."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.text.patterns import FOUND_AT_MOST, Patterns, normalised, pattern_problem, width_folded

BOX = r"\b[A-Z]{3}U\d{7}\b"
ORDER = r"\b(?:S\d{2}ES|555E)\d{6,7}\b"
BOTH = Patterns([(BOX, "box", False), (ORDER, "order", False)])


def found(text, *patterns, exact=False):
    hits = Patterns([(pattern, number, exact) for number, pattern in enumerate(patterns)]).find(text)
    return [(hit.tag, hit.value, hit.raw) for hit in hits]


@pytest.mark.parametrize(
    ("text", "tag", "value", "raw"),
    [
        ("555E898665 帮查一下", "order", "555E898665", "555E898665"),
        ("查S55ES0000134单", "order", "S55ES0000134", "S55ES0000134"),
        ("箱ABCU1234567，谢谢", "box", "ABCU1234567", "ABCU1234567"),
        ("查ＡＢＣＵ１２３４５６７", "box", "ABCU1234567", "ＡＢＣＵ１２３４５６７"),
        ("abcu1234567?", "box", "ABCU1234567", "abcu1234567"),
        ("\ud800 ABCU0000007", "box", "ABCU0000007", "ABCU0000007"),
    ],
)
def test_an_identifier_is_found_beside_any_text(text, tag, value, raw):
    (hit,) = BOTH.find(text)
    assert (hit.tag, hit.value, hit.raw) == (tag, value, raw)
    assert text[hit.start : hit.end] == raw


@pytest.mark.parametrize("text", ["", "hello world", "12345", "XABCU1234567", "ABCU12345678", "555e", "我要查询"])
def test_words_and_small_numbers_are_none(text):
    assert BOTH.find(text) == []


def test_exact_case_is_kept_and_told_apart():
    assert found("ab12 AB12", "[a-z]{2}[0-9]{2}", exact=True) == [(0, "ab12", "ab12")]
    assert found("ａb12", "[a-z]{2}[0-9]{2}", exact=True) == [(0, "ab12", "ａb12")]
    assert found("ab12 ẞß", "[a-z]{2}[0-9]{2}") == [(0, "AB12", "ab12")]
    mixed = Patterns([("[a-z]+1", "low", True), ("[a-z]+2", "any", False)])
    assert [(hit.tag, hit.value) for hit in mixed.find("AB1 ab1 ab2")] == [("low", "ab1"), ("any", "AB2")]


def test_of_overlapping_kinds_the_longest_wins_and_then_the_first_named():
    assert found("ABCU1234567", r"\d{7}", BOX) == [(1, "ABCU1234567", "ABCU1234567")]
    assert found("1234567890", r"\d{6}", r"[4-9]{6}") == [(0, "123456", "123456")]
    assert found("12-34-56", r"\d\d-\d\d", r"\d\d-56") == [(0, "12-34", "12-34")]


def test_kinds_with_one_span_are_all_reported():
    assert found("AB12", r"[A-Z]{2}\d{2}", r"\w{4}") == [(0, "AB12", "AB12"), (1, "AB12", "AB12")]


def test_every_gives_overlapping_matches_too():
    every = Patterns([(r"\d{7}", 0, False), (BOX, 1, False)]).every("ABCU1234567")
    assert [(hit.tag, hit.value) for hit in every] == [(0, "1234567"), (1, "ABCU1234567")]


def test_the_whole_message_may_be_one_identifier_with_white_space_and_signs_around():
    bare = Patterns([(r"\d{7}", "no", False)])
    for text in ("1234567", " １２３４５６７。\n", "「1234567」?", "#1234567", "\u200b1234567"):
        (hit,) = bare.whole(text)
        assert hit.value == "1234567"
        assert text[hit.start : hit.end] == hit.raw
    for text in ("1234567 please", "12345678", "1234567 1234567", "", "。"):
        assert bare.whole(text) == []


@pytest.mark.parametrize(
    ("pattern", "message", "hint"),
    [
        (r"AB(?=\d)", "look-ahead is not supported: (?=", "\\b"),
        (r"AB(?!\d)", "negative look-ahead is not supported: (?!", "\\b"),
        (r"(?<=x)AB", "look-behind is not supported: (?<=", "labels"),
        (r"(?<!x)AB", "negative look-behind is not supported: (?<!", "\\b"),
        (r"(a)\1", "back-references are not supported: \\1", "condition"),
        (r"(?P<n>a)(?P=n)", "a reference to a named group is not supported: (?P", "repeat"),
        (r"a++", "possessive repetition is not supported: ++", "never backtracks"),
        (r"(?>ab)", "atomic groups are not supported: (?>", "never backtracks"),
        (r"a\Z", "\\Z is not supported: \\Z", "\\z"),
        (r"\u4e00", "\\u is not supported: \\u", "x{4E00}"),
        (r"(a", "missing ): (a", "RE2"),
        (r"[a", "missing ]: [a", "RE2"),
        (r"\d{1000}", "the repetition {1000} is too large", "at most 100"),
        (r"(?:.{50}.{50}){2}", "the pattern is too large: 1604 steps, 1000 are allowed", "repeat less"),
        (r"\d*", "the pattern matches an empty text", "+ instead of *"),
        (r"\b", "the pattern matches an empty text", "at least one character"),
        (r"^|x", "the pattern matches an empty text", "at least one character"),
        ("\ud800", "the pattern holds half of a surrogate pair", "itself"),
    ],
)
def test_a_pattern_that_is_refused_says_why_and_what_to_write(pattern, message, hint):
    problem = pattern_problem(pattern)
    assert problem is not None
    assert problem[0] == message
    assert hint in problem[1]
    with pytest.raises(ValueError, match=r"\("):
        Patterns([(pattern, 0, False)])


@pytest.mark.parametrize(
    "pattern", [BOX, ORDER, r"(?i)\bwhere is my (package|cargo)\b", "查一下.{0,20}进度", r"(?P<year>\d{4})", r"\pN+"]
)
def test_an_ordinary_pattern_is_accepted(pattern):
    assert pattern_problem(pattern) is None


def test_the_case_flag_works_on_exact_patterns():
    assert found("Where is my Cargo", r"(?i)where is my (package|cargo)", exact=True) == [
        (0, "Where is my Cargo", "Where is my Cargo")
    ]


def test_matches_of_one_pattern_are_bounded():
    assert len(found("A1 " * 500, r"\bA\d\b")) == FOUND_AT_MOST


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?:A|AA)+C", "A" * 32_768),
        (r"A.*C|A", "A" * 32_768),
        (r"(?:.*.*){5}C", "是" * 32_768),
        (r"A[AB]{60}C", "AB" * 16_384),
        (r"(?:[A-Z]+[0-9]*)+!", "A1" * 16_384),
    ],
)
def test_no_message_makes_a_pattern_run_away(pattern, text):
    patterns = Patterns([(pattern, 0, False)])
    began = time.process_time()
    patterns.find(text)
    assert time.process_time() - began < 1


def test_more_patterns_than_one_set_has_room_for_are_all_found():
    patterns = Patterns([(rf"X{n}(?:[A-Z]{{90}}|[0-9]{{90}})Y", n, False) for n in range(300)] + [(BOX, "box", False)])
    long = "A" * 90
    assert [hit.tag for hit in patterns.find(f"查ABCU1234567 X7{long}Y X299{long}Y")] == ["box", 7, 299]


def test_no_patterns_find_nothing():
    assert Patterns([]).find("ABCU1234567") == Patterns([]).whole("1") == []


def test_values_are_normalised_in_the_order_asked_for():
    assert normalised(" ab-１２ 3 ", ("half_width", "no_spaces", "no_dashes", "upper")) == "AB123"
    assert normalised("A–B−C", ("no_dashes", "lower")) == "abc"
    assert normalised("ａ b", ()) == "ａ b"


SIMPLE = [r"\d{2,3}", r"[A-C]+\d", r"\bA\w*", r"B|BA|BAB", r"[^\sA-Z]{2}"]
TEXTS = st.text(st.sampled_from("ABC129 -中，Ａ１（"), max_size=16)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(st.sampled_from(SIMPLE), min_size=1, max_size=4, unique=True))
def test_every_match_is_the_one_that_the_standard_library_finds(text, patterns):
    hits = Patterns([(pattern, pattern, True) for pattern in patterns]).every(text)
    folded = width_folded(text)
    expected = {(pattern, *match.span()) for pattern in patterns for match in re.finditer(pattern, folded, re.ASCII)}
    assert {(hit.tag, hit.start, hit.end) for hit in hits} == expected
    assert all(hit.value == folded[hit.start : hit.end] and hit.raw == text[hit.start : hit.end] for hit in hits)


@pytest.mark.parametrize("pattern", [r"no\(\d+\)", r"no[(]\d+[)]", r"no\W\d+\W"])
def test_full_width_punctuation_is_folded_where_a_pattern_can_see_it(pattern):
    assert found("订单no（12），谢谢", pattern) == [(0, "NO(12)", "no（12）")]
    assert found("no　12", r"no \d+") == [(0, "NO 12", "no　12")]
