"""A call for every combination of the values of slots: each on its own, side by side, within a bound."""

import pytest

from interlock.interpreter.commands import CallTool


@pytest.fixture
def facts(talk):
    def build(answer, *more, max_parts=20, **parts):
        plan = talk.plan(
            vocabularies={
                "metrics": talk.words("revenue", "profit", "cost"),
                "years": talk.words("2022", "2023", "2024"),
            },
            slots={
                "metric": talk.slot(vocabulary="metrics", many=True),
                "year": talk.slot(vocabulary="years", many=True, title={"*": "year"}),
            },
            tools={"fact": talk.tool("metric", "year")},
            mounts=[{"call": "fact"}],
            responses={
                "line": talk.placed(kind="text", text={"*": "{{ args.metric }} {{ args.year }}: {{ result.value }}"})
            },
            flows={
                "talk": [
                    talk.step("call", tool="fact", expand=("metric", "year"), max_parts=max_parts),
                    *(more or [talk.step("respond", response="line")]),
                ]
            },
            **parts,
        )
        return talk.Talk(plan, {"fact": answer}, reborn=True)

    return build


def value(args):
    return {"value": f"{args['metric'][0]}{args['year'][-1]}"}


def test_every_combination_is_called_side_by_side_and_answered_on_its_own(facts):
    desk = facts(value)
    commands = desk.begin("revenue and profit 2022 and 2024")
    assert [one.arguments for one in commands if isinstance(one, CallTool)] == [
        {"metric": "revenue", "year": "2022"},
        {"metric": "revenue", "year": "2024"},
        {"metric": "profit", "year": "2022"},
        {"metric": "profit", "year": "2024"},
    ]
    assert desk.finish(commands)["text"] == (
        "revenue 2022: r2\n\nrevenue 2024: r4\n\nprofit 2022: p2\n\nprofit 2024: p4"
    )
    assert desk.record["invocation_count"] == 4


def test_results_come_back_in_any_order(facts, talk):
    desk = facts(value)
    calls = desk.begin("revenue profit 2022")
    ends = [desk.answer(call) for call in calls]
    assert desk.machine.handle(ends[1]) == []
    assert desk.finish(desk.machine.handle(ends[0]))["text"] == "revenue 2022: r2\n\nprofit 2022: p2"


def test_one_that_fails_does_not_take_the_others_along(facts):
    def answer(args):
        return {"end": {"ending": "timeout", "message": "no answer"}} if args["year"] == "2022" else value(args)

    desk = facts(answer)
    reply = desk.say("revenue 2022 2023")
    assert reply["outcome"] == "answer"
    assert "revenue 2023: r3" in reply["text"]
    assert [call["outcome"] for call in desk.record["calls"]] == ["timeout", "success"]


def test_when_all_fail_the_step_fails(facts, talk):
    caught = talk.reply("no facts")
    desk = facts({"end": {"ending": "error", "message": "down"}}, caught)
    assert desk.say("revenue 2022 2023")["outcome"] == "error"


def test_too_many_combinations_are_asked_to_be_narrowed_and_nothing_is_called(facts):
    desk = facts(value, max_parts=4)
    reply = desk.say("revenue profit cost 2022 2023")
    assert (reply["outcome"], desk.calls) == ("ask", [])
    assert reply["candidates"] == {"metric": ["revenue", "profit", "cost"], "year": ["2022", "2023"]}
    assert not any(letter.isdigit() for letter in reply["text"])
    assert desk.say("only cost")["text"] == "cost 2022: c2\n\ncost 2023: c3"


def test_the_results_of_all_are_a_list_by_step(facts, talk):
    desk = facts(value, talk.reply("{{ steps.fact.result | length }}"))
    assert desk.say("revenue 2022 2023")["text"] == "2"


def test_a_slot_without_values_is_asked_for(facts):
    desk = facts(value)
    reply = desk.say("revenue profit")
    assert (reply["outcome"], reply["missing"], reply["text"]) == ("ask", ["year"], "Please give: year.")


def test_a_part_that_fails_says_the_authors_words_for_it_and_none_of_its_figures(talk):
    missed = talk.placed(when="payload.value == 0", outcome="error", message={"*": "No data for {{ payload.of }}."})
    found = talk.placed(outcome="success")
    for steps in ([], [talk.step("collect", slots=("colour",))]):
        plan = talk.plan(
            vocabularies={"cities": talk.words("guangzhou", "beijing"), "colours": talk.words("red")},
            slots={"city": talk.slot(vocabulary="cities", many=True), "colour": talk.slot(vocabulary="colours")},
            tools={"w": talk.tool("city", outcomes=[missed, found])},
            mounts=[{"call": "w"}],
            responses={"line": talk.placed(kind="text", text={"*": "{{ args.city }}: {{ result.value }}"})},
            flows={
                "talk": [talk.step("call", tool="w", expand=("city",)), *steps, talk.step("respond", response="line")]
            },
        )
        answer = {"w": lambda args: {"value": 5 if args["city"] == "beijing" else 0, "of": args["city"]}}
        desk = talk.Talk(plan, answer, reborn=True)
        reply = desk.say("guangzhou beijing")
        reply = desk.say("red") if steps else reply
        assert (reply["text"], reply["outcome"]) == ("No data for guangzhou.\n\nbeijing: 5", "answer")
    assert talk.Talk(plan, answer).say("guangzhou")["text"] == "No data for guangzhou."


def test_calls_that_all_fail_and_are_said_all_the_same_are_no_answer(talk):
    steps = [talk.step("call", tool="w", catch=[talk.placed()]), talk.step("respond", response="line")]
    line = talk.placed(kind="text", text={"*": "{{ result.value }}"})
    plan = talk.plan(tools={"w": talk.tool()}, mounts=[{"call": "w"}], responses={"line": line}, flows={"talk": steps})
    desk = talk.Talk(plan, {"w": {"end": {"ending": "error", "message": "down"}}})
    assert desk.say("hello")["outcome"] == "error"
