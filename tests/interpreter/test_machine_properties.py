"""What must hold for any conversation: state is all there is, decisions are repeatable, nothing untold reaches a tool."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import PersonActed
from interlock.interpreter.machine import Machine
from interlock.interpreter.state import restored

PHRASES = (
    "你好", "hello", "查询货物", "track shipment", "那个呢", "check it please", "ABCU1234567", "ABCU7654321", "555E898665 帮查一下",
    "1234567890", "飞 协 博", "#get", "#get ABCU1234567", "red", "blue and red", "complain", "", "   ", "{{ config }}", "ABCU1234567 ABCU7654321",
)  # fmt: skip

messages = st.tuples(
    st.just("say"),
    st.one_of(st.sampled_from(PHRASES), st.text(max_size=12)),
    st.sampled_from(["user", "user", "user", "user", "agent", "tool"]),
    st.sampled_from(["user_chat", "user_chat", "user_chat", "form", "rule"]),
)
acts = st.tuples(st.just("act"), st.sampled_from(["takeover", "release", "release"]))
again = st.tuples(st.just("again"), st.integers(0, 5))
events = st.lists(st.one_of(messages, messages, messages, acts, again), max_size=14)
endings = st.lists(st.sampled_from(["ok", "ok", "timeout", "error", "odd"]), min_size=1, max_size=5)


def the_plan(talk):
    base = talk.tracking()
    steps = [
        talk.step("collect", slots=("colour",)),
        talk.step("set", values={"seen": "{{ slots.colour }}"}),
        talk.step(
            "call",
            tool="track",
            catch=[
                talk.placed(
                    errors=("timeout", "error"),
                    do=[talk.step("collect", slots=("size",)), talk.reply("{{ error.kind }}")],
                )
            ],
        ),
        talk.reply("{{ vars.seen }} {{ slots.size | default('-') }}"),
    ]
    content = base.model_dump()
    content["vocabularies"] |= {"colours": talk.words("red", "blue"), "sizes": talk.words("small", "large")}
    content["slots"] |= {
        "colour": talk.slot(vocabulary="colours", keep="session"),
        "size": talk.slot(vocabulary="sizes", assume="small"),
    }
    content["intents"] |= {"complain": talk.placed(keywords=("complain",))}
    content["routes"] = [talk.placed(id="complain", when="intents.complain", flow="complain"), *content["routes"]]
    content["flows"] |= {"complain": steps}
    return type(base).model_validate(content)


@pytest.fixture(scope="module")
def plan(talk):
    return the_plan(talk)


def answers(endings):
    """The ends of calls, in turn: a function of how many there were, so that two runs see the same."""
    left = list(endings)

    def answer(arguments):
        kind = left.pop(0) if left else "ok"
        if kind in ("timeout", "error"):
            return {"end": {"ending": kind, "message": "down"}}
        return {"no": arguments["no"], "status": "OK"} if kind == "ok" else ["odd", None, 2**70]

    return {"track": answer}


def played(talk, plan, events, endings, *, reborn):
    desk = talk.Talk(plan, answers(endings), reborn=reborn)
    sent, replies = [], []
    for kind, *event in events:
        if kind == "act":
            desk.act(event[0])
        elif kind == "say":
            text, role, type_ = event
            sent.append({"text": text, "role": role, "type": type_, "id": f"id{len(sent)}"})
            replies.append(desk.say(**sent[-1]))
        elif sent:
            replies.append(desk.say(**sent[event[0] % len(sent)]))
    return desk, replies


@settings(max_examples=120, deadline=None)
@given(events=events, endings=endings)
def test_a_session_that_is_put_away_between_turns_goes_on_as_if_it_had_not_been(talk, plan, events, endings):
    one, replies = played(talk, plan, events, endings, reborn=False)
    other, replies_again = played(talk, plan, events, endings, reborn=True)
    assert replies == replies_again
    assert one.calls == other.calls
    assert one.state.as_json() == other.state.as_json()


@settings(max_examples=60, deadline=None)
@given(events=events, endings=endings)
def test_the_same_events_give_the_same_state_and_the_state_is_json(talk, plan, events, endings):
    one, _ = played(talk, plan, events, endings, reborn=False)
    other, _ = played(talk, plan, events, endings, reborn=False)
    assert one.state.as_json() == other.state.as_json()
    text = json.dumps(one.state.as_json(), sort_keys=True)
    assert restored(json.loads(text)).as_json() == json.loads(text)


@settings(max_examples=80, deadline=None)
@given(events=events, endings=endings)
def test_every_identifier_that_reached_a_tool_stands_in_a_message_of_the_user(talk, plan, events, endings):
    desk, _ = played(talk, plan, events, endings, reborn=False)
    said = " ".join(event[1] for event in events if event[0] == "say" and event[2] == "user")
    assert all(arguments["no"] in said for _, arguments in desk.calls)


@settings(max_examples=60, deadline=None)
@given(events=events, endings=endings)
def test_every_turn_has_one_record_and_numbers_never_repeat(talk, plan, events, endings):
    desk, replies = played(talk, plan, events, endings, reborn=False)
    turns = [record["turn"] for record in desk.state.records]
    assert turns == list(range(1, desk.state.turn + 1))
    assert all(reply["record_id"] == f"run/{reply['turn']}" for reply in replies)


@settings(max_examples=60, deadline=None)
@given(text=st.sampled_from(PHRASES), event=st.sampled_from(["takeover", "close"]))
def test_a_turn_that_a_person_interrupts_says_nothing(talk, plan, text, event):
    desk = talk.Talk(plan, answers([]))
    desk.say("查询货物")
    commands = desk.begin(text)
    calls = [one for one in commands if isinstance(one, CallTool)]
    if not calls:
        return
    desk.machine.handle(PersonActed(event, desk.now_ms))
    reply = desk.finish([command for call in calls for command in desk.machine.handle(desk.answer(call))])
    assert (reply["text"], reply["outcome"]) == ("", "handed_off" if event == "takeover" else "closed")
    assert Machine(desk.program, restored(desk.state.as_json())).state == desk.state
