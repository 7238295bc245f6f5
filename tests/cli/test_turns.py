"""Turns on the terminal: aligned, each subject said once, and readable for every kind of reply."""

import click
import pytest

from interlock.cli.turns import shown_turn

RECORD = {
    "kind": "turn",
    "turn": 1,
    "route": {"id": "order", "at": "a.yaml:4:5", "flow": "find"},
    "calls": [
        {
            "tool": "find",
            "at": "a.yaml:9:7",
            "outcome": "success",
            "arguments": {"no": "B1", "q": "where"},
            "sources": {"no": {"source": "slots.no"}, "q": {"source": "message.text"}},
        }
    ],
    "response_source": "direct_response",
}


def reply(text="", **more):
    return {"text": text, "outcome": "answer", "reason": "", "options": [], **more}


def shown(*words, **more):
    return click.unstyle(shown_turn(*words, **more)).splitlines()


def test_a_turn_is_aligned_and_says_each_subject_once():
    assert shown("where", reply("第一行\nsecond\n\nlast", options=["是", "no"]), RECORD, 12.4) == [
        "       user  where",
        "      route  order (a.yaml:4:5): flow find",
        "       call  find (a.yaml:9:7): success",
        "     source  no = B1 ← slots.no",
        "             q = where ← message.text",
        "    outcome  answer by direct_response, 12 ms",
        "      reply  第一行",
        "             second",
        "",
        "             last",
        "    options  是 · no",
    ]


def test_passages_that_a_model_wrote_from_are_listed_by_number():
    faq = {"title": "FAQ", "document": "faq.md", "locator": "line 5"}
    searches = [{"sources": [faq, faq]}, {"error": "away"}, {"sources": [{"title": "Notes"}]}]
    record = {"response_source": "narrative", "retrievals": searches}
    assert shown("", reply("By sea [1]."), record, 3)[-4:] == [
        "      reply  By sea [1].",
        "    sources  [1] faq.md, line 5",
        "             [2] faq.md, line 5",
        "             [3] Notes",
    ]


@pytest.mark.parametrize(
    ("answer", "record", "lines"),
    [
        (reply("", outcome="closed"), None, ["    outcome  closed, 3 ms", "      reply  (says nothing)"]),
        (
            reply("No.", outcome="refuse", reason="out_of_scope"),
            {"response_source": "gate"},
            ["    outcome  refuse (out_of_scope) by gate, 3 ms", "      reply  No."],
        ),
    ],
)
def test_an_outcome_has_its_reason_and_source_where_there_is_one(answer, record, lines):
    assert shown("", answer, record, 3) == lines


def test_a_colleague_is_named_as_one():
    assert shown("I am here", reply("I am here"), None, 1, speaker="agent")[0] == "  colleague  I am here"


def test_colours_mark_subjects():
    text = shown_turn("x", reply("y"), RECORD, 1)
    assert click.style("route".rjust(11), fg="blue") in text
    assert click.style("call".rjust(11), fg="magenta") in text
