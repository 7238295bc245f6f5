"""The figures of a text, and whether they stand in a source: by value, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.interpreter.models.figures import figures_in, unsourced


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("It takes 3 days.", [{"days": 3}]),
        ("1,000 boxes", ["1000 boxes"]),
        ("1000 boxes", ["1,000 boxes"]),
        ("1.50 EUR", [{"price": 1.5}]),
        ("三百二十箱", [{"boxes": 320}]),
        ("320 boxes", ["三百二十箱"]),
        ("２０２６年", ["2026"]),
        ("on 2026-05-01", ["2026-05-01"]),
        ("12%", [[{"share": "12"}]]),
        ("1. First\n2. Second", []),
        ("no figures", []),
        ("Give me one of them: 请给我一个单号，是哪一票货？", []),
        ("minus 5", [{"change": -5}]),
        ("S55ES0000134", ["S55ES0000134"]),
        ("340282366920938463463374607431768211455", [2**128 - 1]),
    ],
)
def test_what_stands_in_a_source_is_sourced(text, sources):
    assert unsourced(text, sources) == []


@pytest.mark.parametrize(
    ("text", "sources", "strange"),
    [
        ("It takes 4 days.", [{"days": 3}], ["4"]),
        ("1,001 boxes", ["1000"], ["1,001"]),
        ("0.31", [0.3], ["0.31"]),
        ("三百二十一箱", [320], ["三百二十一"]),
        ("两个，十一个", [], ["两", "十一"]),
        ("2026-05-02", ["2026-05-01"], ["02"]),
        ("true 1", [True], ["1"]),
        ("S55ES0000135", ["S55ES0000134"], ["0000135"]),
        ("340282366920938463463374607431768211456", [2**128 - 1], ["340282366920938463463374607431768211456"]),
        ("We have 1. That is it", [], ["1"]),
    ],
)
def test_what_does_not_is_strange(text, sources, strange):
    assert unsourced(text, sources) == strange


@given(st.text(max_size=200), st.lists(st.text(max_size=50), max_size=3))
def test_any_text_is_its_own_source(text, others):
    assert unsourced(text, [*others, text]) == []


@given(st.integers(0, 10**40))
def test_a_whole_number_is_found_with_its_value(number):
    assert number in [int(value) for value in figures_in(f"about {number:,} of them").values()]
