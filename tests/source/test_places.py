"""Every key, value and character of a document has its line and column."""

import string

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.source import read_document

TEXT = """\
name: demo
flows:
  track:
    - call: x
      with: {no: '{{ slots.no }}', "odd key": [1, two]}
    - reply: >
        您好 {{ name }}
        and more
title: |
  first
    second {{ b }}
plain: one
  two {{ c }}
double: "a\\tb \\u4f60 {{ d }}"
single: 'it''s {{ e }}'
"""


def document():
    return read_document(TEXT.encode(), "a.yaml")[0]


def place(location):
    return location.line, location.column


def test_keys_and_values_have_places():
    places = document().places
    assert place(places.key(("flows", "track"))) == (3, 3)
    assert place(places.value(("flows", "track", 0, "call"))) == (4, 13)
    assert place(places.key(("flows", "track", 0, "with", "odd key"))) == (5, 36)
    assert place(places.value(("flows", "track", 0, "with", "odd key", 1))) == (5, 51)
    assert place(places.value(("flows", "track", 1))) == (6, 7)
    assert place(places.key(("flows", "track", 1))) == (6, 7)
    assert place(places.value(())) == (1, 1)


def test_a_path_that_is_not_there_means_the_nearest_part_around_it():
    places = document().places
    assert place(places.key(("flows", "track", 0, "wiht"))) == (4, 7)
    assert place(places.value(("flows", "nowhere", 3, "x"))) == (3, 3)
    assert place(places.value(("name", "x"))) == (1, 7)
    assert place(places.key(("flows", "track", 9))) == (3, 3)


def test_a_character_within_a_text_has_its_place_whatever_the_style():
    parsed = document()
    lines = TEXT.splitlines()
    for path, mark in [
        (("flows", "track", 0, "with", "no"), "slots.no"),
        (("flows", "track", 1, "reply"), "name }}"),
        (("flows", "track", 1, "reply"), "more"),
        (("title",), "b }}"),
        (("plain",), "c }}"),
        (("double",), "d }}"),
        (("single",), "e }}"),
    ]:
        value = parsed.data
        for step in path:
            value = value[step]
        found = parsed.places.inside(path, value.index(mark))
        assert lines[found.line - 1][found.column - 1 :].startswith(mark), (path, mark, found)


def test_the_end_of_a_text_has_a_place_too():
    places = document().places
    assert place(places.inside(("name",), 4)) == (1, 11)
    assert place(places.inside(("name",), 400)) == (1, 11)


def test_a_character_of_what_is_no_text_is_the_value_itself():
    assert place(document().places.inside(("flows", "track"), 3)) == (4, 5)


def test_styles_are_known():
    parsed = document()
    assert [parsed.scalar_style((key,)) for key in ("name", "title", "double", "single", "flows", "nowhere")] == [
        "plain", "literal", "double", "single", "", "",
    ]  # fmt: skip
    assert parsed.scalar_style(("flows", "track", 1, "reply")) == "folded"


WORDS = st.text(alphabet=string.ascii_letters + "您好，{}'\"\\:#- \n\t", max_size=40)


@settings(max_examples=200, deadline=None)
@given(WORDS, st.sampled_from([None, "'", '"', "|", ">"]), st.integers(10, 80))
def test_any_text_in_any_style_can_be_pointed_into(text, style, width):
    written = yaml.dump({"a": {"b": text}}, default_style=style, allow_unicode=True, width=width)
    parsed, _ = read_document(written.encode(), "a.yaml")
    assert parsed.data == {"a": {"b": text}}
    lines = written.split("\n")
    for offset, character in enumerate(text):
        if character not in " \n\t\\\"'":
            found = parsed.places.inside(("a", "b"), offset)
            assert lines[found.line - 1][found.column - 1] == character


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet="abc您 :#'-{}", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="abz", min_size=1), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(alphabet="abz", min_size=1), JSON), st.sampled_from([True, False, None]))
def test_plain_data_comes_back_as_it_was(data, flow):
    parsed, found = read_document(yaml.safe_dump(data, default_flow_style=flow, allow_unicode=True).encode(), "a.yaml")
    assert [f for f in found if f.severity == "error"] == []
    assert parsed.data == data
