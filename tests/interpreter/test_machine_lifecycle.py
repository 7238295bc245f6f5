"""Status: the table is total, every message gets what its role and the status say, and people may act at any time."""

import itertools

import pytest

from interlock.interpreter.commands import CallTool, Changed
from interlock.interpreter.events import MessageReceived, TimerFired, ToolReturned
from interlock.interpreter.lifecycle import TRANSITIONS, transition

STATUSES = ("ai_active", "human_active", "closed")
HAPPENINGS = ("user", "agent", "other", "takeover", "release", "close", "handoff", "idle")


def test_every_happening_in_every_status_has_an_outcome():
    assert set(TRANSITIONS) == set(itertools.product(STATUSES, HAPPENINGS))


def test_nothing_leaves_closed_and_only_happenings_that_say_so_change_a_status():
    assert {after for (before, _), (after, _) in TRANSITIONS.items() if before == "closed"} == {"closed"}
    for (before, _), (after, effect) in TRANSITIONS.items():
        assert (before != after) == (effect == "changed")


@pytest.mark.parametrize(
    ("status", "happening", "expected"),
    [
        ("ai_active", "takeover", ("human_active", "changed")),
        ("human_active", "release", ("ai_active", "changed")),
        ("human_active", "takeover", ("human_active", "unchanged")),
        ("ai_active", "release", ("ai_active", "unchanged")),
        ("closed", "release", ("closed", "unchanged")),
        ("human_active", "idle", ("closed", "changed")),
    ],
)
def test_transitions(status, happening, expected):
    assert transition(status, happening) == expected


@pytest.fixture
def desk(talk):
    return talk.Talk(talk.tracking(), {"track": {"no": "ABCU1234567", "status": "OK"}})


def test_a_user_is_handed_to_the_colleague_who_has_taken_over(desk):
    assert desk.act("takeover", by="lin") == [Changed("human_active")]
    reply = desk.say("查询货物 ABCU1234567")
    assert (reply["outcome"], reply["text"], reply["status"]) == ("handed_off", "", "human_active")
    assert desk.calls == []
    assert desk.state.transcript[-1]["text"] == "查询货物 ABCU1234567"


def test_a_colleagues_words_are_passed_on_verbatim_and_into_the_outbox(desk):
    desk.act("takeover")
    reply = desk.say("查询货物 Flexport {{ x }}", role="agent")
    assert (reply["outcome"], reply["text"]) == ("answer", "查询货物 Flexport {{ x }}")
    assert (desk.record["response_source"], desk.changed()) == ("human", True)
    desk.say("and more", role="agent")
    assert [(one["number"], one["text"]) for one in desk.state.outbox] == [
        (1, "查询货物 Flexport {{ x }}"),
        (2, "and more"),
    ]


@pytest.mark.parametrize("role", ["agent", "system", "tool", "assistant", ""])
def test_other_roles_are_recorded_and_get_no_answer(desk, role):
    reply = desk.say("查询货物 ABCU1234567", role=role)
    assert (reply["outcome"], reply["text"], desk.calls) == ("empty", "", [])
    assert desk.state.transcript[-1]["role"] == role
    assert desk.record["message"]["role"] == role
    assert desk.state.messages == []


def test_release_goes_on_with_the_state_there_was(desk):
    desk.say("查询货物")
    desk.act("takeover")
    desk.act("release")
    assert desk.say("ABCU1234567")["outcome"] == "answer"


def test_what_is_said_to_a_colleague_stands_in_trusted_history(desk):
    desk.say("track shipment ABCU1234567")
    desk.act("takeover")
    desk.say("My other one is ABCU7654321")
    desk.act("release")
    reply = desk.say("帮查一下")
    assert (reply["outcome"], reply["candidates"]) == ("ask", {"no": ["ABCU1234567", "ABCU7654321"]})
    assert [arguments["no"] for _, arguments in desk.calls] == ["ABCU1234567"]


def test_the_one_identifier_said_to_a_colleague_may_be_looked_up(desk):
    desk.act("takeover")
    desk.say("查询货物 ABCU7654321")
    desk.act("release")
    assert desk.say("帮查一下")["outcome"] == "answer"
    assert [arguments["no"] for _, arguments in desk.calls] == ["ABCU7654321"]


def test_what_a_screen_hides_and_what_slots_would_keep_is_not_taken_from_words_for_a_colleague(talk):
    slots = {"no": talk.slot(patterns=talk.NUMBERS), "size": talk.slot(extract="integer", keep="session")}
    desk = talk.Talk(
        talk.tracking(slots=slots, vocabularies={"rivals": talk.words("ABCU7654321"), "follow_ups": talk.words("it")})
    )
    desk.act("takeover")
    desk.say("5 of ABCU7654321, and ABCU1234567")
    (kept,) = desk.state.messages
    assert [found[0] for found in kept["slots"]["no"]] == ["ABCU1234567"]
    assert "ABCU7654321" not in kept["text"]
    assert desk.state.slots == {}


def test_a_closed_session_says_so_and_runs_nothing(desk):
    assert desk.act("close") == [Changed("closed")]
    reply = desk.say("查询货物 ABCU1234567")
    assert (reply["outcome"], reply["status"], desk.calls) == ("closed", "closed", [])
    assert desk.say("hello", role="agent")["outcome"] == "closed"
    assert desk.act("takeover") == []


def test_events_leave_a_record_with_who_and_what_they_changed(desk):
    desk.act("takeover", by="lin")
    desk.act("takeover", by="wang")
    assert [(one["event"], one["by"], one["effect"], one["status"]) for one in desk.state.records] == [
        ("takeover", "lin", "changed", "human_active"),
        ("takeover", "wang", "unchanged", "human_active"),
    ]
    assert len({one["record_id"] for one in desk.state.records}) == 2


def test_an_idle_session_is_closed_and_a_timer_that_is_early_does_nothing(talk):
    desk = talk.Talk(talk.plan(session={"idle_timeout_ms": 60_000}))
    desk.say("hello")
    assert desk.wait(59_000) == []
    assert desk.wait(1_000) == [Changed("closed")]
    assert desk.record["event"] == "idle"
    assert desk.say("hello")["outcome"] == "closed"


def call_of(commands):
    (call,) = commands
    assert isinstance(call, CallTool)
    return call


def test_a_takeover_in_the_middle_of_a_turn_holds_at_once_and_the_turn_says_nothing(desk):
    call = call_of(desk.begin("查询货物 ABCU1234567"))
    assert desk.act("takeover", by="lin") == [Changed("human_active")]
    assert desk.state.status == "human_active"
    reply = desk.finish(desk.machine.handle(desk.answer(call)))
    assert (reply["outcome"], reply["text"], reply["data"]) == ("handed_off", "", None)
    assert desk.record["events"][0]["by"] == "lin"
    assert desk.record["invocation_count"] == 1
    assert desk.state.flow is None
    assert [one["role"] for one in desk.state.transcript] == ["user"]
    assert desk.state.turn == 1


def test_a_turn_that_is_given_back_before_its_tool_has_answered_goes_on(desk):
    call = call_of(desk.begin("查询货物 ABCU1234567"))
    desk.act("takeover")
    assert desk.act("release") == [Changed("ai_active")]
    reply = desk.finish(desk.machine.handle(desk.answer(call)))
    assert (reply["outcome"], reply["status"], reply["data"]["status"]) == ("answer", "ai_active", "OK")
    assert [one["event"] for one in desk.record["events"]] == ["takeover", "release"]


def test_a_turn_that_a_person_has_ended_does_not_come_back_with_the_release(desk):
    call = call_of(desk.begin("查询货物 ABCU1234567"))
    desk.act("takeover")
    assert desk.finish(desk.machine.handle(desk.answer(call)))["outcome"] == "handed_off"
    desk.act("release")
    assert (desk.machine.in_turn, desk.state.outbox) == (False, [])


def test_a_flow_that_a_person_has_interrupted_does_nothing_more(talk):
    handoff = talk.step("handoff", text={"*": "A colleague comes."})
    plan = talk.plan(
        tools={"a": talk.tool()}, mounts=[{"call": "a"}], flows={"talk": [talk.step("call", tool="a"), handoff]}
    )
    desk = talk.Talk(plan)
    call = call_of(desk.begin("go"))
    desk.act("takeover")
    reply = desk.finish(desk.machine.handle(desk.answer(call)))
    assert (reply["text"], reply["status"], desk.record["steps"][-1]["id"]) == ("", "human_active", "a")


def test_a_close_in_the_middle_of_a_turn_ends_it_closed(desk):
    call = call_of(desk.begin("查询货物 ABCU1234567"))
    desk.act("close")
    assert desk.finish(desk.machine.handle(desk.answer(call)))["outcome"] == "closed"


def test_no_further_call_goes_out_after_a_takeover(talk):
    desk = talk.Talk(
        talk.plan(
            tools={"a": talk.tool(), "b": talk.tool()},
            mounts=[{"call": "a"}, {"call": "b"}],
            flows={"talk": [talk.step("call", tool="a", catch=[talk.placed()]), talk.step("call", tool="b")]},
        )
    )
    call = call_of(desk.begin("go"))
    desk.act("takeover")
    desk.finish(desk.machine.handle(desk.answer(call)))
    assert [name for name, _ in desk.calls] == ["a"]


def test_what_comes_in_the_middle_of_a_turn_and_does_not_belong_there_is_a_bug(desk):
    call = call_of(desk.begin("查询货物 ABCU1234567"))
    with pytest.raises(RuntimeError):
        desk.machine.handle(MessageReceived("other", "hello", desk.now_ms))
    with pytest.raises(RuntimeError):
        desk.machine.handle(TimerFired("idle", desk.now_ms))
    with pytest.raises(RuntimeError):
        desk.machine.handle(ToolReturned("unknown", "returned", desk.now_ms))
    assert desk.finish(desk.machine.handle(desk.answer(call)))["outcome"] == "answer"
    with pytest.raises(RuntimeError):
        desk.machine.handle(desk.answer(call))
