"""Files as documents: titles, headings, places; what is dropped; and markup made to hang whoever reads it."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock_activities.retrieval.chunks import LONGEST, passages
from interlock_activities.retrieval.conformance import check_parser
from interlock_activities.retrieval.documents import NotReadableError
from interlock_activities.retrieval.html_page import HtmlPage
from interlock_activities.retrieval.markdown import Markdown
from interlock_activities.retrieval.plain_text import PlainText

OWN = [Markdown(), PlainText(), HtmlPage()]


def read(parser, text):
    """Title, and text and locator of every passage."""
    document = parser.parse(text if isinstance(text, bytes) else text.encode())
    return document.title, [(one.text, one.locator) for one in passages(document)]


@pytest.mark.parametrize(
    ("text", "title", "found"),
    [
        ("# A\n\none\n\n## B ##\n\ntwo\n", "A", [("one", "A, line 3"), ("two", "A > B, line 7")]),
        ("---\ntitle: 'T'\n---\n# A\none\n", "T", [("one", "A, line 5")]),
        ("---\nnot front matter\n", "", [("---\nnot front matter", "line 1")]),
        ("A\n===\none\n\nB\n---\ntwo", "A", [("one", "A, line 3"), ("two", "A > B, line 7")]),
        ("# *A* `b` [c](http://x) ![d](e)\none", "A b c d", [("one", "A b c d, line 2")]),
        ("# C#\none", "C#", [("one", "C#, line 2")]),
        ("#hash\n\none", "", [("#hash\n\none", "line 1")]),
        (
            "## B\none\n# A\ntwo\n## C\nthree",
            "A",
            [("one", "B, line 2"), ("two", "A, line 4"), ("three", "A > C, line 6")],
        ),
        ("```py\n# no heading\n```\nafter", "", [("```py\n# no heading\n```\n\nafter", "line 1")]),
        ("~~~\na\n```\nb\n~~~\n", "", [("~~~\na\n```\nb\n~~~", "line 1")]),
        ("```\nnever closed", "", [("```\nnever closed\n```", "line 1")]),
        ("<!-- secret\n# no -->\none\n\n<!-- open", "", [("one\n\n<!-- open", "line 3")]),
        ("# A\r\n\r\none\r\n", "A", [("one", "A, line 3")]),
        ("\ufeff# A\none", "A", [("one", "A, line 2")]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "", [("| a | b |\n|---|---|\n| 1 | 2 |", "line 1")]),
        ("", "", []),
        ("# only\n## headings", "only", []),
    ],
)
def test_markdown(text, title, found):
    assert read(Markdown(), text) == (title, found)


@pytest.mark.parametrize(
    ("text", "title", "found"),
    [
        (
            "<title>T &amp; t</title><h1>A</h1><p>one<p>two<h2>B</h2>three",
            "T & t",
            [("one\n\ntwo", "A"), ("three", "A > B")],
        ),
        ("<h1>A</h1>x<script>if (a < b) '</p>'</script><style>p{}</style>y", "A", [("xy", "A")]),
        ("<SCRIPT>a</ScRiPt>b", "", [("b", "")]),
        (
            "<p hidden>no</p><p style='DISPLAY : none'>no</p><p aria-hidden=true>no</p><p class=hidden>yes</p>",
            "",
            [("yes", "")],
        ),
        ("<div hidden><div>no</div>no</div>yes", "", [("yes", "")]),
        ("<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>", "", [("a | b\n\n1 | 2", "")]),
        ("<pre>a\n  b</pre>", "", [("a\n  b", "")]),
        ("a <b>b</b>c &lt;d&gt; &#20013;", "", [("a bc <d> 中", "")]),
        ("<!-- <p>no</p> -->yes<!doctype html><?php no ?>", "", [("yes", "")]),
        ("<a title='>' href=x>yes</a>", "", [("yes", "")]),
        ("1 < 2 and <3", "", [("1 < 2 and <3", "")]),
        ("never closed <b", "", [("never closed <b", "")]),
        ("yes<!-- never closed", "", [("yes", "")]),
        ("<br>a<br/>b<img hidden>c", "", [("a\n\nbc", "")]),
    ],
)
def test_html(text, title, found):
    assert read(HtmlPage(), text) == (title, found)


def test_plain_text_is_found_by_line():
    assert read(PlainText(), "\n one\ntwo\n\n\nthree") == ("", [(" one\ntwo\n\nthree", "line 2")])


@pytest.mark.parametrize("parser", OWN, ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("中文".encode("gbk"), "it is not UTF-8 (byte 0): save it as UTF-8"),
        (b"ok \xff", "it is not UTF-8 (byte 3): save it as UTF-8"),
        ("中文".encode("utf-16"), "UTF-8"),
        (b"a\0b", "it holds null characters"),
    ],
)
def test_other_encodings_are_refused_with_the_remedy(parser, content, says):
    with pytest.raises(NotReadableError, match=says.replace("(", r"\(").replace(")", r"\)")):
        parser.parse(content)


@pytest.mark.parametrize("parser", OWN, ids=lambda one: one.name)
def test_our_own_parsers_do_what_plug_ins_must(parser):
    check_parser(parser, [b"", b"# A\n\none\n", "<p>中文</p>".encode(), b"\xff\xfe", b"a" * 100_000])


HOSTILE = [
    *("<", "<div>", "<!--", "<a ", "</", "<![CDATA[", "<script>", "<a b='", '<a b="', "&", "<p hidden>", "<!", "<?"),
    *(
        "#",
        "[",
        "*",
        "`",
        "~",
        "![](",
        "# [a](",
        "```\n",
        "<!--\n",
        "a\n---\n",
        "# *a",
        "# \t",
        "|",
        "> ",
        "\n",
        " ",
        "a. ",
    ),
    *("中", "。", "e\u0301", "\u200d", "\U0001f468\u200d"),
]


@pytest.mark.parametrize("parser", OWN, ids=lambda one: one.name)
@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_length_alone(parser, piece):
    def seconds(size):
        content = (piece * (size // len(piece.encode()))).encode() + b">`"
        started = time.process_time()
        assert all(len(one.text) <= LONGEST + 2 for one in passages(parser.parse(content)))
        return time.process_time() - started

    assert seconds(400_000) < 10 * seconds(100_000) + 1.0, "four times as long takes four times as much, not sixteen"


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*HOSTILE, "text", "\n\n", "-->", ">", "'", "</script>", "# A\n", "\r", "\u202e", "{{ x }}"])
    )
)
def test_no_text_makes_a_parser_raise(pieces):
    for parser in OWN:
        for one in passages(parser.parse("".join(pieces).encode())):
            assert one.text.strip()
