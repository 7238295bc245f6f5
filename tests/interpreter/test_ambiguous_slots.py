"""Several values where one is needed: conditions are not met by them, and a flow that asked for one stays and asks which."""

import pytest

CONTRARIES = (
    "slots.n > 100",
    "slots.n <= 100",
    "slots.n == 2",
    "slots.n != 2",
    "not slots.n == 2",
    "slots.n in [2, 3]",
)
CONTRARIES += (
    "slots.n not in [2, 3]",
    "slots.n + 1 > 0",
    "-slots.n < 0",
    "(slots.n | abs) != 7",
    "5 > slots.n",
    "2 != slots.n",
)


@pytest.fixture
def desk(talk):
    def build(**parts):
        slots = {"n": talk.slot(extract="integer"), "colour": talk.slot(vocabulary="colours")}
        words = {"colours": talk.words("red", "blue", "green")}
        return talk.Talk(talk.plan(slots=slots, vocabularies=words, **parts), reborn=True)

    return build


TWO = "We are 2 adults and 3 children, hello"


@pytest.mark.parametrize("when", CONTRARIES)
def test_no_comparison_with_an_ambiguous_slot_is_met_nor_its_contrary(talk, desk, when):
    bulk = {"bulk": [talk.reply("Bulk.")]}
    assert desk(routes=[{"when": when, "flow": "bulk"}], flows=bulk).say(TWO)["text"] == "Hello."
    assert desk(routes=[{"when": f"not ({when})", "flow": "bulk"}], flows=bulk).say(TWO)["text"] == "Hello."


def test_an_ambiguous_slot_is_there(talk, desk):
    talk_of_n = desk(
        routes=[{"when": "slots.n and slots.n is not none", "flow": "bulk"}], flows={"bulk": [talk.reply("Bulk.")]}
    )
    assert talk_of_n.say(TWO)["text"] == "Bulk."


def test_a_gate_lets_pass_and_records_what_was_ambiguous(desk):
    refusing = {"verdict": "refuse", "text": {"*": "No."}}
    colours = [
        {"id": f"c{n}", "when": f"slots.colour == '{one}'", **refusing}
        for n, one in enumerate(("red", "blue", "green", "pink"))
    ]
    talk = desk(gates=[{"id": "many", "when": "slots.n > 100", **refusing}, *colours])
    assert talk.say(f"{TWO}: red and blue")["text"] == "Hello."
    assert [(one["why"], one["path"]) for one in talk.record["gates"]] == [("ambiguous", "slots.n")] + [
        ("ambiguous", "slots.colour")
    ] * 4
    assert talk.say("101")["outcome"] == "refuse"


def test_a_step_is_left_out_and_a_named_condition_is_not_met(talk, desk):
    flow = [
        talk.step("reply", text={"*": "Many."}, when="conditions.many"),
        talk.step("reply", text={"*": "Few."}, when="not conditions.many"),
        talk.reply("Done."),
    ]
    one = desk(flows={"talk": flow}, conditions={"many": talk.placed(that="slots.n > 100")})
    assert one.say(TWO)["text"] == "Done."
    assert one.say("3")["text"] == "Few.\n\nDone."


def test_a_table_is_not_asked_about_an_ambiguous_value_nor_as_if_there_were_none(talk, desk):
    table = talk.placed(
        hit="first",
        inputs={"n": {"type": "integer", "optional": True, "value": "{{ slots.n }}"}},
        outputs={"size": {"type": "string"}},
        rows=[talk.placed(when={}, then={"size": "any"})],
    )
    flow = [talk.step("reply", text={"*": "Sized."}, when="decisions.sizes.size == 'any'"), talk.reply("Done.")]
    one = desk(flows={"talk": flow}, decisions={"sizes": table})
    assert one.say(TWO)["text"] == "Done."
    assert one.say("no number")["text"] == "Sized.\n\nDone."


@pytest.mark.parametrize("value", ["{{ slots.n }}", "{{ slots.n or 7 }}", ["{{ slots.n }}"], {"n": "{{ slots.n }}"}])
def test_a_variable_of_several_values_is_none(talk, desk, value):
    flow = [talk.step("set", values={"n": value}), talk.step("collect", slots=("colour",))]
    for text, number in ((TWO, None), ("only 3", 3)):
        one = desk(flows={"talk": flow})
        assert one.say(text)["outcome"] == "ask"
        assert one.state.vars["n"] == {str: number, list: [number], dict: {"n": number}}[type(value)]


def test_a_call_with_a_variable_of_several_values_does_not_go_out(talk, desk):
    tools = {"t": talk.tool(input={"n": {"type": "integer", "source": "vars.n", "send_as": "n"}})}
    flow = [talk.step("set", values={"n": "{{ slots.n }}"}), talk.step("call", tool="t")]
    one = desk(flows={"talk": flow}, tools=tools, mounts=[{"call": "t"}])
    one.say(TWO)
    assert (one.calls, one.record["calls"][0]["outcome"]) == ([], "missing")
    one.say("only 3")
    assert one.calls == [("t", {"n": 3})]


def test_nothing_is_assumed_from_several_values(talk, desk):
    gate = {"id": "as", "verdict": "assume", "assume": {"colour": "{{ slots.n }}"}}
    one = desk(
        gates=[gate], flows={"talk": [talk.step("collect", slots=("colour",)), talk.reply("{{ slots.colour }}")]}
    )
    assert (one.say(TWO)["outcome"], one.record["assumed"]) == ("ask", [])


def complaints(talk):
    return talk.Talk(
        talk.tracking(
            intents={"tracking": talk.placed(keywords=("查询货物",)), "complaint": talk.placed(keywords=("投诉",))},
            routes=[
                {"when": "intents.complaint", "flow": "complain"},
                {"when": "slots.no or intents.tracking", "flow": "tracking"},
            ],
            tools={"track": talk.tool("no"), "complain": talk.tool("no")},
            mounts=[{"call": "track", "intent": "tracking"}, {"call": "complain"}],
            flows={
                "tracking": [talk.step("call", tool="track"), talk.reply("Tracked.")],
                "complain": [talk.step("call", tool="complain"), talk.reply("Sorry for {{ slots.no }}.")],
            },
        ),
        reborn=True,
    )


def test_a_flow_that_is_answered_with_two_values_asks_which_and_stays(talk):
    desk = complaints(talk)
    assert desk.say("我要投诉")["outcome"] == "ask"
    reply = desk.say("ABCU1234567 和 ABCU7654321")
    assert (reply["outcome"], reply["candidates"]) == ("ask", {"no": ["ABCU1234567", "ABCU7654321"]})
    assert (desk.record["route"]["flow"], desk.record["abandoned_flow"]) == ("complain", None)
    assert desk.say("ABCU7654321")["text"] == "Sorry for ABCU7654321."
    assert [name for name, _ in desk.calls] == ["complain"]


def test_two_values_again_and_again_end_the_flow_as_any_other_answer_does(talk):
    desk = complaints(talk)
    outcomes = [desk.say(text)["outcome"] for text in ("我要投诉", *["ABCU1234567 和 ABCU7654321"] * 3)]
    assert outcomes == ["ask", "ask", "ask", "decline"]
