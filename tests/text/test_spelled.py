"""Numbers in English words: the usual ways of writing them, and what is none."""

import pytest

from interlock.text.spelled import spelled_out


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("thirteen", [13]),
        ("The waiver was Seventy percent.", [70]),
        ("twenty-five of ninety nine", [25, 99]),
        ("two hundred and one", [201]),
        ("nine hundred and ninety-nine million", [999_000_000]),
        ("ninety nine thousand five hundred", [99_500]),
        ("ten thousand and one", [10_001]),
        ("a hundred", [100]),
        ("one million two hundred thousand", [1_200_000]),
    ],
)
def test_a_number_in_words_has_its_value(text, values):
    assert [one.value for one in spelled_out(text)] == values


@pytest.mark.parametrize(
    "text", ["one of them", "two reasons, and three", "twelve", "hundreds", "millionaire", "often", "", "七十"]
)
def test_other_words_are_no_figures(text):
    assert not list(spelled_out(text))
