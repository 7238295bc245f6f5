"""The record: one a turn, all keys always, places of the rules, nothing sensitive; and the transcript beside it."""

import pytest

from interlock.interpreter.state import RECORDS_KEPT


@pytest.fixture
def desk(talk):
    return talk.Talk(talk.tracking(), {"track": {"no": "ABCU1234567", "status": "OK"}})


def test_every_record_has_the_same_keys_whatever_happened(desk):
    desk.say("查询货物 ABCU1234567")
    desk.say("Flexport")
    desk.say("x", role="tool")
    desk.act("takeover")
    desk.say("hi", role="agent")
    desk.act("close")
    desk.say("hello")
    keys = {frozenset(record) for record in desk.state.records}
    assert len(keys) == 1
    assert {record["schema"] for record in desk.state.records} == {"v2"}
    assert {record["plan"] for record in desk.state.records} == {desk.program.digest}


def test_a_turn_with_a_call_says_who_decided_what_and_where(desk):
    desk.say("查询货物 ABCU1234567", id="req-1")
    record = desk.record
    assert record["record_id"] == "run/1"
    assert (record["request_id"], record["language"], record["outcome"]) == ("req-1", "zh", "answer")
    assert record["route"]["id"] == "tracking"
    assert record["route"]["at"].startswith("agent.yaml:")
    assert record["intents"] == ["tracking"]
    assert record["identifiers"] == [
        {"slot": "no", "value": "ABCU1234567", "raw": "ABCU1234567", "start": 5, "end": 16, "turn": 1}
    ]
    (call,) = record["calls"]
    assert (call["tool"], call["step"], call["outcome"]) == ("track", "track", "success")
    assert (record["invocation_count"], record["response_source"], record["response_rule_key"]) == (
        1,
        "direct_response",
        "brief",
    )
    assert (record["output_mode"], record["direct_response"], record["raw_passthrough"]) == ("json_subset", True, False)
    assert record["model_stage_decisions"] is None


def test_a_turn_that_asks_says_what_it_waits_for(desk):
    desk.say("查询货物")
    assert desk.record["waits_for"] == ["no"]
    assert desk.record["response_source"] == "clarify"
    desk.say("ABCU1234567")
    assert (desk.record["route"]["continued"], desk.record["waits_for"]) == (True, None)


def test_only_the_last_records_are_kept_and_ids_go_on(desk):
    for _ in range(RECORDS_KEPT + 3):
        desk.say("你好")
    assert len(desk.state.records) == RECORDS_KEPT
    assert [desk.state.records[0]["turn"], desk.record["turn"]] == [4, RECORDS_KEPT + 3]


def test_the_transcript_keeps_the_declared_number_of_lines(talk):
    desk = talk.Talk(talk.plan(session={"history": 3}))
    desk.say("one")
    desk.say("two")
    assert [(one["role"], one["text"]) for one in desk.state.transcript] == [
        ("assistant", "Hello."),
        ("user", "two"),
        ("assistant", "Hello."),
    ]


def test_sensitive_words_are_in_no_record_and_in_no_transcript(talk):
    plan = talk.plan(
        slots={"pin": talk.slot(patterns=(r"\bP\d{4}\b",), sensitive=True, ask={"*": "Your PIN?"})},
        message={
            "types": ("user_chat",),
            "metadata": {"token": {"type": "string", "optional": True, "sensitive": True}},
        },
        tools={"pay": talk.tool("pin")},
        mounts=[{"call": "pay"}],
        routes=[{"when": "slots.pin", "flow": "pay"}],
        flows={"pay": [talk.step("call", tool="pay"), talk.reply("Paid.")]},
    )
    desk = talk.Talk(plan, {"pay": {"ok": 1}})
    desk.say("my pin is p1234", metadata={"token": "t-secret"})
    assert desk.calls == [("pay", {"pin": "P1234"})]
    kept = f"{desk.state.records} {desk.state.transcript} {desk.state.receipts}".lower()
    assert "1234" not in kept
    assert "t-secret" not in kept
    assert desk.state.transcript[0]["text"] == "my pin is *****"


def test_the_reply_names_the_receipts_it_rests_on(desk):
    reply = desk.say("查询货物 ABCU1234567")
    assert reply["sources"] == [{"tool": "track", "receipt": desk.state.receipts[-1]["id"]}]
    assert desk.say("你好")["sources"] == []


def test_a_reply_has_exactly_the_keys_of_the_contract(desk):
    keys = {"turn", "text", "data", "outcome", "reason", "status", "missing", "candidates", "options"}
    keys |= {"assumptions", "sources", "record_id"}
    replies = [desk.say("查询货物"), desk.say("Flexport"), desk.say("x", role="tool"), desk.say("#get")]
    replies += [desk.say("y", id="m1")]
    assert all(set(reply) == keys for reply in replies)
    assert replies[-1]["outcome"] == "conflict"


@pytest.mark.parametrize("role", ["user", "agent"])
def test_history_that_comes_with_a_message_is_counted_and_changes_nothing(talk, role):
    plan = talk.tracking()
    plain, told = (talk.Talk(plan, {"track": {"no": "ABCU1234567", "status": "OK"}}) for _ in range(2))
    history = ({"role": "user", "text": "查询货物 ABCU1234567"}, {"role": "assistant", "text": "OK"})
    for text in ("那个呢", "查询货物"):
        assert told.say(text, role=role, history=history) == plain.say(text, role=role)
        assert (told.record["message"].pop("history"), plain.record["message"].pop("history")) == (2, 0)
        assert told.record == plain.record
    assert told.state.transcript == plain.state.transcript
