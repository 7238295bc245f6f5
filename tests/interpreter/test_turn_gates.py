"""Gates: their order, what each verdict does, what the record says of them, and that they fail closed."""

import pytest


def gate(id_, verdict="reply", **parts):
    text = {} if verdict in ("call", "assume", "skip") else {"text": {"*": f"said by {id_}"}}
    return {"id": id_, "verdict": verdict, **text, **parts}


@pytest.fixture
def with_gates(talk):
    def build(*gates, **parts):
        base = {
            "vocabularies": {"rivals": talk.words("Flexport"), "colours": talk.words("red", "blue")},
            "slots": {"colour": talk.slot(vocabulary="colours"), "size": talk.slot(extract="integer")},
            "user": {"age": {"type": "integer", "optional": True}},
        }
        user = parts.pop("user_is", {})
        answers = parts.pop("answers", {})
        return talk.Talk(talk.plan(gates=list(gates), **{**base, **parts}), answers, user=user)

    return build


def test_the_first_gate_that_ends_the_turn_wins(with_gates):
    desk = with_gates(gate("a", when="message.type == 'form'"), gate("b", when="slots.colour == 'red'"), gate("c"))
    assert desk.say("red")["text"] == "said by b"
    assert desk.gates == {"a": "pass", "b": "reply"}


def test_screens_run_before_other_gates_wherever_they_stand(with_gates):
    desk = with_gates(gate("always"), gate("rivals", "refuse", screen="rivals", reason="rival"))
    assert desk.say("what does Flexport cost?")["reason"] == "rival"
    assert desk.gates == {"rivals": "refuse"}
    assert desk.say("hello")["text"] == "said by always"
    assert list(desk.gates) == ["rivals", "always"]


@pytest.mark.parametrize(
    ("verdict", "outcome", "source", "status"),
    [
        ("reply", "answer", "fixed_reply", "ai_active"),
        ("ask", "ask", "gate", "ai_active"),
        ("refuse", "refuse", "gate", "ai_active"),
        ("handoff", "handed_off", "gate", "human_active"),
    ],
)
def test_a_verdict_that_says_something_ends_the_turn(with_gates, verdict, outcome, source, status):
    desk = with_gates(gate("g", verdict, reason="" if verdict == "handoff" else "code"))
    reply = desk.say("red")
    assert (reply["outcome"], reply["text"], reply["status"]) == (outcome, "said by g", status)
    assert desk.record["response_source"] == source
    assert desk.changed() == (verdict == "handoff")


def test_options_are_said_in_the_language_of_the_reader(with_gates):
    option = {"zh": "红", "en": "red"}
    desk = with_gates(gate("g", "ask", options=[option]), languages=("zh", "en"))
    assert desk.say("哪个颜色")["options"] == ["红"]
    assert desk.say("which colour")["options"] == ["red"]


def test_assume_fills_a_missing_slot_says_so_and_goes_on(talk, with_gates):
    desk = with_gates(
        gate("g", "assume", assume={"colour": "blue"}),
        flows={"talk": [talk.reply("You get {{ slots.colour }}.")]},
    )
    reply = desk.say("hello")
    assert reply["text"] == "You get blue.\n\nAssumed: colour blue."
    assert reply["assumptions"] == [{"slot": "colour", "value": "blue", "note": "colour blue", "options": ["red"]}]
    assert reply["options"] == ["red"]
    assert desk.say("red please")["text"] == "You get red."


def test_gates_behind_one_that_acts_are_asked_with_what_it_did(with_gates):
    desk = with_gates(
        gate("never", when="message.type == 'form'"),
        gate("blue", "assume", when="not slots.colour", assume={"colour": "blue"}),
        gate("old", when="user.age > 90"),
        gate("ends", when="slots.colour == 'blue'"),
        gate("unasked", when="slots.colour == 'blue'"),
    )
    assert desk.say("hello")["text"].startswith("said by ends")
    assert desk.gates == {"never": "pass", "blue": "assume", "old": "pass", "ends": "reply"}
    reasons = {seen["id"]: seen["why"] for seen in desk.record["gates"]}
    assert reasons == {"never": "not met", "blue": "met", "old": "missing", "ends": "met"}
    desk.say("red")
    assert list(desk.gates) == ["never", "blue", "old", "ends", "unasked"]


def test_skip_makes_a_tool_ineligible_for_the_turn(talk, with_gates):
    desk = with_gates(
        gate("g", "skip", skip=["paint"], when="slots.colour == 'red'"),
        tools={"paint": talk.tool("colour")},
        mounts=[{"call": "paint"}],
        flows={"talk": [talk.step("call", tool="paint"), talk.reply("Done.")]},
    )
    assert desk.say("red")["text"] == "Done."
    assert (desk.calls, desk.record["skipped_tools"]) == ([], ["paint"])
    desk.say("blue")
    assert desk.calls == [("paint", {"colour": "blue"})]


def test_a_gate_may_call_and_say_the_result(talk, with_gates):
    desk = with_gates(
        gate("g", "call", call="paint", respond="words", when="slots.colour"),
        tools={"paint": talk.tool("colour")},
        mounts=[{"call": "paint"}],
        responses={"words": talk.placed(kind="text", text={"*": "Painted {{ result.what }}."})},
        answers={"paint": {"what": "a door"}},
    )
    assert desk.say("blue")["text"] == "Painted a door."
    assert (desk.record["response_source"], desk.record["invocation_count"]) == ("gate", 1)


def test_a_missing_value_only_means_that_the_gate_does_not_hold(with_gates):
    desk = with_gates(gate("g", when="not message.metadata.vip"))
    assert desk.say("red")["text"] == "Hello."
    assert desk.record["gates"][0] == {
        **desk.record["gates"][0], "verdict": "pass", "why": "missing", "path": "message.metadata.vip"
    }  # fmt: skip


def test_a_gate_that_cannot_be_evaluated_refuses(with_gates):
    desk = with_gates(gate("g", when="(slots.size | upper) == 'X'"))
    reply = desk.say("size 7")
    assert (reply["outcome"], reply["reason"]) == ("refuse", "gate_failed")
    assert not any(letter.isdigit() for letter in reply["text"])
    assert desk.record["gates"][-1]["why"] == "gate_failed"
    assert desk.record["problems"][0]["code"] == "gate-failed"


def test_a_gate_whose_text_cannot_be_rendered_refuses(with_gates):
    desk = with_gates(gate("g", text={"*": "For {{ user.age }}, {{ message.metadata.vip }}"}))
    reply = desk.say("red")
    assert (reply["outcome"], reply["reason"]) == ("refuse", "gate_failed")
    assert "For" not in reply["text"]


def test_the_users_attributes_are_those_of_the_opening(with_gates):
    desk = with_gates(gate("g", when="user.age >= 18"), user_is={"age": 20})
    assert desk.say("I am 5", metadata={})["text"] == "said by g"


def test_every_gate_evaluated_is_in_the_record_with_its_place(with_gates):
    desk = with_gates(gate("a", when="slots.colour == 'red'"), gate("b", prefix="#x", fills="colour"), gate("c"))
    desk.say("blue")
    entries = desk.record["gates"]
    assert [(one["id"], one["verdict"], one["why"]) for one in entries] == [
        ("a", "pass", "not met"),
        ("b", "pass", "no match"),
        ("c", "reply", "met"),
    ]
    assert all(one["at"].startswith("agent.yaml:") for one in entries)


def test_a_fixed_reply_by_type_reads_nothing_into_the_next_turn(with_gates):
    desk = with_gates(gate("form", when="message.type == 'form'"))
    assert desk.say("red", type="form")["outcome"] == "answer"
    assert desk.state.flow is None


def test_a_gate_or_prefix_that_would_have_to_read_first_refuses(talk, with_gates):
    parts = {
        "conditions": {"is_open": talk.placed(that="result.open", call="ask")},
        "tools": {"ask": talk.tool(output={"open": {"type": "boolean"}})},
        "mounts": [{"call": "ask"}],
    }
    for one in (gate("g", when="conditions.is_open"), gate("g", prefix="#x", when="conditions.is_open")):
        desk = with_gates(one, **parts)
        reply = desk.say("#x")
        assert (reply["reason"], desk.calls) == ("gate_failed", [])


def test_a_prefix_whose_condition_cannot_be_evaluated_refuses(with_gates):
    desk = with_gates(gate("g", prefix="#x", when="(message.text | length) / (message.text | length - 2) > 0"))
    assert desk.say("#x")["reason"] == "gate_failed"
    assert desk.say("#x 1")["text"] == "said by g"
    assert desk.say("hi")["text"] == "Hello."


def test_conditions_are_computed_where_they_are_named_and_recorded(talk, with_gates):
    conditions = {
        "red": talk.placed(that="slots.colour == 'red'"),
        "vip": talk.placed(that="message.metadata.vip"),
        "both": talk.placed(that="conditions.red and not conditions.vip"),
    }
    desk = with_gates(gate("a", when="conditions.both"), gate("b", when="conditions.red"), conditions=conditions)
    assert desk.say("red")["text"] == "said by b"
    assert desk.record["gates"][0]["why"] == "missing"
    assert desk.record["conditions"]["red"] == {"at": desk.program.plan.conditions["red"].at, "met": True}
