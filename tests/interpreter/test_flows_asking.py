"""Flows that ask: what is asked, assumed and defaulted, how an answer goes on, and what ends the waiting."""

import pytest


@pytest.fixture
def shop(talk):
    def build(*steps, reborn=True, answers=None, **parts):
        slots = {
            "size": talk.slot(vocabulary="sizes", title={"*": "size"}, ask={"*": "Which size?"}, keep="session"),
            "colour": talk.slot(vocabulary="colours", title={"*": "colour"}),
            "bags": talk.slot(extract="integer", assume=1, note={"*": "I take one bag."}),
            "gift": talk.slot(vocabulary="gifts", default="PLAIN"),
        }
        plan = talk.plan(
            vocabularies={
                "sizes": talk.words("small", "large"),
                "colours": talk.words(RED=("red",), BLUE=("blue",)),
                "gifts": talk.words(PLAIN=("plain",), GOLD=("gold",)),
            },
            intents={name: talk.placed(keywords=(name,)) for name in ("order", "complain")},
            **{
                "slots": slots,
                "routes": [{"when": "intents.order", "flow": "order"}, {"when": "intents.complain", "flow": "sorry"}],
                "flows": {"order": list(steps), "sorry": [talk.reply("So sorry.")]},
                **parts,
            },
        )
        return talk.Talk(plan, answers, reborn=reborn)

    return build


@pytest.fixture
def order(talk, shop):
    return shop(
        talk.step("collect", slots=("size", "colour", "bags", "gift")),
        talk.reply("{{ slots.size }} {{ slots.colour }} {{ slots.bags }} {{ slots.gift }}"),
    )


def test_missing_slots_are_asked_one_at_a_time_and_all_named(order):
    first = order.say("order")
    assert (first["outcome"], first["text"], first["missing"]) == ("ask", "Which size?", ["size", "colour"])
    assert first["options"] == ["small", "large"]
    second = order.say("small")
    assert (second["text"], second["missing"]) == ("Please give: colour.", ["colour"])
    assert second["options"] == ["<RED>", "<BLUE>"]
    assert order.say("red")["text"].startswith("small RED 1 PLAIN")
    assert order.state.flow is None


def test_one_message_may_fill_several_slots(order):
    assert order.say("order a small red one, 3 bags, gold")["text"] == "small RED 3 GOLD"


def test_what_is_assumed_is_said_and_what_is_defaulted_is_not(order):
    reply = order.say("order small red")
    assert reply["text"] == "small RED 1 PLAIN\n\nI take one bag."
    assert reply["assumptions"] == [{"slot": "bags", "value": 1, "note": "I take one bag.", "options": []}]
    assert order.record["slots"]["gift"]["source"] == "default"


def test_nothing_is_assumed_before_what_must_be_asked(order):
    assert order.say("order")["assumptions"] == []


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        ({"extract": "integer"}, "{{ config.seen }}", "this does not pass a check of the slot 'bags': `value < 10`"),
        ({"extract": "integer"}, "{{ config.name }}", "`extract: integer` never gives it"),
        ({"extract": "integer", "many": True}, "{{ config.good }}", "the slot 'bags' takes a list of values"),
        ({"extract": "integer", "many": True}, [1, "{{ config.seen }}"], "`value < 10`"),
        ({"vocabulary": "sizes"}, "{{ config.name }}", "this is no code of the vocabulary 'sizes'"),
    ],
)
@pytest.mark.parametrize("key", ["assume", "default"])
@pytest.mark.parametrize("action", ["collect", "call"])
def test_a_computed_value_that_the_slot_does_not_take_is_not_filled_in(talk, kind, value, reason, key, action):
    checks = [talk.placed(that="value < 10", otherwise={"*": "Too many."})] if "extract" in kind else []
    bags = talk.slot(**kind, **{key: value}, checks=checks, ask={"*": "How many?"})
    steps = {"collect": {"slots": ("bags",)}, "call": {"tool": "t"}}
    plan = talk.plan(
        vocabularies={"sizes": talk.words("small", "large")}, slots={"bags": bags}, tools={"t": talk.tool("bags")},
        mounts=[{"call": "t"}], flows={"talk": [talk.step(action, **steps[action])]},
        config={"seen": 12, "name": "Ann", "good": 2},
    )  # fmt: skip
    one = talk.Talk(plan, reborn=True)
    reply = one.say("hello")
    assert (reply["outcome"], reply["missing"], reply["text"], one.calls) == ("ask", ["bags"], "How many?", [])
    (problem,) = one.record["problems"]
    assert (problem["at"], problem["code"]) == (bags["at"], "cannot-fill-in")
    assert reason in problem["message"]
    assert one.record["assumed"] == []


def test_a_gate_assumes_no_value_that_the_slot_does_not_take(talk, shop):
    gates = [{"id": "as", "verdict": "assume", "assume": {"colour": "{{ message.text }}", "size": "{{ none }}"}}]
    one = shop(talk.step("collect", slots=("size", "colour")), gates=gates)
    reply = one.say("order")
    assert (reply["outcome"], reply["missing"]) == ("ask", ["size", "colour"])
    assert [problem["code"] for problem in one.record["problems"]] == ["cannot-fill-in"]


def test_one_note_names_every_assumed_slot(talk, shop):
    slots = {
        "size": talk.slot(vocabulary="sizes", assume="small"),
        "colour": talk.slot(vocabulary="colours", assume="RED"),
    }
    desk = shop(talk.step("collect", slots=("size", "colour")), talk.reply("Done."), slots=slots)
    assert desk.say("order")["text"] == "Done.\n\nAssumed: size small, colour <RED>."


def test_several_values_are_clarified_with_the_candidates(order):
    order.say("order small")
    reply = order.say("red or blue")
    assert (reply["candidates"], reply["missing"]) == ({"colour": ["RED", "BLUE"]}, [])
    assert reply["options"] == ["<RED>", "<BLUE>"]
    assert order.say("blue")["text"].startswith("small BLUE")


def test_a_value_that_fails_its_check_is_asked_again_with_the_authors_words(talk, shop):
    check = talk.placed(that="value < 10", otherwise={"*": "At most nine."})
    slots = {"bags": talk.slot(extract="integer", checks=[check])}
    desk = shop(talk.step("collect", slots=("bags",)), talk.reply("{{ slots.bags }} bags"), slots=slots)
    desk.say("order")
    reply = desk.say("12")
    assert (reply["outcome"], reply["text"], reply["missing"]) == ("ask", "At most nine.", ["bags"])
    assert "bags" not in desk.state.slots
    assert desk.say("9")["text"] == "9 bags"


def test_an_unrelated_message_is_asked_once_more_and_then_the_flow_ends(order):
    order.say("order")
    assert order.say("lovely weather")["text"] == "Which size?"
    reply = order.say("lovely weather")
    assert (reply["outcome"], reply["reason"]) == ("decline", "missing")
    assert reply["text"] == "Without size I cannot go on."
    assert order.state.flow is None
    assert order.say("lovely weather")["text"] == "Hello."


def test_an_answer_begins_the_count_anew(order):
    order.say("order")
    order.say("hm")
    assert order.say("small")["text"] == "Please give: colour."
    assert order.say("hm")["text"] == "Please give: colour."
    assert order.say("red")["outcome"] == "answer"


def test_a_message_of_another_route_abandons_the_flow(order):
    order.say("order")
    assert order.say("I complain")["text"] == "So sorry."
    assert order.record["abandoned_flow"] == "order"
    assert order.state.flow is None
    assert order.say("small")["text"] == "Hello."


def test_an_answer_counts_before_another_route(order):
    order.say("order")
    assert order.say("small, or I complain")["text"] == "Please give: colour."


def test_the_same_route_again_is_no_other_route(order):
    order.say("order")
    assert order.say("order")["text"] == "Which size?"
    assert (order.record["abandoned_flow"], order.record["route"]["continued"]) == (None, True)
    assert order.say("order")["outcome"] == "decline"


def test_slots_of_the_flow_end_with_it_and_those_of_the_session_stay(order):
    order.say("order small red")
    assert set(order.state.slots) == {"size"}
    reply = order.say("order")
    assert (reply["text"], reply["missing"]) == ("Please give: colour.", ["colour"])


def test_slots_that_a_waiting_flow_holds_choose_no_route(talk, shop):
    desk = shop(
        talk.step("collect", slots=("colour", "size")),
        talk.reply("done"),
        slots={"size": talk.slot(vocabulary="sizes"), "colour": talk.slot(vocabulary="colours")},
        routes=[{"when": "intents.order", "flow": "order"}, {"when": "slots.colour", "flow": "sorry"}],
    )
    desk.say("order red")
    assert desk.say("lovely weather")["outcome"] == "ask"
    assert desk.say("small")["text"] == "done"


def test_a_catch_takes_the_error_missing(talk, shop):
    desk = shop(
        talk.step(
            "collect",
            slots=("size",),
            catch=[talk.placed(errors=("missing",), do=[talk.reply("Never mind ({{ error.kind }}).")])],
        ),
        talk.reply("The end."),
    )
    desk.say("order")
    desk.say("hm")
    assert desk.say("hm")["text"] == "Never mind (missing).\n\nThe end."


def test_another_question_in_a_catch_is_asked_as_often_as_the_first(talk, shop):
    handler = [talk.step("collect", slots=("colour",)), talk.reply("Never mind, {{ slots.colour }}.")]
    desk = shop(talk.step("collect", slots=("size",), catch=[talk.placed(errors=("missing",), do=handler)]))
    texts = [desk.say(text)["text"] for text in ("order", "hm", "hm", "hm", "red")]
    assert texts == ["Which size?"] * 2 + ["Please give: colour."] * 2 + ["Never mind, RED."]


def test_what_was_said_before_a_question_is_said_once(talk, shop):
    desk = shop(talk.reply("Gladly."), talk.step("collect", slots=("size",)), talk.reply("{{ slots.size }} it is."))
    assert desk.say("order")["text"] == "Gladly.\n\nWhich size?"
    assert desk.say("large")["text"] == "large it is."


def test_a_gate_that_answers_leaves_the_flow_waiting(talk, shop):
    gate = {"id": "form", "when": "message.type == 'form'", "verdict": "reply", "text": {"*": "Noted."}}
    desk = shop(talk.step("collect", slots=("colour", "size")), talk.reply("done"), gates=[gate])
    desk.say("order red")
    assert desk.say("small", type="form")["text"] == "Noted."
    assert desk.say("small")["text"] == "done"


def test_a_flow_waits_while_a_colleague_has_the_session(order):
    order.say("order")
    order.act("takeover")
    assert order.say("small")["outcome"] == "handed_off"
    order.act("release")
    assert order.say("small")["text"] == "Please give: colour."


def test_a_call_asks_for_the_slots_that_it_needs(talk, shop):
    desk = shop(
        talk.step("call", tool="pack"),
        talk.reply("Packed."),
        tools={"pack": talk.tool("size", "bags")},
        mounts=[{"call": "pack"}],
        slots={
            "size": talk.slot(vocabulary="sizes", ask={"*": "Which size?"}),
            "bags": talk.slot(vocabulary="sizes", assume="large"),
        },
    )
    reply = desk.say("order")
    assert (reply["text"], reply["missing"]) == ("Which size?", ["size"])
    assert reply["data"] == {
        "missing_identifiers": ["size"],
        "candidate_identifier_arguments": ["size"],
        "candidates": {},
    }


def test_an_assumption_that_something_else_has_filled_since_is_not_said(talk, shop):
    gates = [
        {"id": "as", "verdict": "assume", "assume": {"colour": "BLUE"}},
        {"id": "pf", "prefix": "/col", "fills": "colour", "verdict": "reply", "text": {"*": "col {{ slots.colour }}"}},
    ]
    desk = shop(gates=gates)
    reply = desk.say("/colred")
    assert (reply["text"], reply["assumptions"], desk.record["assumed"]) == ("col RED", [], [])
    assert desk.say("/col")["assumptions"][0]["value"] == "BLUE"


def test_what_was_said_to_a_flow_before_counts_before_what_a_gate_assumes(talk, shop):
    gates = [{"id": "as", "verdict": "assume", "assume": {"colour": "BLUE"}}]
    steps = talk.step("collect", slots=("colour", "size")), talk.reply("{{ slots.size }} {{ slots.colour }}")
    desk = shop(*steps, gates=gates)
    desk.say("order red")
    reply = desk.say("small")
    assert (reply["text"], reply["assumptions"]) == ("small RED", [])


@pytest.fixture
def told_later(talk, shop):
    def build(text, answer, **parts):
        return shop(
            talk.step("call", tool="find"),
            talk.step("collect", slots=("colour",)),
            talk.step("respond", response="line"),
            tools={"find": talk.tool("size", **parts)},
            mounts=[{"call": "find"}],
            responses={"line": talk.placed(kind="text", text={"*": text})},
            answers={"find": answer},
        )

    return build


def test_a_response_after_a_question_reads_arguments_and_answer_as_before_it(told_later):
    text = "V {{ result.v }} of {{ args.size }} by {{ payload.by }}"
    desk = told_later(text, {"data": {"v": 3}, "by": "me"}, unwrap="data")
    desk.say("order small")
    assert desk.say("red")["text"] == "V 3 of small by me"
    assert desk.record["problems"] == []
    whole = told_later("{{ payload.v }} {{ args.size }}", {"v": 3})
    whole.say("order small")
    assert whole.say("red")["text"] == "3 small"


def test_only_what_a_response_says_of_a_call_is_kept_while_a_flow_waits(told_later):
    desk = told_later("V {{ result.v }}", {"v": 3, "long": "x" * 100})
    desk.say("order small")
    assert desk.state.flow["journal"]["0"]["calls"] == [["success", "", "run/1"]]
    assert desk.say("red")["text"] == "V 3"
