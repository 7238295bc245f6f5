"""One text that several slots could have read: it goes to the only one that is needed, or the question says what it is about."""

import pytest


@pytest.fixture
def desk(talk):
    def build(*steps, languages=("en",), **parts):
        slots = {
            "pin": talk.slot(patterns=(r"\b\d{4}\b",)),
            "n": talk.slot(extract="number", title={"*": "amount"}),
        }
        number = {"n": {"type": "number", "source": "slots.n", "send_as": "n"}}
        tools = {"enter": talk.tool("pin"), "pay": talk.tool(input=number)}
        base = {"mounts": [{"call": "enter"}, {"call": "pay"}], "flows": {"talk": list(steps)}}
        return talk.Talk(talk.plan(slots=slots, tools=tools, languages=languages, **{**base, **parts}), reborn=True)

    return build


def test_what_only_one_needed_slot_could_have_read_is_that_slots(talk, desk):
    one = desk(talk.step("collect", slots=("pin",)), talk.reply("pin {{ slots.pin }}"))
    assert one.say("my code is 1234")["text"] == "pin 1234"
    assert "n" not in one.record["slots"]
    other = desk(talk.step("call", tool="pay"), talk.reply("paid {{ slots.n }}"))
    assert (other.say("pay 2000")["text"], other.calls) == ("paid 2000", [("pay", {"n": 2000})])
    assert other.state.messages[-1]["slots"] == {}


def test_needs_are_those_of_all_that_the_flow_leads_to(talk, desk):
    inner = [talk.step("call", tool="enter"), talk.reply("in")]
    one = desk(flows={"talk": [talk.step("flow", flow="inner"), talk.step("call", tool="pay")], "inner": inner})
    assert one.say("pay 2000")["outcome"] == "ask"
    assert one.calls == []


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "2000 may stand for: pin, amount. Please give: pin."), ("zh", "2000可能是：pin、amount。请提供pin。")],
)
def test_where_several_are_needed_the_question_says_for_what_it_may_stand(talk, desk, language, question):
    steps = talk.step("call", tool="enter"), talk.step("call", tool="pay"), talk.reply("{{ slots.pin }}, {{ slots.n }}")
    one = desk(*steps, languages=(language,))
    reply = one.say("pay 2000")
    assert (reply["text"], reply["options"], reply["reason"]) == (question, ["2000"], "ambiguous")
    asked = one.say("1234")
    assert asked["missing"] == ["n"]
    assert "1234" not in asked["text"]
    assert one.say("2000")["text"] == "1234, 2000"
    assert one.calls == [("enter", {"pin": "1234"}), ("pay", {"n": 2000})]


def test_a_collecting_flow_asks_the_same_way(talk, desk):
    one = desk(talk.step("collect", slots=("pin", "n")), talk.reply("{{ slots.pin }}, {{ slots.n }}"))
    assert one.say("2000")["text"] == "2000 may stand for: pin, amount. Please give: pin."
    assert one.say("2000")["text"] == "Please give: amount."


def test_a_gate_that_calls_needs_what_its_tool_takes(talk, desk):
    gate = {"id": "pay", "when": "slots.n", "verdict": "call", "call": "pay"}
    one = desk(talk.reply("Hello."), gates=[gate])
    assert one.say("pay 2000")["outcome"] == "answer"
    assert one.calls == [("pay", {"n": 2000})]


def test_several_values_for_the_needed_slot_stay_ambiguous(talk, desk):
    one = desk(talk.step("collect", slots=("pin",)), talk.reply("pin {{ slots.pin }}"))
    reply = one.say("1234 or 5678")
    assert reply["text"] == "Several were found for pin: 1234, 5678. Which one?"
    assert one.say("5678")["text"] == "pin 5678"


def test_a_slot_of_the_session_that_loses_keeps_what_it_had(talk):
    slots = {
        "pin": talk.slot(patterns=(r"\b\d{4}\b",)),
        "n": talk.slot(extract="number", keep="session"),
    }
    intents = {"enter": talk.placed(keywords=("code",))}
    flows = {"enter": [talk.step("collect", slots=("pin",)), talk.reply("{{ slots.pin }} {{ slots.n }}")]}
    routes = [{"when": "intents.enter", "flow": "enter"}]
    one = talk.Talk(talk.plan(slots=slots, intents=intents, flows=flows, routes=routes), reborn=True)
    one.say("12")
    assert one.say("my code is 1234")["text"] == "1234 12"
