"""The language of a procedure's run: as the spec says, else as whoever runs it, else the first that it has."""

import pytest

HEAD = "languages: [zh, en, pt-BR]\ninput: {locale: {type: string, optional: true}}\n"
SAYS = 'language: "{{ input.locale }}"\n'
STEPS = """\
steps:
  - wait: 1h
  - fail: {zh: 不行。, en: "No.", pt-BR: Não.}
"""


def said(run):
    run.advance(3_600_000)
    return run.state.failure["text"]


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en", "No."),
        ("en-GB", "No."),
        ("EN_us", "No."),
        ("pt-br", "Não."),
        ("pt", "不行。"),
        ("fr", "不行。"),
        ("", "不行。"),
        ("e", "不行。"),
    ],
)
def test_the_spec_says_from_what_the_language_is_told(play, locale, text):
    run = play(HEAD + SAYS + STEPS, {"locale": locale})
    assert said(run) == text


def test_without_a_word_of_anybody_it_is_the_first(play):
    assert said(play(HEAD + STEPS, {"locale": "en"})) == "不行。"
    assert said(play(HEAD + SAYS + STEPS, {})) == "不行。"


def test_it_stays_the_same_over_continue_as_new(play):
    run = play(HEAD + SAYS + STEPS, {"locale": "en"})
    run.again()
    assert said(run) == "No."


def test_a_run_of_a_version_before_speaks_the_first(play):
    run = play(HEAD + SAYS + STEPS, {"locale": "en"})
    run.state.language = ""
    run.again()
    assert said(run) == "不行。"


OUTER = """\
languages: [en, zh]
input: {locale: {type: string}}
language: "{{ input.locale }}"
steps: [{run: inner, with: {locale: "{{ input.locale }}"}}]
"""


def test_a_procedure_speaks_as_the_one_that_runs_it_unless_it_says_so_itself(play):
    run = play(OUTER, {"locale": "en-GB"}, others={"inner": HEAD + STEPS})
    assert said(run.children["inner"]) == "No."
    other = "language: zh\n"
    run = play(OUTER, {"locale": "en"}, others={"inner": HEAD + other + STEPS})
    assert said(run.children["inner"]) == "不行。"
    strange = HEAD.replace("[zh, en, pt-BR]", "[zh, pt-BR]") + STEPS.replace('en: "No.", ', "")
    run = play(OUTER, {"locale": "en"}, others={"inner": strange})
    assert said(run.children["inner"]) == "不行。"


def test_what_is_shown_in_a_text_is_in_that_language_too(play):
    listed = STEPS.replace("不行。", "\"{{ ['a', 'b'] | show }}\"").replace('"No."', "\"{{ ['a', 'b'] | show }}\"")
    assert said(play(HEAD + SAYS + listed, {"locale": "en"})) == "a, b"
    assert said(play(HEAD + SAYS + listed, {"locale": "zh"})) == "a、b"
