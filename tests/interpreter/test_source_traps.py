"""The traps of a shipment desk: what looks like a number and is none, and numbers that must not be reused."""

import pytest

FOUND = {"no": "555E898665", "status": "IN_TRANSIT", "x": 1}


@pytest.fixture
def desk(talk):
    return talk.Talk(talk.tracking(), {"track": lambda args: {"no": args["no"], "status": "IN_TRANSIT", "x": 1}})


def test_a_mixed_number_before_other_words_is_found_and_sent_verbatim(desk):
    reply = desk.say("555E898665 帮查一下")
    assert desk.calls == [("track", {"no": "555E898665", "query": "555E898665 帮查一下"})]
    assert reply["outcome"] == "answer"
    assert reply["text"] == '{"no": "555E898665", "status": "IN_TRANSIT"}'
    assert desk.record["response_source"] == "direct_response"


def test_a_bare_number_counts_after_track_shipment(desk):
    assert desk.say("Track Shipment")["outcome"] == "ask"
    assert desk.say("1234567890")["outcome"] == "answer"
    assert desk.calls[-1][1]["no"] == "1234567890"


def test_a_bare_number_out_of_the_blue_is_no_number(desk):
    reply = desk.say("1234567890")
    assert (desk.calls, reply["text"]) == ([], "Hello.")


def test_a_bare_number_beside_other_words_is_no_number(desk):
    desk.say("Track Shipment")
    assert desk.say("我有 1234567890 块")["outcome"] == "ask"
    assert desk.calls == []


@pytest.mark.parametrize("text", ["你好", "我今年 35 岁", "room 1234567", "abc", "S55ES00001345678"])
def test_ordinary_words_and_small_numbers_are_no_identifiers(desk, text):
    desk.say(text)
    assert desk.calls == []
    assert desk.record["identifiers"] == []


def test_two_numbers_are_asked_about_never_chosen(desk):
    reply = desk.say("ABCU1234567 ABCU7654321")
    assert reply["outcome"] == "ask"
    assert reply["candidates"] == {"no": ["ABCU1234567", "ABCU7654321"]}
    assert desk.calls == []
    assert desk.say("ABCU7654321")["outcome"] == "answer"
    assert desk.calls[-1][1]["no"] == "ABCU7654321"


def test_an_old_number_is_not_used_in_small_talk(desk):
    desk.say("ABCU1234567")
    desk.calls.clear()
    assert desk.say("谢谢，今天天气不错")["text"] == "Hello."
    assert desk.say("查一下天气")["text"] == "Hello."
    assert desk.calls == []


@pytest.mark.parametrize("text", ["那个呢", "请帮我查一下吧", "check it please", "查询货物"])
def test_an_old_number_is_used_by_a_follow_up_or_intent(desk, text):
    desk.say("查询货物 ABCU1234567")
    desk.calls.clear()
    desk.say(text)
    assert [args["no"] for _, args in desk.calls] == ["ABCU1234567"]


def test_several_old_numbers_are_asked_about(desk):
    desk.say("查询货物 ABCU1234567")
    desk.say("查询货物 ABCU7654321")
    desk.calls.clear()
    reply = desk.say("那个呢")
    assert (reply["outcome"], desk.calls) == ("ask", [])
    assert reply["candidates"] == {"no": ["ABCU1234567", "ABCU7654321"]}
    assert reply["data"] == {
        "missing_identifiers": [],
        "candidate_identifier_arguments": ["no"],
        "candidates": {"no": ["ABCU1234567", "ABCU7654321"]},
    }


def test_a_number_beyond_the_trusted_window_is_forgotten(desk):
    desk.say("查询货物 ABCU1234567")
    for text in ("你好", "你好", "你好"):
        desk.say(text)
    desk.calls.clear()
    assert desk.say("查询货物")["outcome"] == "ask"
    assert desk.calls == []


def test_a_number_handed_in_by_the_caller_is_no_history(desk):
    history = ({"role": "user", "content": "查询货物 ABCU1234567"},)
    assert desk.say("查询货物", history=history)["outcome"] == "ask"
    assert desk.calls == []


@pytest.mark.parametrize("text", ["飞 协 博 的价格", "飞\u200b协\u200b博", "Ｆｌｅｘｐｏｒｔ", "FLEXPORT?"])
def test_white_space_and_disguises_inside_an_alias_are_looked_through(desk, text):
    reply = desk.say(text)
    assert (reply["outcome"], reply["reason"]) == ("refuse", "rival")
    assert desk.calls == []


def test_quick_match_without_a_number_says_how_it_is_used(desk):
    desk.say("查询货物 ABCU1234567")
    desk.calls.clear()
    reply = desk.say("#get")
    assert (reply["outcome"], reply["reason"], reply["text"]) == ("answer", "usage", "One number after #get, please.")
    assert reply["missing"] == ["no"]
    assert desk.calls == []
    assert desk.record["response_source"] == "quick_match"
    assert desk.record["direct_response"] is False


def test_a_form_with_intent_words_gets_its_fixed_reply_and_no_call(desk):
    reply = desk.say("查询货物 ABCU1234567", type="form")
    assert reply["text"] == "收到"
    assert desk.calls == []
    assert desk.record["response_source"] == "fixed_reply"


def test_history_counts_for_chat_messages_only(talk):
    desk = talk.Talk(talk.tracking(gates=[]), {"track": {"no": "1"}})
    desk.say("查询货物 ABCU1234567")
    desk.calls.clear()
    desk.say("那个呢", type="other")
    desk.say("查询货物", type="rule")
    assert desk.calls == []
