"""Phrases found in messages: edges, white space, longest match, tags, and positions in the raw text."""

from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.text.hits import Hit, mask
from interlock.text.phrases import FOUND_AT_MOST, Phrases
from interlock.text.views import PLAIN, SCREENING, SpacedView, View, quick_plain, quick_screening


def found(text, *phrases):
    return [(hit.raw, hit.tag) for hit in Phrases([(phrase, phrase) for phrase in phrases]).scan(text)]


def test_chinese_needs_no_edges_and_latin_does():
    assert found("请帮我查一下进度", "查一下", "进度") == [("查一下", "查一下"), ("进度", "进度")]
    assert found("查ETA啊", "eta") == [("ETA", "eta")]
    assert found("beta test, eta?", "eta") == [("eta", "eta")]
    assert found("eta2", "eta") == []


def test_white_space_inside_a_phrase_does_not_matter_either_way():
    assert found("查 一\u3000下 it", "查一下") == [("查 一\u3000下", "查一下")]
    assert found("trackshipment or TRACK\n SHIPMENT", "track shipment") == [
        ("trackshipment", "track shipment"),
        ("TRACK\n SHIPMENT", "track shipment"),
    ]


def test_width_case_and_zero_width_do_not_matter_but_accents_and_signs_do():
    assert found("ｃｈｅｃｋ\u200b ＩＴ", "check it") == [("ｃｈｅｃｋ\u200b ＩＴ", "check it")]
    assert found("cafe\u0301 café cafe", "café") == [("cafe\u0301", "café"), ("café", "café")]
    assert found("café", "cafe") == []
    assert found("check-it", "check it") == []
    assert found("STRASSE straße", "Straße") == [("STRASSE", "Straße"), ("straße", "Straße")]


def test_the_leftmost_and_longest_wins_over_all_phrases():
    assert found("我想查询货物在哪", "查询", "查询货物", "货物在哪") == [("查询货物", "查询货物")]
    assert found("where is my cargo", "my cargo", "where is", "is my") == [
        ("where is", "where is"),
        ("my cargo", "my cargo"),
    ]


def test_a_phrase_with_several_tags_gives_a_hit_for_each():
    hits = Phrases([("保费", "premium"), ("保 费", "fee"), ("保费", "premium")]).scan("问保费")
    assert [(hit.tag, hit.start, hit.end, hit.value) for hit in hits] == [
        ("premium", 1, 3, "保费"),
        ("fee", 1, 3, "保 费"),
    ]


def test_every_also_gives_what_stands_inside_a_longer_hit():
    phrases = Phrases([("查询", 1), ("查询货物", 2), ("货物", 3)])
    assert [hit.tag for hit in phrases.scan("查询货物")] == [2]
    assert sorted(hit.tag for hit in phrases.every("查询货物")) == [1, 2, 3]


def test_signs_alone_can_be_a_phrase():
    assert found("好的👍!", "👍") == [("👍", "👍")]


def test_a_phrase_said_over_and_over_is_found_often_enough():
    phrases = Phrases([("哈", 1), ("哈哈", 2), ("哈哈哈", 3)])
    assert [hit.tag for hit in phrases.scan("哈" * 60)] == [3] * 20
    for hits in (phrases.scan("哈" * 2_000), phrases.every("哈" * 2_000)):
        assert Counter(hit.tag for hit in hits) == dict.fromkeys((1, 2, 3), FOUND_AT_MOST)


def test_what_else_is_said_is_found_behind_a_flood():
    screen = Phrases([("飞协博", "rivals"), ("DHL", "rivals"), ("顺丰", "allowed"), ("圆通", "others")], "screen")
    hits = screen.scan("顺丰 " * 1_000 + "DHL " * 1_000 + "圆通")
    assert Counter(hit.tag for hit in hits) == {"allowed": FOUND_AT_MOST, "rivals": FOUND_AT_MOST, "others": 1}


def test_whoever_nearly_says_a_screened_name_a_thousand_times_has_said_it():
    screen = Phrases([("飞协博", "rivals")], "screen")
    assert screen.scan("飞。协博" * 1_000) == []
    assert screen.scan("飞。协博" * 1_100) != []
    assert len(Phrases([("fly", "x")]).every("xfly " * 900 + "fly")) == 1
    assert Phrases([("fly", "x")]).every("xfly " * 2_000 + "fly") == []


def test_masking_keeps_the_length_and_takes_overlapping_hits():
    hits = [Hit("a", start, end, "", "") for start, end in ((6, 8), (1, 3), (2, 5), (1, 3), (2, 4))]
    assert mask("0123456789", hits) == "0    5  89"
    assert mask("0123", []) == "0123"


TEXTS = st.text(st.sampled_from("ab1 中国\u200b\u0301\n-ＡﬁİI"), max_size=14)
PHRASES = st.lists(
    st.text(st.sampled_from("ab1中国 -é"), min_size=1, max_size=4).filter(lambda text: text.translate(PLAIN)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=150, deadline=None)
@given(TEXTS, PHRASES)
def test_hits_are_spans_of_the_raw_text_that_fold_to_the_phrase(text, phrases):
    hits = Phrases([(phrase, phrase) for phrase in phrases]).scan(text)
    for hit in hits:
        assert text[hit.start : hit.end] == hit.raw
        assert hit.raw.translate(PLAIN).rstrip("\u0301") == hit.value.translate(PLAIN).rstrip("\u0301")
    assert all(
        one.end <= other.start or (one.start, one.end) == (other.start, other.end) for one, other in pairwise(hits)
    )


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_a_view_maps_every_character_back_to_one_that_it_comes_from(text):
    for view in (View(text, PLAIN), View(text, SCREENING)):
        assert len(view.sources) == len(view.text)
        assert view.sources == sorted(view.sources)
        for at, source in enumerate(view.sources):
            assert view.text[at] in view.fold[ord(text[source])]
            start, end = view.raw_span(at, at + 1)
            assert start == source < end


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=20), st.sampled_from(["Flexport", "飞协博", "Aon"]), st.text(max_size=20))
def test_an_alias_between_any_two_texts_is_masked_when_it_is_found(before, alias, behind):
    text = f"{before} {alias} {behind}"
    hits = Phrases([(alias, 1)], "screen").scan(text)
    assert any(hit.start <= len(before) + 1 and hit.end >= len(before) + 1 + len(alias) for hit in hits)
    assert all(text[hit.start : hit.end] == hit.raw for hit in hits)


COMMON = st.text(
    st.sampled_from("aZmIl10O -_.,!?。，！？（）~|¥ \n\u3000中国货ßéﬁ\u0301\u200bがか\u3099ＡＬ〇·"), max_size=30
)


@settings(max_examples=300, deadline=None)
@given(COMMON | st.text(max_size=20))
def test_the_quick_views_are_the_exact_ones(text):
    plain, screening = quick_plain(text), quick_screening(text)
    assert plain is None or plain.decode() == View(text, PLAIN).text
    assert screening is None or screening.decode() == View(text, SCREENING).text
    if plain is not None:
        spaced = SpacedView(text, PLAIN)
        assert [spaced.at(index) for index in range(len(plain.decode()))] == View(text, PLAIN).sources


def test_the_quick_view_of_every_character_is_the_exact_one():
    for code in range(0x1_1000):
        text = f"a{chr(code)}B"
        plain = quick_plain(text)
        assert plain is None or plain.decode() == text.translate(PLAIN), hex(code)


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from("ab1.,B 中国\u0301\n-，é\u3000"), max_size=18),
    st.lists(
        st.text(st.sampled_from("ab1中国 -é"), min_size=1, max_size=4).filter(lambda text: text.translate(PLAIN)),
        min_size=1,
        max_size=5,
    ),
)
def test_few_places_are_looked_at_as_many_are(text, phrases):
    few = Phrases([(phrase, 0) for phrase in phrases])
    crowd = [(phrase, tag) for phrase in phrases for tag in range(FOUND_AT_MOST + 1)]
    many = Phrases(crowd)  # so many tags for one place that any place is one of many
    assert few.scan(text) == [hit for hit in many.scan(text) if hit.tag == 0]
    assert few.every(text) == [hit for hit in many.every(text) if hit.tag == 0]


def test_the_quick_views_serve_ordinary_messages():
    for text in ("请帮我查一下 ABCU1234567，谢谢！", "Where is my shipment (no. 12)?"):
        assert quick_plain(text)
        assert quick_screening(text)
