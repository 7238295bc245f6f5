"""Quick match: the longest prefix, exactly one value behind it, and never the conversation instead."""

import pytest

ROWS = {"no": "ABCU1234567", "status": "OK", "secret": 1}


@pytest.fixture
def desk(talk):
    def gate(id_, prefix, **parts):
        return {"id": id_, "prefix": prefix, "fills": "no", "verdict": "call", "call": "track", **parts}

    plan = talk.tracking(
        gates=[
            gate("get", "#get", when="message.type == 'user_chat'", respond="brief"),
            gate("get_raw", "#get_raw"),
            gate("get_words", "#get in words", respond="words"),
            gate("words", "#say", respond="words"),
            {"id": "help", "prefix": "#help", "verdict": "reply", "text": {"*": "Try #get."}},
        ],
        responses={
            "brief": talk.placed(kind="fields", fields=("no", "status"), fenced=True),
            "words": talk.placed(kind="text", text={"*": "It is {{ result.status }}."}),
        },
    )
    return talk.Talk(plan, {"track": ROWS})


def test_one_number_behind_the_prefix_is_called_and_rendered_as_named(desk):
    reply = desk.say("#get ABCU1234567")
    assert reply["text"] == '```json\n{"no": "ABCU1234567", "status": "OK"}\n```'
    assert desk.calls[0][1]["no"] == "ABCU1234567"
    record = desk.record
    assert (record["response_source"], record["quick_match_prefix"], record["response_rule_key"]) == (
        "quick_match",
        "#get",
        "brief",
    )
    assert (record["direct_response"], record["output_mode"], record["invocation_count"]) == (True, "json_subset", 1)


def test_without_a_formatter_the_reply_is_raw_json_and_not_the_mounts_own(desk):
    reply = desk.say("#get_raw ABCU1234567")
    assert reply["text"] == '{"no": "ABCU1234567", "status": "OK", "secret": 1}'
    assert reply["data"] == ROWS
    assert (desk.record["output_mode"], desk.record["response_rule_key"]) == ("raw_json", None)


def test_the_longest_prefix_wins_wherever_it_stands(desk):
    assert desk.say("#get in words ABCU1234567")["text"] == "It is OK."
    assert desk.record["quick_match_prefix"] == "#get in words"
    assert desk.say("#get in")["reason"] == "usage"


def test_a_text_formatter_gives_words(desk):
    assert desk.say("#say ABCU1234567")["text"] == "It is OK."


@pytest.mark.parametrize(
    "text", ["#get ABCU1234567", "#getABCU1234567", "  #get\tABCU1234567 ", "#get\u3000ABCU1234567"]
)
def test_white_space_or_an_identifier_may_follow_the_prefix(desk, text):
    desk.say(text)
    assert [args["no"] for _, args in desk.calls] == ["ABCU1234567"]


@pytest.mark.parametrize("text", ["#getter ABCU1234567", "say #get ABCU1234567", "#GET ABCU1234567"])
def test_anything_else_is_an_ordinary_message(desk, text):
    desk.say(text)
    assert desk.record["quick_match_prefix"] is None
    assert desk.record["response_source"] == "direct_response"


@pytest.mark.parametrize(
    "text",
    ["#get", "#get   ", "#get hello", "#get ABCU1234567 ABCU7654321", "#get ABCU1234567 please", "#get 12"],
)
def test_a_suffix_that_is_not_exactly_one_identifier_gets_usage_guidance(desk, text):
    reply = desk.say(text)
    assert desk.calls == []
    assert (reply["outcome"], reply["reason"], reply["missing"]) == ("answer", "usage", ["no"])
    assert "#get" in reply["text"]


def test_a_value_that_counts_in_context_only_is_accepted_behind_a_prefix(desk):
    desk.say("#get 1234567890")
    assert desk.calls[0][1]["no"] == "1234567890"


def test_a_prefix_counts_only_when_its_condition_holds(desk):
    reply = desk.say("#get ABCU1234567", type="rule")
    assert desk.record["quick_match_prefix"] is None
    assert reply["outcome"] == "answer"


def test_a_prefix_may_stand_for_a_fixed_text(desk):
    assert desk.say("#help")["text"] == "Try #get."


@pytest.mark.parametrize(
    ("end", "status"),
    [({"ending": "timeout", "message": "no answer"}, "timeout"), ({"ending": "error", "message": "down"}, "error")],
)
def test_a_failed_call_without_payload_is_a_minimal_error_object(desk, end, status):
    desk.answers = {"track": {"end": end}}
    reply = desk.say("#get_raw ABCU1234567")
    assert (reply["outcome"], reply["reason"]) == ("error", status)
    assert reply["data"].keys() == {"server_name", "tool_name", "status", "error_message"}
    assert (reply["data"]["tool_name"], reply["data"]["status"]) == ("track", status)


def test_a_failed_call_with_a_payload_shows_the_payload(desk):
    desk.answers = {"track": {"end": {"ending": "returned", "status": 500, "payload": {"why": "broken"}}}}
    reply = desk.say("#get_raw ABCU1234567")
    assert (reply["outcome"], reply["text"]) == ("error", '{"why": "broken"}')


def test_a_waiting_flow_stays_while_a_command_is_answered(desk):
    assert desk.say("查询货物")["outcome"] == "ask"
    desk.say("#help")
    assert desk.state.flow is not None
    assert desk.say("ABCU7654321")["outcome"] == "answer"
    assert desk.calls[-1][1]["no"] == "ABCU7654321"
