"""Extracted values: dates, numbers, amounts, ranges, addresses, quotes, plug-ins; and the language of a message."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.text.extractors import could_give, extract, extractor_problem
from interlock.text.languages import language_of

NOW = datetime(2026, 11, 30, 23, 30, tzinfo=timezone(timedelta(hours=8)))
KINDS = ["date", "number", "amount", "integer", "range", "email", "url", "quote"]


def read(kind, text):
    return [(one.value, text[one.start : one.end]) for one in extract(kind, text, NOW)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026年3月1日发货", [("2026-03-01", "2026年3月1日")]),
        ("２０２６年３月１日", [("2026-03-01", "２０２６年３月１日")]),
        ("二〇二六年三月一日", [("2026-03-01", "二〇二六年三月一日")]),
        ("十二月二十五号前", [("2026-12-25", "十二月二十五号")]),
        ("by 2026-03-01T10:00Z", [("2026-03-01", "2026-03-01")]),
        ("2026/3/1 or 2026.3.2", [("2026-03-01", "2026/3/1"), ("2026-03-02", "2026.3.2")]),
        ("March 1st, 2025 to 2 Apr", [("2025-03-01", "March 1st, 2025"), ("2026-04-02", "2 Apr")]),
        ("the 3rd of May 2027", [("2027-05-03", "3rd of May 2027")]),
        ("昨天、大后天", [("2026-11-29", "昨天"), ("2026-12-03", "大后天")]),
        ("Today, the day after tomorrow", [("2026-11-30", "Today"), ("2026-12-02", "the day after tomorrow")]),
        ("3天前，两周后", [("2026-11-27", "3天前"), ("2026-12-14", "两周后")]),
        ("in 2 weeks, 3 days ago", [("2026-12-14", "in 2 weeks"), ("2026-11-27", "3 days ago")]),
        ("2024-02-29", [("2024-02-29", "2024-02-29")]),
        (
            "2026-02-30, 03/04/2026, 9999天后的9999周后, may 2026",
            [("2054-04-16", "9999天后"), ("2218-07-20", "9999周后")],
        ),
        ("2026-03-011", []),
    ],
)
def test_dates(text, found):
    assert read("date", text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("共 1,234.56 公斤", [(1234.56, "1,234.56")]),
        ("-5 到 +7", [(-5, "-5"), (7, "+7")]),
        ("３万，2.5亿 and 2 million", [(30_000, "３万"), (250_000_000, "2.5亿"), (2_000_000, "2 million")]),
        ("三百二十件", [(320, "三百二十")]),
        ("一万二千零五个", [(12_005, "一万二千零五")]),
        ("三亿五千万", [(350_000_000, "三亿五千万")]),
        ("两个，十二箱", [(2, "两"), (12, "十二")]),
        ("12345678901234567890123", [(12345678901234567890123, "12345678901234567890123")]),
        (str(2**128 - 1), [(2**128 - 1, str(2**128 - 1))]),
        ("-" + "9" * 38 + "万", [(-int("9" * 38) * 10_000, "-" + "9" * 38 + "万")]),
        ("0.12345678901234567890", [("0.12345678901234567890", "0.12345678901234567890")]),
        ("帮我查一下，千万不要，万一，一一说明", []),
        ("ABCU1234567 555E898665 1.2.3 2026-03-01 10:30 PO-12 #A1 1e5", []),
    ],
)
def test_numbers(text, found):
    assert read("number", text) == found


def test_integers_are_the_whole_ones():
    assert read("integer", "12.5 和 13 和 2.0") == [(13, "13"), (2, "2.0")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("￥1,200.50 共3件", [(1200.5, "￥1,200.50")]),
        ("USD 300 或 HK$50 或 20 dollars", [(300, "USD 300"), (50, "HK$50"), (20, "20 dollars")]),
        ("三百元和5万人民币", [(300, "三百元"), (50_000, "5万人民币")]),
        ("退 300", [(300, "300")]),
    ],
)
def test_amounts_are_those_beside_a_currency_if_there_are_any(text, found):
    assert read("amount", text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10-20 件", [({"from": 10, "to": 20}, "10-20")]),
        ("between 10 and 20, 3~5", [({"from": 10, "to": 20}, "10 and 20"), ({"from": 3, "to": 5}, "3~5")]),
        ("三到五天", [({"from": 3, "to": 5}, "三到五")]),
        ("至少5个，100以上", [({"from": 5, "to": None}, "至少5"), ({"from": 100, "to": None}, "100以上")]),
        ("at most 7; 不超过1.5", [({"from": None, "to": 7}, "at most 7"), ({"from": None, "to": 1.5}, "不超过1.5")]),
        ("20 to 10, 2026-03-01, 1-2-3, PO-1-2", []),
    ],
)
def test_ranges(text, found):
    assert read("range", text) == found


def test_addresses_and_quotes():
    assert read("email", "写给a.b+c@ex-1.com.cn，或 x@y") == [("a.b+c@ex-1.com.cn",) * 2]
    assert read("url", "见https://a.com/x?y=1。(www.foo.com/a).") == [
        ("https://a.com/x?y=1",) * 2,
        ("www.foo.com/a",) * 2,
    ]
    assert read("url", "http://x.com/a(b)") == [("http://x.com/a(b)",) * 2]
    assert read("quote", '他说“你好”和「再见」, "bye" “”') == [("你好",) * 2, ("再见",) * 2, ("bye",) * 2]


def test_an_unknown_extractor_is_named_with_those_there_are():
    message, hint = extractor_problem("dates")
    assert message == "there is no extractor 'dates'"
    assert "date, number" in hint
    assert all(extractor_problem(kind) is None for kind in KINDS)
    with pytest.raises(KeyError):
        extract("dates", "today", NOW)


def test_a_package_can_add_an_extractor(installed):
    module = "def found(text, now):\n    return [(w, text.index(w), text.index(w) + len(w)) for w in text.split() if w.isupper()]\n"
    installed("shouting-plug-in", module, "shouting_word = shouting_plug_in:found", "interlock.extractors")
    assert extractor_problem("shouting_word") is None
    assert read("shouting_word", "please HURRY up") == [("HURRY", "HURRY")]


@settings(max_examples=100, deadline=None)
@given(
    st.text(st.sampled_from('0123456789.,-年月日天前三十万百一 /~到$元@ab:"“”\ud800１－'), max_size=30),
    st.sampled_from(KINDS),
)
def test_whatever_the_text_spans_are_in_order_and_inside_it(text, kind):
    found = extract(kind, text, NOW)
    ends = [0, *(end for one in found for end in (one.start, one.end)), len(text)]
    assert ends == sorted(ends)
    assert all(one.start < one.end for one in found)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("请帮我查一下", "zh"),
        ("where is my 深圳 parcel", "en"),
        ("ABCU1234567 查", "zh"),
        ("track 查一下", "zh"),
        ("ｗｈｅｒｅ ｉｓ ｉｔ", "en"),
        ("ABCU1234567", "zh"),
        ("", "zh"),
        ("👍", "zh"),
        ("Где груз?", "zh"),
    ],
)
def test_the_language_is_told_by_script(text, language):
    assert language_of(text, ["zh", "en"]) == language


def test_languages_by_region_and_of_other_scripts():
    assert language_of("你好", ["en", "zh-Hant-TW"]) == "zh-Hant-TW"
    assert language_of("こんにちは世界", ["zh", "ja"]) == "ja"
    assert language_of("世界", ["en", "zh", "ja"]) == "zh"
    assert language_of("Где груз?", ["en", "ru"]) == "ru"
    assert language_of("안녕하세요 box", ["en", "ko"]) == "ko"
    assert language_of("bonjour", ["zh", "fr", "en"]) == "fr"


def test_a_flood_of_digits_that_are_no_numbers_is_not_looked_through_to_its_end():
    assert [one.value for one in extract("integer", "1-" * 1_000 + " 7", NOW)] == [7]
    assert extract("integer", "1-" * 3_000 + " 7", NOW) == []


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "2026-01-31"),
        ("number", 1.5),
        ("number", 2),
        ("amount", 12),
        ("integer", 3),
        ("range", {"from": 1, "to": None}),
        ("email", "a@example.com"),
        ("url", "https://example.com/a"),
        ("quote", "any words"),
        ("of_a_plug_in", [{"anything": 1}]),
    ],
)
def test_a_value_that_an_extractor_could_give(kind, value):
    assert could_give(kind, value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "tomorrow"),
        ("date", "2026-02-30"),
        ("date", 5),
        ("number", "5"),
        ("number", True),
        ("integer", 1.5),
        ("amount", {"value": 1}),
        ("range", {"from": 1}),
        ("range", {"from": "a", "to": None}),
        ("email", "nobody"),
        ("email", "to a@example.com"),
        ("url", "example"),
        ("quote", ""),
    ],
)
def test_a_value_that_an_extractor_never_gives(kind, value):
    assert not could_give(kind, value)
