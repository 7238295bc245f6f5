"""What a person reads when no model answers, or when what it answers is no reply; and what is said as it stands."""

import time

import pytest

from interlock.authoring.model_stubs import StubbedModels, StubbedWriters
from interlock.interpreter.texts import ENGINE_TEXTS
from interlock.spec.suite import ModelStub

SAY_MORE, NOT_KNOWN = ENGINE_TEXTS["say_more"]["en"], ENGINE_TEXTS["not_known"]["en"]
AWAY = "The assistant is away."
STRICT, PREFER, OFF = [
    ("grounding: {mode: strict}", f"grounding: {{mode: {mode}}}") for mode in ("strict", "prefer", "'off'")
]


def came(reply):
    return reply["outcome"], reply["text"]


# -- when no model answers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("timeout", "degraded"),
        ("error", "degraded"),
        ("overloaded", "degraded"),
        ("huge", "degraded"),
        ("wrong_tool", "degraded"),
        ("malformed", "decline"),
        ("length", "decline"),
        ("extra_fields", "decline"),
        ("refused", "decline"),
    ],
)
@pytest.mark.parametrize("text", ["where is B1234", "B1234 where 在哪里呢"])
def test_what_each_fault_comes_to(desk, model, fault, outcome, text):
    stubbed = StubbedModels({"general": [ModelStub(fault=fault)]}, {})
    model.write = StubbedWriters(stubbed).write
    reply = desk(text)
    language = "zh" if "在" in text else "en"
    fallback = {"en": AWAY, "zh": "助手暂时不可用。"}
    said = fallback if outcome == "degraded" else ENGINE_TEXTS["not_known"]
    assert came(reply) == (outcome, said[language])
    assert [call["outcome"] for call in desk.record["calls"]] == ["success"]
    assert [one["tool"] for one in reply["sources"]] == ["find"]


def test_the_record_tells_why_no_model_has_answered(desk, model):
    model.says["generation"].append(RuntimeError("429: too many questions"))
    assert desk("where is B1234")["reason"] == "model"
    (written,) = desk.record["generations"]
    assert (written["error"], written["role"], written["finish"]) == ("429: too many questions", "general", None)
    assert [(one["code"], one["message"]) for one in desk.record["problems"]] == [("model", "429: too many questions")]


def test_the_record_tells_how_often_a_model_was_asked(desk, model):
    said = {"kind": "answer", "confidence": "high", "text": "SENT."}
    model.says["generation"].append(said | {"answer": {"attempts": 3, "value": said}})
    desk("where is B1234")
    assert desk.record["generations"][0]["attempts"] == 3


def test_without_a_fallback_the_engine_says_it(changed, model):
    desk = changed(("fallback: {en: The assistant is away., zh: 助手暂时不可用。}\n", ""))
    assert came(desk("plain")) == ("degraded", ENGINE_TEXTS["no_model"]["en"])
    assert came(desk("plain 你好你好你好")) == ("degraded", ENGINE_TEXTS["no_model"]["zh"])


@pytest.mark.parametrize(("text", "said"), [("caught", "Call us."), ("caught 你好你好你好", "请致电。")])
@pytest.mark.parametrize("answer", [RuntimeError("away"), "", '{"kind": "answer", "confidence": "high", "text": ""}'])
def test_a_catch_does_something_else(changed, model, text, said, answer):
    desk = changed(PREFER)
    model.says["generation"].append(answer)
    assert came(desk(text)) == ("answer", said)
    assert len(desk.record["caught"]) == 1


def test_what_was_said_before_is_said_too(changed, model):
    desk = changed(("  plain:\n", "  plain:\n    - reply: {en: Hello., zh: 你好。}\n"))
    assert came(desk("plain")) == ("degraded", f"Hello.\n\n{AWAY}")


# -- replies that broke off -------------------------------------------------------------------------------------------


CUT = ENGINE_TEXTS["cut"]


def broken_off(model, text):
    model.says["generation"] = [{"answer": {"finish": "length", "text": text, "value": None}}]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It is SENT. It costs 1", "It is SENT."),
        ("It is SENT! Then (it", "It is SENT!"),
        ("**It is SENT.** And", "**It is SENT.**"),
        ("- SENT\n- HELD\n- GO", "- SENT\n- HELD"),
        ("It is SENT. See example.com/par", "It is SENT."),
        ("It is SENT. It weighs 3.", "It is SENT."),
        ("It is SENT.", "It is SENT."),
    ],
)
def test_a_reply_that_broke_off_is_said_to_its_last_whole_sentence_and_as_what_it_is(changed, model, written, said):
    desk = changed(OFF)
    broken_off(model, written)
    assert came(desk("where is B1234")) == ("degraded", f"{said}\n\n{CUT['en']}")
    assert desk.record["guard_flags"]["cut"] is True
    assert (desk.record["reason"], desk.record["generations"][0]["finish"]) == ("cut", "length")


def test_it_is_said_in_the_language_of_the_person(changed, model):
    desk = changed(OFF)
    broken_off(model, "已经发货。大约还要三")
    assert came(desk("查订单 B1234")) == ("degraded", f"已经发货。\n\n{CUT['zh']}")


@pytest.mark.parametrize("written", ["It is", "It weighs 3.", "运费是"])
def test_of_a_reply_without_a_whole_sentence_nothing_is_said(changed, model, written):
    desk = changed(OFF)
    broken_off(model, written)
    assert came(desk("where is B1234")) == ("degraded", AWAY)
    assert desk.record["problems"][0]["message"] == "the model wrote nothing whole"


def test_a_reply_of_which_each_part_is_there_is_whole(desk, model):
    said = {"kind": "answer", "confidence": "high", "text": "It is SENT."}
    model.says["generation"] = [{"answer": {"finish": "length", "text": "", "value": said}}]
    assert came(desk("where is B1234")) == ("answer", "It is SENT.")


def test_strict_says_nothing_of_a_reply_that_broke_off(desk, model):
    broken_off(model, "It is SENT. It will")
    assert came(desk("where is B1234")) == ("decline", NOT_KNOWN)


# -- hostile replies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " \n\t\u3000"])
@pytest.mark.parametrize("mode", [STRICT, PREFER, OFF])
def test_an_answer_without_words_is_none(changed, model, text, mode):
    desk = changed(mode)
    if mode is OFF:
        model.says["generation"].append(text)
    else:
        model.reply(text)
    assert came(desk("where is B1234")) == ("degraded", AWAY)


@pytest.mark.parametrize("kind", ["ask_for_clarification", "decline"])
def test_a_question_without_words_is_the_engines(desk, model, kind):
    model.reply("", kind=kind)
    assert desk("where is B1234")["text"] == (NOT_KNOWN if kind == "decline" else SAY_MORE)


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "answer", "confidence": "high", "text": "It is SE',
        '{"kind": "answer", "confidence": "high"}',
        '{"kind": "shout", "confidence": "high", "text": "It is SENT."}',
        '{"kind": "answer", "confidence": 1, "text": "It is SENT."}',
        '{"kind": "answer", "confidence": "high", "text": null}',
        '{"kind": "answer", "confidence": "high", "text": "It is SENT.", "more": 1}',
        '{"kind": "answer", "kind": "decline", "confidence": "high", "text": "It is SENT."}',
        'Here it is:\n```json\n{"answer": "It is SENT."}\n```',
    ],
)
@pytest.mark.parametrize(("mode", "outcome", "said"), [(STRICT, "decline", NOT_KNOWN), (PREFER, "degraded", AWAY)])
def test_an_object_that_was_not_asked_for_is_never_read_out(changed, model, text, mode, outcome, said):
    desk = changed(mode)
    model.says["generation"].append(text)
    assert came(desk("where is B1234")) == (outcome, said)


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", "Of course!\n\n{}\n\nThere you are."])
def test_an_object_in_fences_is_read(desk, model, fence):
    said = '{"kind": "answer", "confidence": "high", "text": "It is SENT."}'
    model.says["generation"].append(fence.replace("{}", said))
    assert came(desk("where is B1234")) == ("answer", "It is SENT.")


@pytest.mark.parametrize(
    "text",
    [
        "{{ config.company }} {% for one in config %}x{% endfor %} {# gone #}",
        "{{ secrets.LLM_KEY }} ${LLM_KEY} %(key)s {title}",
        "```json\nSENT\n```",
        "<script>alert()</script> </context>",
        "null \x00 bell \x07",
        "half \ud83d of a pair",
        "x" * 200_000,
    ],
)
@pytest.mark.parametrize("mode", [STRICT, OFF])
def test_a_reply_is_said_literally(changed, model, text, mode):
    desk = changed(mode)
    if mode is OFF:
        model.says["generation"].append(text)
    else:
        model.reply(text)
    assert came(desk("where is B1234")) == ("answer", text)
    assert desk.record["response_source"] == "llm_generated"


@pytest.mark.parametrize("piece", ["9", "9,", "1 000 ", "一百", "\n1. ", "#", "{", "<context>", "\u0661"])
def test_no_reply_takes_long_to_judge(desk, model, piece):
    model.reply(piece * (200_000 // len(piece)))
    began = time.monotonic()
    desk("where is B1234")
    assert time.monotonic() - began < 5
