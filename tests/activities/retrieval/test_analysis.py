"""Texts as terms: what counts as the same, what is kept whole, what is asked for."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock_activities.retrieval.analysis import LONGEST, MOST_ASKED, asked, terms


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ＨＢＬ　２０２４", "hbl 2024"),
        ("Café NAÏVE", "cafe naive"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("ﬁne ①", "fine 1"),
        ("policies forms", "policy form"),
        ("(leave), “leave”", "leave leave"),
        ("a\x00b\tc\u2028d", "a b c d"),
        ("年，假。", "年 假"),
    ],
)
def test_what_reads_alike_has_the_same_terms(text, same):
    assert list(terms(text)) == list(terms(same))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("请假单", ["请", "假", "单", "请假", "假单"]),
        ("用VPN连接", ["用", "vpn", "连", "接", "连接"]),
        ("单号S55ES0000134。", ["单", "号", "单号", "s55es0000134"]),
        ("2^53", ["2^53", "2", "53"]),
        ("PO-2024/17,", ["po-2024/17", "po", "2024", "17"]),
        ("a.b@c.example.", ["a.b@c.example", "a", "b", "c", "example"]),
        ("--force -x", ["force", "x"]),
        ("007 status bus", ["007", "status", "bus"]),
        ("ひらがな", ["ひ", "ら", "が", "な", "ひら", "らが", "がな"]),
        ("휴가", ["휴", "가", "휴가"]),
        ("x" * 500, ["x" * LONGEST]),
        ("🙂 … --- ///", []),
    ],
)
def test_terms_of_a_text(text, expected):
    assert list(terms(text)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How do I ask for annual leave?", ["ask", "annual", "leave"]),
        ("请问怎么申请年假？", ["申请", "请年", "年假"]),
        ("税", ["税"]),
        ("税 的", ["税"]),
        ("报销", ["报销"]),
        ("leave leave LEAVE", ["leave"]),
        ("这是什么", []),
        ("what is it", []),
    ],
)
def test_a_question_is_asked_by_what_it_is_about(question, expected):
    assert asked(question) == expected


def test_a_long_question_is_cut():
    assert len(asked(" ".join(f"w{number}" for number in range(1_000)))) == MOST_ASKED


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_no_term_could_be_taken_for_syntax(text):
    found = list(terms(text))
    assert set(asked(text)) <= set(found)
    for term in found:
        assert term
        assert len(term) <= LONGEST
        assert not set(term) & set("\"'\\ \t\n\0*(){}|&!,;")
        term.encode()
        assert all(char in string.ascii_lowercase + string.digits + "-_./:^@#+" for char in term if char.isascii())


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("abcs19-_./^ 年假请申 ，.？Éé"), max_size=40), st.text(max_size=10))
def test_what_stands_in_a_text_is_found_by_the_same_words(text, around):
    inside = f"{around} {text} {around}"
    assert set(asked(text)) <= set(terms(inside))
