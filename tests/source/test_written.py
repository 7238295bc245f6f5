"""What is written is read again to the letter, without a finding; and it looks as a spec does."""

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from interlock.source import read_document
from interlock.source.written import Block, length, written

SIGNS = "aZ09_-: #'\"{}[],&*!|>%@`?~.。：，“”中é\n "
TEXT = st.text(SIGNS, max_size=12).filter(lambda text: text == text.strip() and "\n " not in text and " \n" not in text)
KEY = st.text(SIGNS.replace("\n", ""), min_size=1, max_size=8)
SCALAR = (
    TEXT
    | st.integers()
    | st.booleans()
    | st.sampled_from(["yes", "NO", "null", "~", "1e3", "007", "0x1", "{{ x }}", ""])
)
VALUE = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(KEY, inner, min_size=1, max_size=3)
        | st.dictionaries(KEY, inner, min_size=1, max_size=3).map(lambda values: Block(values.items(), flat=True))
    ),
    max_leaves=12,
)


@given(st.dictionaries(KEY, VALUE, min_size=1, max_size=4))
@example({"0": {"Z?": ""}})
def test_everything_is_read_again_by_our_reader_and_by_others(data):
    text = written(data)
    document, findings = read_document(text.encode(), "x.yaml")
    assert findings == []
    assert document.data == data
    assert yaml.safe_load(text) == data


def test_comments_stand_above_and_beside():
    tool = Block([("http", "GET /a/{b}"), ("effect", "read")])
    tool.beside["effect"] = "proposed: x"
    field = Block([("type", "string"), ("enum", ["a", "no"])], flat=True)
    tool["input"] = Block([("b", field), ("c", Block([("type", "list")], flat=True))])
    tool["input"].say("b", "one", "two")
    tree = Block([("kind", "Library"), ("tools", Block([("t", tool)]))])
    tree.say("tools", "")
    tree["tools"].say("t", "above: t")
    assert written(tree, ["head"]) == (
        "# head\nkind: Library\n\ntools:\n  # above: t\n  t:\n    http: GET /a/{b}\n    effect: read  # proposed: x\n"
        "    input:\n      # one\n      # two\n      b: {type: string, enum: [a, 'no']}\n      c: {type: list}\n"
    )


def test_a_map_that_does_not_fit_takes_lines():
    short, long = {"a": "x" * 80}, {"a": "x" * 150}
    assert written({"k": Block(short.items(), flat=True)}) == f"k: {{a: {'x' * 80}}}\n"
    assert written({"k": Block(long.items(), flat=True)}) == f"k:\n  a: {'x' * 150}\n"


@pytest.mark.parametrize("value", [{"a": [1, True, "b"]}, {"a": {"b": {"c": "d"}}}])
def test_the_length_is_about_that_of_the_text(value):
    text = written({"k": Block(value.items(), flat=True)})
    assert abs(length(value) - len(text)) < 12
