"""Documents as passages: bounded, whole where they can be, cut with care where they cannot."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock_activities.retrieval.chunks import LONGEST, OVERLAP, passages
from interlock_activities.retrieval.documents import Block, Parsed, Section


def cut(*blocks, title="", headings=()):
    return list(passages(Parsed(title, (Section(headings, blocks),))))


def test_blocks_stand_together_as_long_as_they_fit():
    found = cut(*(Block(f"{number} " + "x" * 300, number) for number in range(1, 6)))
    assert [one.text.count("\n\n") + 1 for one in found] == [3, 2]
    assert [one.locator for one in found] == ["line 1", "line 4"]


def test_sections_are_never_mixed():
    document = Parsed("", (Section(("A",), (Block("one"),)), Section(("B",), (Block("two"),))))
    assert [(one.text, one.locator) for one in passages(document)] == [("one", "A"), ("two", "B")]


def test_a_long_paragraph_is_cut_between_sentences_and_each_piece_begins_with_the_end_of_the_one_before():
    sentences = [f"Sentence number {number} says something of interest to someone." for number in range(60)]
    found = cut(Block(" ".join(sentences), 7))
    assert len(found) > 3
    for one, following in pairwise(found):
        assert one.text.endswith(".")
        last = one.text.rpartition(". ")[2]
        assert following.text.startswith(f"{last} ") or last in following.text[:OVERLAP]
    assert all(any(sentence in one.text for one in found) for sentence in sentences)


def test_a_long_chinese_paragraph_is_cut_after_its_full_stops():
    found = cut(Block("这是一个句子，说的是第几条规定。" * 200))
    assert all(one.text.endswith("。") for one in found)
    assert all(one.text.startswith("这是") for one in found)


def test_pieces_say_on_which_line_they_begin():
    lines = [f"line {number} ends here." for number in range(1, 201)]
    for one in cut(Block("\n".join(lines), 1)):
        assert one.text.startswith(f"{one.locator} ends here.")


def test_code_is_cut_between_lines_and_every_piece_is_fenced():
    lines = [f"value_{number} = {number}" for number in range(200)]
    found = cut(Block("\n".join(lines), 10, "```python"))
    assert len(found) > 2
    inside = []
    for one in found:
        first, *code, last = one.text.split("\n")
        assert (first, last) == ("```python", "```")
        inside += code
    assert inside == lines


def test_code_that_fits_stays_with_the_text_around_it():
    (one,) = cut(Block("before", 1), Block("x = 1", 2, "~~~~"), Block("after", 5))
    assert one.text == "before\n\n~~~~\nx = 1\n~~~~\n\nafter"


@pytest.mark.parametrize("unit", ["e\u0301\u0302", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "नि", "中", "x"])
def test_nothing_written_as_one_character_is_cut_in_two(unit):
    found = cut(Block(unit * 1_500))
    assert "".join(one.text for one in found) == unit * 1_500
    for one in found:
        assert not unicodedata.combining(one.text[0])
        assert one.text[0] != "\u200d"
        assert one.text[-1] != "\u200d"


def test_headings_are_searched_with_a_passage_and_the_title_once():
    (one,) = cut(Block("text"), title="Handbook", headings=("Handbook", "Leave"))
    assert (one.headings, one.locator, one.text) == ("Handbook\nLeave", "Handbook > Leave", "text")


def test_what_no_database_takes_is_taken_out():
    (one,) = cut(Block("a\0b\ud800c"), headings=("x\0y",))
    assert one.text == "ab?c"
    assert one.headings == one.locator == "xy"


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(alphabet=st.sampled_from("ab 中。.!\n\u0301\u200d"), min_size=1, max_size=3_000), max_size=6))
def test_passages_are_bounded_and_nothing_is_lost(texts):
    blocks = [Block(text, 1) for text in texts if text.strip()]
    found = cut(*blocks)
    assert all(len(one.text) <= LONGEST for one in found)
    kept = "".join(one.text for one in found)
    assert {char for block in blocks for char in block.text} - set(" \n") <= set(kept)
    assert sum(map(len, "".join(block.text for block in blocks).split())) <= sum(map(len, kept.split()))
