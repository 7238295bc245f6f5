"""Whole turns in which a model writes: how far it is believed, and what is said in place of what it may not say."""

import pytest

from interlock.interpreter.texts import ENGINE_TEXTS

SAY_MORE, NOT_KNOWN = ENGINE_TEXTS["say_more"]["en"], ENGINE_TEXTS["not_known"]["en"]
INVENTED = "It takes 4 days."


def policy(text):
    return "grounding: {mode: strict}", f"grounding: {{{text}}}"


STRICT, PREFER, OFF = policy("mode: strict"), policy("mode: prefer"), policy('mode: "off"')


def came(reply):
    return reply["outcome"], reply["text"]


# -- grounding --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["It takes 3 days.", "It takes three days.", "B1234 is SENT.", "We are open from 9 to 17.", "需要三天。"]
)
def test_a_figure_of_a_result_the_message_or_the_author_may_be_said(desk, model, text):
    model.reply(text)
    assert came(desk("where is B1234")) == ("answer", text)
    assert desk.record["guard_flags"] == {}


def test_a_figure_that_the_person_has_said_may_be_said_now_and_later(desk, model):
    model.reply("Your 77 boxes are SENT.")
    assert desk("where is B1234 with my 77 boxes")["outcome"] == "answer"
    assert desk("where is B1234")["outcome"] == "answer"


@pytest.mark.parametrize("text", [INVENTED, "It takes 3 to ４ days.", "B1235 is SENT.", "要四十天。"])
def test_strict_drops_a_reply_with_a_figure_from_nowhere(desk, model, text):
    model.reply(text)
    assert came(desk("where is B1234")) == ("decline", NOT_KNOWN)
    assert desk.record["guard_flags"]["prose_dropped"]
    assert len(desk.record["guard_flags"]["unsourced_figures"]) == 1
    assert desk.record["response_source"] == "fallback"


def test_strict_drops_a_question_with_a_figure_from_nowhere_and_asks_in_other_words(desk, model):
    model.reply("Do you mean B9999?", kind="ask_for_clarification")
    assert came(desk("where is B1234")) == ("ask", SAY_MORE)


@pytest.mark.parametrize("mode", [PREFER, OFF])
def test_other_modes_say_it_and_note_the_figure(changed, model, mode):
    desk = changed(mode)
    if mode is OFF:
        model.says["generation"].append(INVENTED)
    else:
        model.reply(INVENTED)
    assert came(desk("where is B1234")) == ("answer", INVENTED)
    assert desk.record["guard_flags"] == {"unsourced_figures": ["4"]}


def test_the_record_keeps_some_strange_figures_and_not_all_of_them(changed, model):
    desk = changed(OFF)
    model.says["generation"].append(" ".join(str(10**50 + number) for number in range(4_000)))
    desk("where is B1234")
    noted = desk.record["guard_flags"]["unsourced_figures"]
    assert (len(noted), max(map(len, noted))) == (20, 40)


def test_the_figures_of_a_call_that_failed_bear_nothing(desk, model):
    model.statuses["find"] = 500
    model.reply("It takes 3 days.", kind="decline")
    assert came(desk("where is B1234")) == ("decline", NOT_KNOWN)


@pytest.mark.parametrize(
    ("mode", "outcome", "text"),
    [
        (STRICT, "ask", SAY_MORE),
        (policy("mode: strict, low_confidence: answer"), "ask", SAY_MORE),
        (policy("mode: strict, low_confidence: decline"), "decline", NOT_KNOWN),
        (policy("mode: strict, general_knowledge: true"), "ask", SAY_MORE),
        (PREFER, "answer", "It is on its way."),
        (policy("mode: prefer, general_knowledge: false, low_confidence: ask"), "ask", SAY_MORE),
    ],
)
@pytest.mark.parametrize("failed", [False, True])
def test_without_a_result_nothing_is_answered_but_from_what_may_be_known(changed, model, mode, outcome, text, failed):
    desk = changed(mode)
    model.choose("no_tool")
    model.statuses["find"] = 500
    model.reply("It is on its way.")
    assert came(desk("where is B1234" if failed else "where are we")) == (outcome, text)


@pytest.mark.parametrize(
    ("mode", "outcome", "text"),
    [
        (STRICT, "ask", SAY_MORE),
        (policy("mode: strict, low_confidence: answer"), "answer", "It is SENT."),
        (policy("mode: strict, low_confidence: decline"), "decline", NOT_KNOWN),
        (PREFER, "answer", "It is SENT."),
        (policy("mode: prefer, low_confidence: ask"), "ask", SAY_MORE),
    ],
)
def test_what_becomes_of_a_reply_that_the_model_is_not_sure_of(changed, model, mode, outcome, text):
    desk = changed(mode)
    model.reply("It is SENT.", confidence="low")
    assert came(desk("where is B1234")) == (outcome, text)


@pytest.mark.parametrize(
    ("mode", "outcome", "text"),
    [
        (STRICT, "decline", NOT_KNOWN),
        (policy("mode: strict, on_failure: answer"), "answer", "It is SENT."),
        (policy("mode: strict, on_failure: ask"), "ask", SAY_MORE),
        (PREFER, "answer", "It is SENT."),
        (policy("mode: prefer, on_failure: decline"), "decline", NOT_KNOWN),
    ],
)
def test_what_becomes_of_a_reply_that_does_not_say_what_it_is(changed, model, mode, outcome, text):
    desk = changed(mode)
    model.says["generation"].append("It is SENT.")
    assert came(desk("where is B1234")) == (outcome, text)
    assert desk.record["generations"][-1]["problem"]


def test_strict_answers_nothing_without_a_result_even_if_told_to_believe(changed, model):
    desk = changed(policy("mode: strict, on_failure: answer"))
    model.choose("no_tool")
    model.says["generation"].append("It is SENT.")
    assert came(desk("where are we")) == ("ask", SAY_MORE)


@pytest.mark.parametrize("mode", [STRICT, PREFER, policy("mode: prefer, low_confidence: answer, on_failure: answer")])
@pytest.mark.parametrize(("kind", "outcome"), [("ask_for_clarification", "ask"), ("decline", "decline")])
@pytest.mark.parametrize("confidence", ["high", "low"])
def test_a_model_that_is_more_cautious_than_the_policy_is_believed(changed, model, mode, kind, outcome, confidence):
    desk = changed(mode)
    model.reply("I wonder about that.", kind=kind, confidence=confidence)
    assert came(desk("where is B1234")) == (outcome, "I wonder about that.")


@pytest.mark.parametrize(("text", "said"), [("I will not.", "I will not."), ("  ", NOT_KNOWN), ("", NOT_KNOWN)])
@pytest.mark.parametrize("message", ["where is B1234", "plain"])
def test_a_refusal_of_the_model_is_a_decline(desk, model, message, text, said):
    model.says["generation"].append({"answer": {"finish": "refused", "text": text, "value": None}})
    assert came(desk(message)) == ("decline", said)


# -- a call that lacks something --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [STRICT, PREFER, OFF])
@pytest.mark.parametrize(
    "said",
    [
        {"kind": "answer", "confidence": "high", "text": "It is SENT."},
        {"kind": "decline", "confidence": "high", "text": "I cannot say."},
        {"kind": "ask_for_clarification", "confidence": "high", "text": " "},
        "It is SENT.",
        "{broken",
        RuntimeError("away"),
    ],
)
def test_whatever_is_no_question_leaves_the_authors_own(changed, model, mode, said):
    desk = changed(mode)
    model.says["generation"].append(said)
    reply = desk("track it please")
    assert (*came(reply), reply["missing"]) == ("ask", "Which order?", ["order_no"])


@pytest.mark.parametrize(("mode", "said"), [(STRICT, "Which one: B1234, B5678?"), (PREFER, "B7777?"), (OFF, "B7777?")])
def test_a_question_names_no_candidate_of_its_own_in_strict(changed, model, mode, said):
    desk = changed(mode)
    model.reply("B7777?", kind="ask_for_clarification")
    assert came(desk("where are B1234 and B5678")) == ("ask", said)


# -- what was not shown -----------------------------------------------------------------------------------------------


def test_a_result_that_is_too_large_to_show_bears_no_answer(desk, model):
    model.answers["find"]["state"] = "x" * 12_000
    model.reply("It is on its way.")
    assert came(desk("where is B1234")) == ("ask", SAY_MORE)


def test_nor_are_its_figures_a_source(desk, model):
    model.answers["find"]["state"] = "x" * 12_000
    model.choose("find", more=True)
    model.propose(reason="late")
    model.reply("It takes 3 days.")
    assert came(desk("it is about B1234")) == ("decline", NOT_KNOWN)
    model.says["generation"] = []
    model.reply("It is held.")
    assert came(desk("it is about B1234")) == ("answer", "It is held.")


def test_a_masked_figure_is_no_source(desk, model):
    model.answers["find"]["token"] = "4711"
    model.reply("The token is 4711.")
    assert came(desk("where is B1234")) == ("decline", NOT_KNOWN)


def test_a_figure_is_not_sourced_by_the_models_own_proposal(desk, model):
    model.propose(reason="refund of 940 euros")
    model.reply("It is held for a refund of 940 euros.")
    assert came(desk("hold B1234")) == ("decline", NOT_KNOWN)
    assert desk.record["calls"][0]["arguments"]["reason"] == "refund of 940 euros"
