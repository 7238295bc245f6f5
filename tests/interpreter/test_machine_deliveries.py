"""One reply per message id: repeats, conflicts, and what is let go of when there is too much."""

import pytest

from interlock.interpreter.deliveries import REPLY_BYTES_KEPT
from interlock.interpreter.state import IDS_KEPT, IDS_KEPT_MS

PARTS = ("role", "type", "text", "metadata")


@pytest.fixture
def desk(talk):
    plan = talk.tracking(
        message={"types": ("user_chat", "form"), "metadata": {"n": {"type": "integer", "optional": True}}}
    )
    return talk.Talk(plan, {"track": {"no": "ABCU1234567", "status": "OK"}}, reborn=True)


def test_the_same_message_again_gets_the_first_reply_and_runs_nothing(desk):
    first = desk.say("查询货物 ABCU1234567", id="a")
    turn, records, calls = desk.state.turn, len(desk.state.records), len(desk.calls)
    assert desk.say("查询货物 ABCU1234567", id="a") == first
    assert (desk.state.turn, len(desk.state.records), len(desk.calls)) == (turn, records, calls)
    assert len(desk.state.transcript) == 2


@pytest.mark.parametrize("other", [{"role": "agent"}, {"type": "form"}, {"text": "你好 "}, {"metadata": {"n": 1}}])
def test_the_same_id_with_another_body_is_a_conflict_and_runs_nothing(desk, other):
    first = desk.say("你好", id="a")
    reply = desk.say(**{"text": "你好", **other}, id="a")
    assert (reply["outcome"], reply["text"], reply["record_id"]) == ("conflict", "", first["record_id"])
    assert desk.state.turn == 1
    assert desk.say("你好", id="a") == first


def test_history_handed_in_does_not_make_another_message(desk):
    first = desk.say("你好", id="a")
    assert desk.say("你好", id="a", history=({"role": "user", "content": "x"},)) == first


def test_a_message_for_a_colleague_is_delivered_once_too(desk):
    desk.act("takeover")
    first = desk.say("hi", role="agent", id="a")
    assert desk.say("hi", role="agent", id="a") == first
    assert desk.state.outbox_number == 1


def test_an_id_of_more_than_seven_days_ago_is_new(desk):
    desk.say("你好", id="a")
    desk.now_ms += IDS_KEPT_MS
    assert desk.say("changed", id="a")["outcome"] == "answer"
    assert list(desk.state.seen) == ["a"]


def test_an_id_that_is_used_again_later_keeps_its_new_reply(talk):
    desk = talk.Talk(talk.plan(flows={"talk": [talk.reply("x" * (REPLY_BYTES_KEPT // 8))]}))
    desk.say("hello", id="a")
    desk.now_ms += IDS_KEPT_MS
    for name in ("b", "a", "c", "d"):
        desk.say("hello", id=name)
    assert desk.state.seen["b"]["reply"] is None
    assert desk.say("hello", id="a")["text"].startswith("x")


def test_only_the_last_thousand_ids_are_kept(talk):
    desk = talk.Talk(talk.plan())
    for number in range(IDS_KEPT + 5):
        desk.say("hello", id=str(number))
    assert len(desk.state.seen) == IDS_KEPT
    assert "4" not in desk.state.seen
    assert "5" in desk.state.seen
    assert desk.say("other", id="5")["outcome"] == "conflict"
    assert desk.say("other", id="4")["outcome"] == "answer"


@pytest.mark.parametrize("reborn", [False, True])
def test_large_replies_are_given_up_oldest_first_but_their_ids_are_not(talk, reborn):
    size = REPLY_BYTES_KEPT // 8
    desk = talk.Talk(talk.plan(flows={"talk": [talk.reply("x" * size)]}), reborn=reborn)
    for number in range(12):
        desk.say("hello", id=str(number))
    held = [name for name, entry in desk.state.seen.items() if entry["reply"] is not None]
    assert 1 <= len(held) <= 8
    assert held == [str(number) for number in range(12 - len(held), 12)]
    reply = desk.say("hello", id="0")
    assert (reply["outcome"], reply["reason"]) == ("empty", "reply_no_longer_held")
    assert (reply["turn"], reply["record_id"]) == (1, "run/1")
    assert desk.state.turn == 12
    assert desk.say("other", id="0")["outcome"] == "conflict"
    assert desk.say("hello", id="11")["text"].startswith("x")


def test_a_text_of_lone_surrogates_has_a_digest_too(desk):
    assert desk.say("\ud800", id="a") == desk.say("\ud800", id="a")
