"""Which tool is called, with which values, and when nobody is asked about it: a model may only choose and propose."""

import pytest


def sent(model):
    return [(tool, arguments) for tool, arguments in model.calls]


# -- selection --------------------------------------------------------------------------------------------------------


def test_one_tool_whose_identifier_stands_in_the_message_is_chosen_without_a_model(desk, model):
    model.reply("It is SENT and takes 3 days.")
    reply = desk("where is B1234")
    assert sent(model) == [("find", {"no": "B1234"})]
    assert [one.stage for one in model.questions] == ["generation"]
    assert (reply["outcome"], reply["text"]) == ("answer", "It is SENT and takes 3 days.")
    (selection,) = desk.record["selections"]
    assert (selection["by"], selection["tool"], selection["round"]) == ("rules", "find", 1)


def test_tools_without_a_cause_are_left_out_and_the_record_says_why(desk, model):
    model.reply("Which order?", kind="ask_for_clarification")
    desk("track it please")
    (selection,) = desk.record["selections"]
    assert selection["left_out"] == [{"tool": "hold", "why": "no identifier and no intent"}]


@pytest.mark.parametrize("text", ["hold B1234", "扣货 B1234"])
def test_of_several_that_qualify_the_one_whose_intent_holds_is_chosen(desk, model, text):
    model.propose(reason="late")
    model.reply("It is held.")
    desk(text)
    assert sent(model) == [("hold", {"no": "B1234", "reason": "late"})]
    assert model.asked("selection") == []


@pytest.mark.parametrize("text", ["it is about B1234", "关于 B1234"])
def test_several_that_qualify_are_for_the_model_to_choose_among(desk, model, text):
    model.choose("hold")
    model.propose(no="B1234", reason="wrong data", channel=None)
    model.reply("It is held.")
    desk(text)
    assert sent(model) == [("hold", {"no": "B1234", "reason": "wrong data"})]
    (question,) = model.asked("selection")
    assert question.schema["properties"]["tool"]["enum"] == ["find", "hold", "weather", "no_tool"]
    assert "Hold an order only when" in question.messages[0]["content"]


@pytest.mark.parametrize(
    "said", ["not JSON", {"tool": "gone"}, {"tool": ""}, {"tool": "no_tool"}, RuntimeError("away"), None]
)
def test_an_unusable_choice_is_no_tool(desk, model, said):
    if isinstance(said, dict):
        model.choose(**said)
    elif said is not None:
        model.says["selection"].append(said)
    model.reply("Hello.")
    reply = desk("it is about B1234")
    assert sent(model) == []
    assert desk.record["selections"][0]["tool"] is None
    assert reply["outcome"] in ("ask", "decline")


def test_a_tool_that_is_not_bound_is_never_chosen_for_being_the_only_one(desk, model):
    model.choose("no_tool")
    model.reply("Hello.", kind="ask_for_clarification")
    desk("hello")
    (question,) = model.asked("selection")
    assert question.schema["properties"]["tool"]["enum"] == ["weather", "no_tool"]
    assert sent(model) == []


def test_an_unbound_tool_may_be_chosen(desk, model):
    model.choose("weather")
    model.reply("The sky is clear.")
    assert desk("how is the sky")["text"] == "The sky is clear."
    assert sent(model) == [("weather", {})]


@pytest.mark.parametrize("more", [{"should_call_now": False}, {"missing_required_arguments": ["no"]}])
def test_a_choice_that_is_not_ready_is_not_called(desk, model, more):
    model.choose("hold", **more)
    model.reply("Which order?", kind="ask_for_clarification")
    desk("it is about B1234")
    assert sent(model) == []
    assert desk.record["calls"][0]["outcome"] == "missing"


def test_a_second_call_needs_the_models_word_for_it(desk, model):
    model.choose("find", more=True)
    model.choose("hold", more=True)
    model.propose(reason="late")
    model.reply("Held.")
    desk("it is about B1234")
    assert [tool for tool, _ in sent(model)] == ["find", "hold"]
    assert desk.record["invocation_count"] == 2


def test_a_tool_is_not_called_twice_in_a_turn(desk, model):
    model.choose("find", more=True)
    model.choose("find", more=True)
    model.reply("SENT.")
    desk("it is about B1234")
    assert [tool for tool, _ in sent(model)] == ["find"]


# -- the gate before arguments ----------------------------------------------------------------------------------------


def test_several_identifiers_are_asked_about(desk, model):
    model.reply("Which one, B1234 or B5678?", kind="ask_for_clarification")
    reply = desk("where are B1234 and B5678")
    assert sent(model) == []
    assert reply["outcome"] == "ask"
    assert reply["candidates"] == {"order_no": ["B1234", "B5678"]}
    assert model.asked("arguments") == model.asked("selection") == []


def test_intent_without_identifier_is_asked_about_and_the_model_may_only_ask(desk, model):
    model.reply("Which order do you mean?", kind="ask_for_clarification")
    reply = desk("track it please")
    assert (reply["outcome"], reply["text"], reply["missing"]) == ("ask", "Which order do you mean?", ["order_no"])
    assert reply["data"]["missing_identifiers"] == ["order_no"]
    assert "ask_for" in model.asked("generation")[0].messages[-1]["content"]
    assert sent(model) == []


@pytest.mark.parametrize("text", ["It is on its way.", ""])
def test_an_answer_in_place_of_the_question_is_dropped(desk, model, text):
    model.reply(text)
    reply = desk("track it please")
    assert (reply["outcome"], reply["text"]) == ("ask", "Which order?")
    assert desk.record["guard_flags"] == {"prose_dropped": True}


def test_a_model_that_is_away_leaves_the_authors_question(desk, model):
    assert desk("track it please")["text"] == "Which order?"
    assert desk.record["outcome"] == "ask"


def test_the_answer_to_the_question_goes_on(desk, model):
    model.reply("Which order?", kind="ask_for_clarification")
    desk("track it please")
    model.says["generation"] = []
    model.reply("SENT, 3 days.")
    assert desk("B1234")["text"] == "SENT, 3 days."
    assert sent(model) == [("find", {"no": "B1234"})]


@pytest.mark.parametrize("kind", ["rule", "form", "other"])
def test_other_messages_than_chat_call_nothing_without_an_identifier(desk, model, kind):
    model.choose("no_tool")
    model.reply("Noted.", kind="decline")
    desk("track it", kind=kind)
    assert sent(model) == []


# -- trusted history --------------------------------------------------------------------------------------------------


def follow(desk, model, text, **proposed):
    model.reply("SENT.")
    desk("where is my order B1234")
    model.calls.clear()
    if proposed:
        model.propose(**proposed)
    return desk(text)


@pytest.mark.parametrize("text", ["track it", "check it", "那个呢"])
def test_an_identifier_of_history_is_used_if_the_model_names_it(desk, model, text):
    follow(desk, model, text, no="B1234")
    assert sent(model) == [("find", {"no": "B1234"})]


@pytest.mark.parametrize("proposed", [{}, {"no": None}, {"no": ""}, {"other": "B1234"}])
def test_history_alone_fills_nothing(desk, model, proposed):
    reply = follow(desk, model, "track it", **proposed)
    assert sent(model) == []
    assert (reply["outcome"], reply["missing"]) == ("ask", ["order_no"])


@pytest.mark.parametrize("name", ["no", "order no.", "订单号", "order_no", "ORDER NO."])
def test_an_argument_may_be_called_by_its_aliases(desk, model, name):
    follow(desk, model, "track it", **{name: "b1234"})
    assert sent(model) == [("find", {"no": "B1234"})]


def test_several_identifiers_of_history_are_asked_about(desk, model):
    model.reply("SENT.")
    desk("where is my order B1234")
    desk("where is my order B5678")
    model.calls.clear()
    reply = desk("track it")
    assert (sent(model), reply["outcome"]) == ([], "ask")
    assert set(reply["candidates"]["order_no"]) == {"B1234", "B5678"}


def test_small_talk_reuses_no_identifier(desk, model):
    model.choose("no_tool")
    follow(desk, model, "thank you very much")
    assert sent(model) == []


# -- what is proposed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("invented", ["B7777", "B1235", "B12345", "1234", "the order"])
def test_an_invented_identifier_never_reaches_a_tool(desk, model, invented):
    reply = follow(desk, model, "track it", no=invented)
    assert sent(model) == []
    assert reply["outcome"] == "ask"
    assert desk.record["calls"][-1]["invented"] == ["no"]


def test_an_invented_identifier_beside_one_that_was_said_is_dropped(desk, model):
    model.choose("hold")
    model.propose(no="B9999", reason="late")
    model.reply("Held.")
    desk("hold B1234")
    assert sent(model) == [("hold", {"no": "B1234", "reason": "late"})]


@pytest.mark.parametrize("channel", ["AIR", "SEA", "by air", "XYZ"])
def test_a_code_that_the_user_did_not_say_is_not_taken_from_the_model(desk, model, channel):
    model.choose("hold")
    model.propose(reason="late", channel=channel)
    model.reply("Held.")
    desk("hold B1234")
    assert sent(model) == [("hold", {"no": "B1234", "reason": "late"})]


def test_a_code_that_the_user_said_is(desk, model):
    model.choose("hold")
    model.propose(reason="late", channel=None)
    model.reply("Held.")
    desk("hold B1234 by air")
    assert sent(model) == [("hold", {"no": "B1234", "reason": "late", "channel": "AIR"})]


@pytest.mark.parametrize("reason", [None, "", "x" * 61, 7, ["late"]])
def test_a_text_that_is_missing_or_not_as_declared_stops_the_call(desk, model, reason):
    model.choose("hold")
    model.propose(reason=reason)
    model.reply("Why?", kind="ask_for_clarification")
    desk("hold B1234")
    assert sent(model) == []
    assert desk.record["calls"][0]["outcome"] in ("missing", "blocked")


def test_arguments_that_cannot_be_read_are_none(desk, model):
    model.choose("hold")
    model.says["arguments"].append("{broken")
    model.reply("Why?", kind="ask_for_clarification")
    desk("hold B1234")
    assert sent(model) == []


def test_the_model_is_shown_codes_and_labels_and_nothing_of_the_session(desk, model):
    model.choose("hold")
    model.propose(reason="late")
    model.reply("Held.")
    desk("hold B1234")
    (question,) = model.asked("arguments")
    assert list(question.schema["properties"]) == ["no", "reason", "channel"]
    assert "AIR (by air)" in question.schema["properties"]["channel"]["description"]
    assert "order no." in question.schema["properties"]["no"]["description"]
    assert "u1" not in str(question.messages)


@pytest.mark.parametrize("reason", ["as for B9999", "like ｂ９９９９", "B1234 and B9999", "B9999B9999 B9999"])
def test_a_text_that_names_an_identifier_which_nobody_said_is_no_text(desk, model, reason):
    model.choose("hold")
    model.propose(reason=reason)
    model.reply("Why?", kind="ask_for_clarification")
    desk("hold B1234")
    assert sent(model) == []
    assert desk.record["calls"][0]["invented"] == ["reason"]


@pytest.mark.parametrize("reason", ["in place of B5678", "ｂ５６７８ first", "B1234, then B5678", "4 boxes of 9999"])
def test_a_text_may_name_what_was_said(desk, model, reason):
    model.reply("SENT.")
    desk("where is my order B5678")
    model.propose(reason=reason)
    desk("hold B1234")
    assert sent(model)[-1] == ("hold", {"no": "B1234", "reason": reason})


EXACT = ("patterns: ['\\bB\\d{4}\\b']", "patterns: ['\\bB\\d{4}[a-z]\\b']\n    case: exact")


@pytest.mark.parametrize(("no", "goes"), [("B1234x", True), ("Ｂ1234x", True), ("B1234X", False), ("b1234x", False)])
def test_where_case_counts_another_case_is_another_identifier(changed, model, no, goes):
    desk = changed(EXACT)
    model.reply("SENT.")
    desk("where is my order B1234x")
    model.propose(no=no)
    desk("track it")
    assert sent(model)[1:] == ([("find", {"no": "B1234x"})] if goes else [])


# -- how it ends ------------------------------------------------------------------------------------------------------


def test_a_failed_call_is_told_as_such(desk, model):
    model.statuses["find"] = 500
    model.reply("I could not find out.")
    desk("where is B1234")
    content = model.asked("generation")[0].messages[-1]["content"]
    assert '"outcome": "error"' in content
    assert "results" not in content


def test_a_service_that_lacks_an_argument_leads_to_a_question(desk, model):
    model.answers["find"] = {"code": "NEEDS"}
    model.reply("Which order?", kind="ask_for_clarification")
    reply = desk("where is B1234")
    assert (reply["outcome"], reply["missing"]) == ("ask", ["order_no"])


def test_a_direct_response_leaves_the_model_unasked(desk, model):
    reply = desk("brief B1234")
    assert (reply["text"], model.questions) == ("It is NEW.", [])
    assert desk.record["response_source"] == "direct_response"
    assert desk.record["generations"] == [] or "skipped" in desk.record["generations"][0]
